/* SPDX-License-Identifier: MIT */
/* What the files behind the reports flamegraph and export share. */
#pragma once

#include "analyzer/tree/flame.h"
#include "analyzer/reports/report.h"

/* Makes doc->flame, summed up, from what the options ask for: one run, a moment of a
 * process, what lies between two, or the difference of two moments or sides. folds: of
 * calltree_fold_frames(). usual: the metric of one
 * run without --metric. Adds the notes. STATUS_NOTHING: there is nothing of that
 * metric. */
enum exit_status flame_build(struct report_input *input, struct doc *doc, unsigned folds,
			     unsigned usual);

/* moments.c: --snapshot, --before and --after with snapshots. */
enum exit_status flame_build_moments(struct report_input *input, struct doc *doc,
				     unsigned folds);
/* runs.c: --diff, --before and --after with runs. */
enum exit_status flame_build_runs(struct report_input *input, struct doc *doc,
				  unsigned folds);

/* The metric asked for, else the usual one. */
unsigned flame_metric_or(const struct report_input *input, unsigned usual);
/* The flame of a tree, which it takes, without the weight of what does not pass --focus
 * and --ignore. ret_places: as of calltree_fold_frames(); NULL: not wanted. */
struct flame *flame_make(const struct report_input *input, struct calltree *tree,
			 unsigned metric, bool is_difference, unsigned folds,
			 uint32_t **ret_places);
/* The same with recursion folded. */
struct flame *flame_make_folded(const struct report_input *input, struct calltree *tree,
				unsigned metric, bool is_difference, unsigned folds);
/* "Time by call path" and the line below it. */
void flame_set_title(struct flame *flame, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void flame_set_subject(struct flame *flame, const char *subject);
