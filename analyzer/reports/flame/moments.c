/* SPDX-License-Identifier: MIT */
/*
 * The frames of one process up to a snapshot, between two, and the difference of what
 * was live at two. Must not show what only grows (time, calls, allocations) as a
 * difference: of that what came in between is meant.
 */
#include "analyzer/reports/flame/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/delta/parts.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/snapshots/find.h"

#include <stdlib.h>
#include <string.h>

struct ask {
	const char *a, *b; /* as the user wrote them; a NULL: from the start */
	unsigned metric;
};

static bool is_of_moment(unsigned metric)
{
	return metric == FLAME_LIVE || metric == FLAME_AT_PEAK;
}

static enum exit_status check_moments(struct report_input *input,
				      const struct delta *delta, const struct ask *ask)
{
	int64_t a = moment_id(&delta->a), b = moment_id(&delta->b);
	bool known = true;
	enum exit_status status = STATUS_OK;

	if (ask->a && delta->a.kind == delta->b.kind && a == b)
		return report_fail(input, STATUS_USAGE,
				   "'%s' and '%s' are the same moment; name two", ask->a,
				   ask->b);
	if (!delta->has_between && !is_of_moment(ask->metric))
		return report_fail(
			input, STATUS_USAGE,
			"of the peak only what was live is known: use --metric "
			"live with it");
	if (!is_of_moment(ask->metric) && a > b)
		return report_fail(input, STATUS_USAGE,
				   "'%s' comes before '%s'; name the earlier one first",
				   ask->b, ask->a);
	if (delta->a.kind == MOMENT_EXIT || delta->b.kind == MOMENT_EXIT)
		status = snapshot_knows_exit(input, &delta->list, delta->process, &known);
	if (status || known)
		return status;
	return report_fail(
		input, STATUS_NOTHING,
		"what process %lld had at its exit is not known: other processes "
		"of the run allocated on the same call paths; name its last "
		"snapshot instead",
		(long long)delta->process->pid);
}

static enum exit_status find(struct report_input *input, struct delta *delta,
			     const struct ask *ask)
{
	/* "start" may be a label; no word is the start itself. */
	const char *words[] = {ask->b, ask->a};
	struct moment moments[2] = {[1] = {.kind = MOMENT_START}};
	enum exit_status status = snapshot_list_load(input, &delta->list);

	if (status == STATUS_OK)
		status = snapshot_find(input, &delta->list, words, 2, &delta->process,
				       moments);
	if (status)
		return status;
	delta->a = moments[1];
	delta->b = moments[0];
	delta->c = (struct moment){.kind = MOMENT_EXIT};
	delta->has_between = delta->a.kind != MOMENT_PEAK && delta->b.kind != MOMENT_PEAK;
	return check_moments(input, delta, ask);
}

static void plus(int64_t *sum, int64_t amount)
{
	*sum = delta_plus(*sum, amount);
}

static void add_site(struct delta *delta, const struct delta_site *site)
{
	const struct delta_state *a = &site->entry.a, *b = &site->entry.b;
	struct calltree_node *node;

	if (site->node == CALLTREE_NONE)
		return;
	node = &delta->tree->nodes[site->node];
	plus(&node->alloc_bytes, delta_minus(b->alloc_bytes, a->alloc_bytes));
	plus(&node->alloc_count, delta_minus(b->alloc_count, a->alloc_count));
	plus(&node->live_bytes, b->live_bytes);
	plus(&node->before, a->live_bytes);
}

static enum exit_status weigh(struct report_input *input, struct delta *delta,
			      unsigned metric)
{
	enum exit_status status;

	if (!flame_is_memory(metric))
		return delta_load_paths(input, delta);
	for (size_t i = 0; i < delta->tree->node_count; i++)
		quantities_clear(QUANTITY_OF_TREE, delta->tree->nodes[i].quantities);
	status = delta_load_sites(input, delta);
	for (size_t i = 0; status == STATUS_OK && i < delta->site_count; i++)
		add_site(delta, &delta->sites[i]);
	return status;
}

static void describe(struct report_input *input, const struct delta *delta,
		     const struct ask *ask, struct flame *flame)
{
	struct strbuf text = {0};

	if (flame->is_difference)
		flame_set_title(flame, ": '%s' against '%s'", ask->b, ask->a);
	else if (is_of_moment(ask->metric))
		flame_set_title(flame, " at '%s'", ask->b);
	else if (ask->a)
		flame_set_title(flame, " between '%s' and '%s'", ask->a, ask->b);
	else
		flame_set_title(flame, " up to '%s'", ask->b);
	strbuf_printf(&text, "run %lld, process %lld", (long long)input->run_id,
		      (long long)delta->process->pid);
	flame_set_subject(flame, strbuf_text(&text));
	strbuf_free(&text);
}

static enum exit_status load(struct report_input *input, struct doc *doc,
			     struct delta *delta, const struct ask *ask, unsigned folds)
{
	enum exit_status status = find(input, delta, ask);

	if (status)
		return status;
	delta->tree = report_tree_load(input);
	if (!delta->tree)
		return STATUS_FAILED;
	status = weigh(input, delta, ask->metric);
	if (status)
		return status;
	if (!flame_is_memory(ask->metric))
		delta_note_left_out(doc, delta->tree);
	doc->flame = flame_make_folded(input, delta->tree, ask->metric,
				       is_of_moment(ask->metric) && ask->a, folds);
	delta->tree = NULL;
	describe(input, delta, ask, doc->flame);
	return STATUS_OK;
}

enum exit_status flame_build_moments(struct report_input *input, struct doc *doc,
				     unsigned folds)
{
	const struct report_options *options = input->options;
	struct ask ask = {options->before,
			  options->snapshot ? options->snapshot : options->after,
			  flame_metric_or(input, FLAME_LIVE)};
	struct delta delta = {0};
	struct run_facts facts;
	enum exit_status status;

	if (ask.metric == FLAME_AT_PEAK)
		return report_fail(input, STATUS_USAGE,
				   "--metric at-peak is of a moment by itself; use "
				   "--metric live, and 'peak' for the moment");
	status = report_open(input, doc, &facts);
	if (status == STATUS_OK)
		status = load(input, doc, &delta, &ask, folds);
	calltree_free(delta.tree);
	free(delta.sites);
	arena_free(&delta.texts);
	snapshot_list_free(&delta.list);
	return status;
}
