/* SPDX-License-Identifier: MIT */
/*
 * Loads the boxes of one run, or chooses how to load what was asked for. Must not show
 * zeros for a metric that was not measured.
 */
#include "analyzer/reports/flame/parts.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/facts.h"

#include "flame.sql.h"

#include <stdlib.h>
#include <string.h>

/* The usual metric, or the next one if the run lacks it. */
static unsigned usual_of(const struct calltree *tree, unsigned usual)
{
	struct calltree_total sum = calltree_sum(tree);

	if (usual == FLAME_CPU && sum.self_cpu_ns > 0)
		return FLAME_CPU;
	return sum.self_ns > 0 ? FLAME_TIME : FLAME_BYTES;
}

static void build_run(struct report_input *input, struct doc *doc, unsigned folds,
		      unsigned usual)
{
	struct calltree *tree;
	unsigned metric;

	report_open(input, doc);
	tree = report_tree_load(input);
	metric = flame_metric_or(input, usual_of(tree, usual));
	if (input->options->thread &&
	    !quantity_is_in(QUANTITY_OF_LANE, flame_quantity(metric)))
		command_fail(STATUS_USAGE,
			     "--thread does not go with --metric %s: what was live "
			     "is not kept by thread",
			     flame_metric_name(metric));
	doc->flame = flame_make_folded(input, tree, metric, false, folds);
	flame_set_title(doc->flame, "%s", metric == FLAME_LIVE ? " at exit" : "");
	flame_set_subject(doc->flame, run_facts_title(input, input->options->thread));
	if (run_facts_empty(&input->facts))
		report_nothing_note(input, doc);
}

static void check_metric(const char *wanted)
{
	const char *names[FLAME_NO_METRIC];

	if (wanted && flame_metric_find(wanted) == FLAME_NO_METRIC)
		report_unknown(wanted, names, flame_metric_list(names), NULL,
			       "--metric: there is no '%s'", wanted);
}

static void check_options(const struct report_options *options)
{
	bool has_sides = options->diff || options->before || options->after;

	if (options->snapshot && has_sides)
		command_fail(STATUS_USAGE,
			     "--snapshot shows one moment: it does not go with "
			     "--diff, --before and --after");
	if (!options->diff && !options->before != !options->after)
		command_fail(STATUS_USAGE, "--before and --after go together");
	if (options->thread && (options->snapshot || has_sides))
		command_fail(STATUS_USAGE, "--thread is for a whole run: snapshots and "
					   "differences are not kept by thread");
}

/* Whether all words of a list name runs of the file. */
static bool are_runs(struct report_input *input, const char *words)
{
	char *rest = xstrdup(words), *word;
	bool are_all = true;

	while (are_all && (word = strsep(&rest, ","))) {
		auto_cursor struct cursor *cursor = report_query(input, flame_sql_is_run);

		cursor_bind_text(cursor, ":word", word);
		are_all = cursor_next(cursor);
	}
	return are_all;
}

static enum exit_status build_asked(struct report_input *input, struct doc *doc,
				    unsigned folds, unsigned usual)
{
	const struct report_options *options = input->options;

	if (options->snapshot)
		return flame_build_moments(input, doc, folds);
	if (!options->diff && !options->before) {
		build_run(input, doc, folds, usual);
		return STATUS_OK;
	}
	if (!options->diff &&
	    !(are_runs(input, options->before) && are_runs(input, options->after)))
		return flame_build_moments(input, doc, folds);
	if (options->process)
		command_fail(STATUS_USAGE,
			     "--process chooses whose snapshots are shown: runs are "
			     "compared with all their processes");
	return flame_build_runs(input, doc, folds);
}

enum exit_status flame_build(struct report_input *input, struct doc *doc, unsigned folds,
			     unsigned usual)
{
	const struct flame_box *whole;
	enum exit_status status;

	check_metric(input->options->metric);
	check_options(input->options);
	status = build_asked(input, doc, folds, usual);
	if (status)
		return status;
	flame_sum(doc->flame);
	whole = &doc->flame->boxes[FLAME_WHOLE];
	if (whole->total || whole->total_before)
		return STATUS_OK;
	doc_note(doc, "nothing_of_metric", NOTE_WARNING,
		 xasprintf("There is nothing to show of '%s'.",
			   flame_metric_name(doc->flame->metric)),
		 NULL);
	return STATUS_NOTHING;
}
