/* SPDX-License-Identifier: MIT */
/*
 * The boxes of two sides, of one run or several (their mean) each. Must not find
 * partners of functions by itself: that is the comparison's.
 */
#include "analyzer/reports/flame/parts.h"

#include "analyzer/reports/compare/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The mean of a metric over the runs of a side. */
static int64_t mean(const struct compare_state *state,
		    const struct compare_series *series, uint32_t subject, size_t metric,
		    bool is_after)
{
	const int64_t *values = compare_values(series, subject, metric);
	size_t from = is_after ? state->before_columns : 0;
	size_t to = is_after ? state->column_count : state->before_columns;
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (double)values[i];
	return llround(sum / (double)(to - from));
}

static void add_frames(const struct compare_state *state, struct flame *flame)
{
	const struct comparison *comparison = &state->comparison;

	for (size_t i = 0; i < comparison->path_values.count; i++) {
		const struct compare_path *path = &comparison->paths[i];
		const struct compare_function *function =
			&comparison->functions[path->function];
		struct flame_box *box = flame_add(
			flame,
			path->parent == COMPARE_NONE ? FLAME_WHOLE : path->parent + 1,
			flame_copy(flame, function->name));

		box->function = path->function;
		box->is_library = function->is_library && !function->is_libc;
		box->is_libc = function->is_libc;
		box->is_unwound = !function->hooked;
		box->file = function->file ? flame_copy(flame, function->file) : NULL;
		box->line = function->line_after ? function->line_after
						 : function->line_before;
		box->presence = ((path->presence & COMPARE_BEFORE) ? FLAME_BEFORE : 0) |
				((path->presence & COMPARE_AFTER) ? FLAME_AFTER : 0);
	}
}

/* What the runs tell of the change. Fewer than it takes to judge tell nothing: then none
 * is proven. */
static void prove(const struct compare_state *state, struct flame_box *box, uint32_t path)
{
	struct change total = compare_times(state, &state->comparison.path_values, path,
					    COMPARE_total_ns);

	box->is_unproven =
		total.outcome != OUTCOME_IMPROVED && total.outcome != OUTCOME_REGRESSED;
	box->has_interval = total.is_tested;
	box->least_change = whole_number(total.shift.low);
	box->most_change = whole_number(total.shift.high);
	box->total_error = llround(total.after_error);
	box->total_error_before = llround(total.before_error);
}

static void weigh_by_path(const struct compare_state *state, struct flame *flame,
			  size_t metric)
{
	const struct compare_series *series = &state->comparison.path_values;
	bool is_any_proven = flame->metric != FLAME_TIME;

	for (uint32_t i = 0; i < series->count; i++) {
		struct flame_box *box = &flame->boxes[i + 1];

		box->self = mean(state, series, i, metric, true);
		box->self_before = mean(state, series, i, metric, false);
		if (flame->metric == FLAME_TIME)
			prove(state, box, i);
		is_any_proven |= !box->is_unproven;
	}
	flame->boxes[FLAME_WHOLE].is_unproven = !is_any_proven;
}

/* What was live is kept by site. A path is on a side when it held something there. */
static void weigh_by_site(const struct compare_state *state, struct flame *flame,
			  size_t metric)
{
	const struct compare_series *series = &state->comparison.site_values;

	for (size_t i = 1; i < flame->count; i++)
		flame->boxes[i].presence = 0;
	for (uint32_t i = 0; i < series->count; i++) {
		struct flame_box *box =
			&flame->boxes[state->comparison.sites[i].path + 1];
		int64_t after = mean(state, series, i, metric, true);
		int64_t before = mean(state, series, i, metric, false);

		__builtin_add_overflow(box->self, after, &box->self);
		__builtin_add_overflow(box->self_before, before, &box->self_before);
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

static void weigh(const struct compare_state *state, struct flame *flame)
{
	int place = quantity_place(QUANTITY_OF_COMPARED, flame_quantity(flame->metric));

	if (place >= 0)
		weigh_by_path(state, flame, (size_t)place);
	else
		weigh_by_site(state, flame,
			      flame->metric == FLAME_LIVE ? COMPARE_SITE_live_bytes
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
	struct strbuf text = {0};

	flame_set_title(flame, "%s: after against before",
			flame->metric == FLAME_LIVE ? " at exit" : "");
	put_side(&text, state, "before:", 0, state->before_count);
	put_side(&text, state, "; after:", state->before_count, state->run_count);
	flame_set_subject(flame, strbuf_text(&text));
	strbuf_free(&text);
}

static enum exit_status fill(struct compare_state *state)
{
	enum exit_status status = compare_choose(state);
	struct flame *flame;

	if (status == STATUS_OK)
		status = compare_load(state);
	if (status)
		return status;
	compare_check(state);
	compare_note_left_out(state);
	compare_fold_left_out(&state->comparison);
	flame = flame_new(
		flame_metric_or(state->input, has_time(state) ? FLAME_TIME : FLAME_BYTES),
		true);
	state->doc->flame = flame;
	add_frames(state, flame);
	weigh(state, flame);
	describe(state, flame);
	return STATUS_OK;
}

/* The comparison takes files side by side: the other one is before. */
enum exit_status flame_build_runs(struct report_input *input, struct doc *doc)
{
	struct rundb *sides[] = {input->diff_db, input->db};
	bool has_other = input->diff_db != NULL;
	struct report_options options = *input->options;
	struct report_input asked = *input;
	struct compare_state state = {.input = &asked, .doc = doc};
	char number[24];
	enum exit_status status;

	snprintf(number, sizeof(number), "%lld", (long long)input->run_id);
	if (options.run_is_chosen && !options.after)
		options.after = number;
	asked.options = &options;
	asked.databases = has_other ? sides : &sides[1];
	asked.database_count = has_other ? 2 : 1;
	asked.before_databases = has_other ? 1 : 0;
	status = fill(&state);
	input->error = asked.error;
	compare_free_state(&state);
	return status;
}
