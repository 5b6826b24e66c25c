/* SPDX-License-Identifier: MIT */
/* Shared by the files of the reports flamegraph and export. */
#pragma once

#include "analyzer/tree/flame.h"
#include "analyzer/reports/report.h"

/* Makes doc->flame, summed up, as the options ask: one run, a moment of a process, the
 * time between two, or the difference of two moments or sides. Adds notes. folds: those
 * of calltree_fold_frames(). usual: the metric of one run without --metric.
 * STATUS_NOTHING: nothing has that metric. */
enum exit_status flame_build(struct report_input *input, struct doc *doc, unsigned folds,
			     unsigned usual);

/* moments.c: --snapshot, --before and --after with snapshots. */
enum exit_status flame_build_moments(struct report_input *input, struct doc *doc,
				     unsigned folds);
/* runs.c: --diff, --before and --after with runs. */
enum exit_status flame_build_runs(struct report_input *input, struct doc *doc,
				  unsigned folds);

/* The metric asked for, or else the usual one. */
unsigned flame_metric_or(const struct report_input *input, unsigned usual);
/* Makes the flame of a tree, which it takes. Paths that do not pass --focus and --ignore
 * get no weight. ret_places: see calltree_fold_frames(); NULL: not wanted. */
struct flame *flame_make(const struct report_input *input, struct calltree *tree,
			 unsigned metric, bool is_difference, unsigned folds,
			 uint32_t **ret_places);
/* The same after folding recursion. */
struct flame *flame_make_folded(const struct report_input *input, struct calltree *tree,
				unsigned metric, bool is_difference, unsigned folds);
/* Sets the title and the line below it. */
void flame_set_title(struct flame *flame, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void flame_set_subject(struct flame *flame, const char *subject);
