/* SPDX-License-Identifier: MIT */
/*
 * Boxes of one process up to a snapshot or between two, and the difference of live
 * memory at two. Must not show quantities that only grow (time, calls, allocations) as a
 * difference: for these the user means what came in between.
 */
#include "analyzer/reports/flame/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/snapshots/between.h"

#include <stdlib.h>
#include <string.h>

struct ask {
	const char *a, *b; /* as the user wrote them; a NULL: the start */
	unsigned metric;
};

static bool is_of_moment(unsigned metric)
{
	return metric == FLAME_LIVE || metric == FLAME_AT_PEAK;
}

static enum exit_status check_moments(struct report_input *input,
				      const struct between *between,
				      const struct ask *ask)
{
	int64_t a = moment_id(&between->a), b = moment_id(&between->b);

	if (ask->a && between->a.kind == between->b.kind && a == b)
		command_fail(STATUS_USAGE, "'%s' and '%s' are the same moment; name two",
			     ask->a, ask->b);
	if (!between_has_times(between) && !is_of_moment(ask->metric))
		command_fail(STATUS_USAGE,
			     "of the peak only what was live is known: use --metric "
			     "live with it");
	if (!is_of_moment(ask->metric) && a > b)
		command_fail(STATUS_USAGE,
			     "'%s' comes before '%s'; name the earlier one first", ask->b,
			     ask->a);
	if ((between->a.kind != MOMENT_EXIT && between->b.kind != MOMENT_EXIT) ||
	    snapshot_knows_exit(input, between->list, between->process))
		return STATUS_OK;
	return report_nothing(
		input,
		"the live memory of process %lld at its exit is unknown: other processes "
		"of the run allocated on the same call paths; name its last "
		"snapshot instead",
		(long long)between->process->pid);
}

static struct between find(struct report_input *input, struct snapshot_list *list,
			   const struct ask *ask)
{
	/* "start" may be a label; no word means the start itself */
	const char *words[] = {ask->b, ask->a};
	struct moment moments[2] = {[1] = {.kind = MOMENT_START}};
	struct between found = {.list = list, .c.kind = MOMENT_EXIT};

	snapshot_list_load(input, list);
	found.process = snapshot_find(input, list, words, 2, moments);
	found.a = moments[1];
	found.b = moments[0];
	return found;
}

static void describe(struct report_input *input, const struct between *between,
		     const struct ask *ask, struct flame *flame)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (flame->is_difference)
		flame_set_title(flame, ": '%s' against '%s'", ask->b, ask->a);
	else if (is_of_moment(ask->metric))
		flame_set_title(flame, " at '%s'", ask->b);
	else if (ask->a)
		flame_set_title(flame, " between '%s' and '%s'", ask->a, ask->b);
	else
		flame_set_title(flame, " up to '%s'", ask->b);
	strbuf_printf(&text, "run %lld, process %lld", (long long)input->run_id,
		      (long long)between->process->pid);
	flame_set_subject(flame, strbuf_text(&text));
}

enum exit_status flame_build_moments(struct report_input *input, struct doc *doc,
				     unsigned folds)
{
	const struct report_options *options = input->options;
	struct ask ask = {options->before,
			  options->snapshot ? options->snapshot : options->after,
			  flame_metric_or(input, FLAME_LIVE)};
	struct snapshot_list list;
	struct between between;
	struct calltree *tree;
	enum exit_status status;

	if (ask.metric == FLAME_AT_PEAK)
		command_fail(STATUS_USAGE,
			     "--metric at-peak is of a moment by itself; use "
			     "--metric live, and 'peak' for the moment");
	report_open(input, doc);
	between = find(input, &list, &ask);
	status = check_moments(input, &between, &ask);
	if (status)
		return status;
	tree = report_tree_load(input);
	between_load(input, &between, tree);
	if (!flame_is_memory(ask.metric))
		between_note_left_out(doc, tree);
	doc->flame = flame_make_folded(input, tree, ask.metric,
				       is_of_moment(ask.metric) && ask.a, folds);
	describe(input, &between, &ask, doc->flame);
	return STATUS_OK;
}
