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

#include "flame.sql.h"

#include <stdlib.h>
#include <string.h>

static void add_subject(struct report_input *input, struct flame *flame,
			const struct run_facts *facts)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_printf(&text, "run %lld", (long long)input->run_id);
	if (facts->label)
		strbuf_printf(&text, " '%s'", facts->label);
	if (input->options->thread)
		strbuf_printf(&text, ", thread '%s'", input->options->thread);
	strbuf_printf(&text, ": %s", facts->command ? facts->command : "");
	flame_set_subject(flame, strbuf_text(&text));
}

/* The usual metric, or the next one if the run lacks it. */
static unsigned usual_of(const struct calltree *tree, unsigned usual)
{
	struct calltree_total sum = calltree_sum(tree);

	if (usual == FLAME_CPU && sum.self_cpu_ns > 0)
		return FLAME_CPU;
	return sum.self_ns > 0 ? FLAME_TIME : FLAME_BYTES;
}

static enum exit_status build_run(struct report_input *input, struct doc *doc,
				  unsigned folds, unsigned usual)
{
	unsigned metric;
	struct run_facts facts;
	struct calltree *tree;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	tree = report_tree_load(input);
	if (!tree)
		return STATUS_FAILED;
	metric = flame_metric_or(input, usual_of(tree, usual));
	if (input->options->thread &&
	    !quantity_is_in(QUANTITY_OF_LANE, flame_quantity(metric)))
		command_fail(STATUS_USAGE,
			     "--thread does not go with --metric %s: what was live "
			     "is not kept by thread",
			     flame_metric_name(metric));
	if (status == STATUS_OK) {
		doc->flame = flame_make_folded(input, tree, metric, false, folds);
		tree = NULL;
		flame_set_title(doc->flame, "%s", metric == FLAME_LIVE ? " at exit" : "");
		add_subject(input, doc->flame, &facts);
	}
	calltree_free(tree);
	if (status == STATUS_OK && run_facts_empty(&facts))
		report_nothing_note(input, doc);
	return status;
}

static enum exit_status check_metric(struct report_input *input)
{
	const char *wanted = input->options->metric, *nearest, *names[FLAME_NO_METRIC];
	ended_by(strbuf_free) struct strbuf text = {0};
	size_t count;

	if (!wanted || flame_metric_find(wanted) < FLAME_NO_METRIC)
		return STATUS_OK;
	count = flame_metric_list(names);
	nearest = nearest_word(wanted, names, count);
	for (size_t i = 0; i < count; i++)
		strbuf_printf(&text, "%s%s", i ? ", " : "", names[i]);
	command_fail(STATUS_USAGE, "--metric: there is no '%s'%s%s%s %s", wanted,
		     nearest ? "; did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'? All:" : "; there are", strbuf_text(&text));
	return STATUS_USAGE;
}

static enum exit_status check_options(struct report_input *input)
{
	const struct report_options *options = input->options;
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
	return STATUS_OK;
}

/* Whether all words of a list name runs of the file. */
static int are_runs(struct report_input *input, const char *words, bool *ret)
{
	char *copy = xstrdup(words), *rest = copy, *word;
	int result = 0;

	*ret = true;
	while (*ret && result >= 0 && (word = strsep(&rest, ","))) {
		struct cursor *cursor = report_query(input, flame_sql_is_run);

		cursor_bind_text(cursor, ":word", word);
		*ret = cursor_next(cursor) > 0;
		result = report_finish(input, cursor);
	}
	free(copy);
	return result;
}

static enum exit_status build_asked(struct report_input *input, struct doc *doc,
				    unsigned folds, unsigned usual)
{
	const struct report_options *options = input->options;
	bool before = true, after = true;

	if (options->snapshot)
		return flame_build_moments(input, doc, folds);
	if (!options->diff && !options->before)
		return build_run(input, doc, folds, usual);
	if (!options->diff && (are_runs(input, options->before, &before) < 0 ||
			       are_runs(input, options->after, &after) < 0))
		return STATUS_FAILED;
	if (before && after && options->process)
		command_fail(STATUS_USAGE,
			     "--process chooses whose snapshots are shown: runs are "
			     "compared with all their processes");
	return before && after ? flame_build_runs(input, doc, folds)
			       : flame_build_moments(input, doc, folds);
}

static void note_nothing(struct doc *doc)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_printf(&text, "There is nothing to show of '%s'.",
		      flame_metric_name(doc->flame->metric));
	doc_note(doc, "nothing_of_metric", NOTE_WARNING, strbuf_text(&text), NULL);
}

enum exit_status flame_build(struct report_input *input, struct doc *doc, unsigned folds,
			     unsigned usual)
{
	enum exit_status status = check_metric(input);
	const struct flame_box *whole;

	if (status == STATUS_OK)
		status = check_options(input);
	if (status == STATUS_OK)
		status = build_asked(input, doc, folds, usual);
	if (status)
		return status;
	flame_sum(doc->flame);
	whole = &doc->flame->boxes[FLAME_WHOLE];
	if (whole->total || whole->total_before)
		return STATUS_OK;
	note_nothing(doc);
	return STATUS_NOTHING;
}
