/* SPDX-License-Identifier: MIT */
/*
 * Boxes of two sides, each one run or the mean of several. Must not match functions
 * itself: the comparison does.
 */
#include "analyzer/reports/flame/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/compare/parts.h"
#include "analyzer/reports/engine/engine.h"

#include <math.h>
#include <stdlib.h>

/* Weighing of paths as boxes. */
struct weighing {
	const struct compare_state *state;
	struct flame *flame;
	uint32_t *places; /* by path: the number of its box, less one */
	bool *passes;	  /* --focus and --ignore */
};

static struct flame_box *box_of(const struct weighing *weighing, uint32_t path)
{
	return &weighing->flame->boxes[weighing->places[path] + 1];
}

/* Sets what the runs prove about the change. With too few runs no change is proven. */
static void prove(const struct compare_state *state, struct flame_box *box, uint32_t path)
{
	struct change total = compare_times(state, &state->comparison.path_values, path,
					    COMPARE_total_ns);

	box->is_unproven =
		total.outcome != OUTCOME_IMPROVED && total.outcome != OUTCOME_REGRESSED;
	box->has_interval = total.is_tested;
	box->least_change = whole_number(total.shift.low);
	box->most_change = whole_number(total.shift.high);
	quantity_add(&box->total_error, llround(total.after_error));
	quantity_add(&box->total_error_before, llround(total.before_error));
}

/* A box of several paths is proven if the first one is. */
static void take_proof(const struct weighing *weighing, struct flame_box *box,
		       uint32_t path)
{
	const struct calltree_node *node =
		&weighing->flame->tree->nodes[weighing->places[path]];
	uint32_t parent = weighing->state->comparison.paths[path].parent;
	struct flame_box own = {.self = 0};

	if (node->path_id == (int64_t)path + 1) {
		prove(weighing->state, box, path);
	} else if (parent == COMPARE_NONE ||
		   weighing->places[parent] != weighing->places[path]) {
		prove(weighing->state, &own, path);
		quantity_add(&box->total_error, own.total_error);
		quantity_add(&box->total_error_before, own.total_error_before);
	}
}

static void weigh_by_path(const struct weighing *weighing, size_t metric)
{
	const struct compare_state *state = weighing->state;
	const struct compare_series *series = &state->comparison.path_values;
	struct flame *flame = weighing->flame;
	bool is_any_proven = flame->metric != FLAME_TIME;

	for (uint32_t i = 0; i < series->count; i++) {
		struct flame_box *box = box_of(weighing, i);
		uint8_t presence = state->comparison.paths[i].presence;

		if (flame->metric == FLAME_TIME)
			take_proof(weighing, box, i);
		is_any_proven |= !box->is_unproven;
		if (!weighing->passes[i])
			continue;
		quantity_add(&box->self,
			     compare_side_mean(state, series, i, metric, true));
		quantity_add(&box->self_before,
			     compare_side_mean(state, series, i, metric, false));
		box->presence |= ((presence & COMPARE_BEFORE) ? FLAME_BEFORE : 0) |
				 ((presence & COMPARE_AFTER) ? FLAME_AFTER : 0);
	}
	flame->boxes[FLAME_WHOLE].is_unproven = !is_any_proven;
}

/* Live memory is kept by site. A path is on a side if it held memory there. */
static void weigh_by_site(const struct weighing *weighing, size_t metric)
{
	const struct compare_state *state = weighing->state;
	const struct compare_series *series = &state->comparison.site_values;

	for (uint32_t i = 0; i < series->count; i++) {
		uint32_t path = state->comparison.sites[i].path;
		struct flame_box *box = box_of(weighing, path);
		int64_t after = compare_side_mean(state, series, i, metric, true);
		int64_t before = compare_side_mean(state, series, i, metric, false);

		if (!weighing->passes[path])
			continue;
		quantity_add(&box->self, after);
		quantity_add(&box->self_before, before);
		box->presence |=
			(after > 0 ? FLAME_AFTER : 0) | (before > 0 ? FLAME_BEFORE : 0);
	}
}

static bool has_time(const struct compare_state *state)
{
	for (size_t i = 0; i < state->column_count; i++)
		if (compare_totals(state, RUN_SELF)[i] > 0)
			return true;
	return false;
}

static void weigh(struct compare_state *state, unsigned metric, unsigned folds)
{
	int place = quantity_place(QUANTITY_OF_COMPARED, flame_quantity(metric));
	struct calltree *tree = state->tree;
	struct weighing weighing = {
		.state = state,
		.passes = filter_paths(&state->input->filter, tree, false)};

	weighing.flame = state->doc->flame =
		flame_make(state->input, tree, metric, true, folds, &weighing.places);
	state->tree = NULL;
	if (place >= 0)
		weigh_by_path(&weighing, (size_t)place);
	else
		weigh_by_site(&weighing, metric == FLAME_LIVE
						 ? COMPARE_SITE_live_bytes
						 : COMPARE_SITE_at_peak_bytes);
}

static void put_side(struct strbuf *text, const struct compare_state *state,
		     const char *name, size_t from, size_t to)
{
	const struct compare_run *run = &state->runs[from];
	size_t columns = from ? compare_after_count(state) : state->before_columns;

	strbuf_printf(text, "%s ", name);
	if (columns < to - from)
		strbuf_printf(text, "mean of %zu job%s", columns, columns > 1 ? "s" : "");
	else if (columns > 1)
		strbuf_printf(text, "mean of %zu runs", columns);
	else
		strbuf_printf(text, "run %lld", (long long)run->run_id);
	if (run->label)
		strbuf_printf(text, " '%s'", run->label);
	strbuf_printf(text, " (%s)", rundb_path(run->db));
}

static void describe(const struct compare_state *state, struct flame *flame)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	flame_set_title(flame, "%s: after against before",
			flame->metric == FLAME_LIVE ? " at exit" : "");
	put_side(&text, state, "before:", 0, state->before_count);
	put_side(&text, state, "; after:", state->before_count, state->run_count);
	flame_set_subject(flame, strbuf_text(&text));
}

static enum exit_status fill(struct compare_state *state, unsigned folds)
{
	enum exit_status status;

	if (!compare_prepare(state))
		return STATUS_NOTHING;
	/* what prevents comparing, and what is left out */
	compare_show(state);
	status = engine_run(&report_comparable, state->input, state->doc);
	if (!status)
		status = engine_run(&report_left_out_of_paths, state->input, state->doc);
	if (status)
		return status;
	compare_fold_left_out(&state->comparison);
	weigh(state,
	      flame_metric_or(state->input, has_time(state) ? FLAME_TIME : FLAME_BYTES),
	      folds);
	describe(state, state->doc->flame);
	return STATUS_OK;
}

/* The comparison takes two sides of files: --diff is the side before. */
enum exit_status flame_build_runs(struct report_input *input, struct doc *doc,
				  unsigned folds)
{
	struct rundb *sides[] = {input->diff_db, input->db};
	bool has_other = input->diff_db != NULL;
	struct report_options options = *input->options;
	struct report_input asked = *input;
	struct compare_state state = {.input = &asked, .doc = doc};
	enum exit_status status;

	if (options.run_is_chosen && !options.after)
		options.after = xasprintf("%lld", (long long)input->run_id);
	asked.options = &options;
	asked.databases = has_other ? sides : &sides[1];
	asked.database_count = has_other ? 2 : 1;
	asked.before_databases = has_other ? 1 : 0;
	status = fill(&state, folds);
	input->error = asked.error;
	return status;
}
