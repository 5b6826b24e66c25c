/* SPDX-License-Identifier: MIT */
/*
 * The parts of the gate that SQL cannot express: parsing limits, checking a change
 * against one, and describing a change. ../sql/parts/gate.sql decides which checks there
 * are and what they mean together.
 */
#include "analyzer/reports/compare/show_subjects.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <string.h>

/* The metrics that a limit may name. */
static const struct {
	enum run_metric run;
	int function; /* enum compare_metric; -1: none */
	enum column_type type;
	bool is_countable;
} sources[GATE_METRIC_COUNT] = {
	[GATE_WALL] = {RUN_WALL, -1, COLUMN_NSEC, false},
	[GATE_SELF] = {RUN_SELF, COMPARE_self_ns, COLUMN_NSEC, false},
	[GATE_CPU] = {RUN_CPU, COMPARE_self_cpu_ns, COLUMN_NSEC, false},
	[GATE_TOTAL] = {RUN_SELF, COMPARE_total_ns, COLUMN_NSEC, false},
	[GATE_CALLS] = {RUN_CALLS, COMPARE_calls, COLUMN_COUNT, true},
	[GATE_ALLOC_COUNT] = {RUN_ALLOC_COUNT, COMPARE_OWN_COUNT, COLUMN_COUNT, true},
	[GATE_ALLOC_BYTES] = {RUN_ALLOC_BYTES, COMPARE_OWN_BYTES, COLUMN_BYTES, true},
	[GATE_PEAK] = {RUN_PEAK, -1, COLUMN_BYTES, true},
	[GATE_LIVE] = {RUN_LIVE, -1, COLUMN_BYTES, true},
};

void compare_find_limited(struct compare_state *state)
{
	for (size_t i = 0; i < state->gate.count; i++) {
		struct gate_limit *limit = &state->gate.limits[i];

		if (limit->function)
			limit->number = compare_find_function(state, limit);
	}
}

/* One more row behind the limits: the checks of --fail-on. */
static size_t count_limits(void *context)
{
	const struct compare_state *state = context;

	return state->gate.count +
	       (state->gate.on_regression || state->gate.on_inconclusive);
}

/* clang-format off */
#define LIMIT_COLUMNS(X)                                                                 \
	X(text) X(metric) X(function) X(is_time) X(on_regression) X(on_inconclusive)
/* clang-format on */
#define AS_LIMIT(name) AT_##name,
enum { LIMIT_COLUMNS(AS_LIMIT) LIMIT_COLUMN_COUNT };
#define AS_NAME(name) #name,
static const char *const limit_columns[] = {LIMIT_COLUMNS(AS_NAME)};

static struct cell limit_cell(void *context, size_t row, size_t column)
{
	const struct gate *gate = &((const struct compare_state *)context)->gate;
	const struct gate_limit *limit = &gate->limits[row];

	if (column == AT_on_regression)
		return cell_integer(gate->on_regression);
	if (column == AT_on_inconclusive)
		return cell_integer(gate->on_inconclusive);
	if (row == gate->count)
		return compare_nothing;
	switch (column) {
	case AT_text:
		return compare_text_cell(limit->text);
	case AT_metric:
		return compare_text_cell(gate_metric_name(limit->metric));
	case AT_function:
		return limit->function ? cell_integer(limit->number) : compare_nothing;
	default:
		return cell_integer(sources[limit->metric].type == COLUMN_NSEC);
	}
}

static struct change change_of_function(const struct compare_state *state,
					uint32_t number, enum gate_metric metric)
{
	const struct compare_series *series = &state->comparison.function_values;
	int of = sources[metric].function;

	if (sources[metric].type == COLUMN_NSEC)
		return compare_times(state, series, number, (enum compare_metric)of);
	return change_of(compare_values(series, number, (size_t)of),
			 state->before_columns, compare_after_count(state),
			 sources[metric].is_countable);
}

static enum gate_result result_of(const struct change *change)
{
	if (change->outcome == OUTCOME_REGRESSED)
		return GATE_EXCEEDED;
	if (change->outcome == OUTCOME_OPEN || !gate_can_judge(change))
		return GATE_NOT_MEASURED;
	if (change->is_blurred)
		return GATE_BLURRED;
	return change->outcome == OUTCOME_INCONCLUSIVE ? GATE_INCONCLUSIVE : GATE_KEPT;
}

/* "250ms to 1.21s, +384.0%", and the range if there is one. */
static void describe(struct strbuf *text, const struct change *change,
		     enum column_type type)
{
	compare_put_amount(text, change->before, change->before_error, type);
	strbuf_puts(text, " to ");
	compare_put_amount(text, change->after, change->after_error, type);
	if (change->before > 0 && change->after >= 10 * change->before)
		strbuf_printf(text, ", x%.0f", change->after / change->before);
	else if (change->before > 0)
		strbuf_printf(text, ", %+.1f%%",
			      compare_in_percent(change->after / change->before));
	if (change->is_tested)
		strbuf_printf(text, " (%+.1f to %+.1f%%)",
			      compare_in_percent(change->ratio.low),
			      compare_in_percent(change->ratio.high));
}

/* held(WHAT, LIMIT, TOTAL, FUNCTION): the result of a check ('result') or its change in
 * words. The check is a row of limits, or else a total, or else a function's verdict. */
static struct cell held(void *context, const struct cell *values)
{
	struct compare_state *state = context;
	bool has_limit = values[1].kind == CELL_INTEGER,
	     has_total = values[2].kind == CELL_INTEGER;
	size_t row = (size_t)cell_whole(&values[has_limit ? 1 : 2]) - 1;
	uint32_t function = (uint32_t)cell_whole(&values[3]);
	const struct gate_limit *limit = has_limit ? &state->gate.limits[row] : NULL;
	enum column_type type = has_limit   ? sources[limit->metric].type
				: has_total ? compare_total_type((enum run_metric)row)
					    : COLUMN_NSEC;
	struct change change;

	if (limit && limit->function)
		change = change_of_function(state, limit->number, limit->metric);
	else if (limit)
		change = state->run_changes[sources[limit->metric].run];
	else if (has_total)
		change = state->run_changes[row];
	else
		change = *compare_main(state,
				       &state->shown[COMPARE_FUNCTIONS].judged[function]);
	if (strcmp(values[0].text, "result") == 0)
		return compare_text_cell(gate_result_word(
			limit ? gate_check(limit, &change) : result_of(&change)));
	strbuf_reset(&state->text);
	describe(&state->text, &change, type);
	return compare_text_cell(strbuf_text(&state->text));
}

void compare_show_gate(struct compare_state *state)
{
	struct rundb *db = state->input->db;

	rundb_show_rows(db, "compared_limits",
			&(struct rundb_rows){limit_columns, LIMIT_COLUMN_COUNT,
					     count_limits, limit_cell},
			state);
	rundb_function(db, "held", 4, held, state);
}

SECTION_CODE(gate)
{
	(void)doc;
	ask->status = (enum exit_status)cell_whole(table_row(rows, 0));
}
