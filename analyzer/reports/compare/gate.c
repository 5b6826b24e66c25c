/* SPDX-License-Identifier: MIT */
/*
 * The gate: every check that --gate and --fail-on ask for, what came of it, and the
 * exit status. Must not pass for what was not measured.
 *
 * Status 3: some check failed. 4: none failed, but one could not be made. 0: all held;
 * so a gate that measured nothing never passes.
 */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <string.h>

static const struct column columns[] = {
	{"check", "check", COLUMN_TEXT, COLUMN_KEEP},
	{"result", "result", COLUMN_TEXT, COLUMN_KEEP},
	{"failed", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"message", "because", COLUMN_TEXT, COLUMN_KEEP},
};

struct checking {
	struct compare_state *state;
	const char *all, *times; /* what keeps them from being compared, or NULL */
	struct table *table;
	size_t failed, not_made, inconclusive;
	bool wants_runs; /* a check was not made for too few runs */
	bool is_blurred; /* or for what the hooks took */
};

/* Quantities of a limit. */
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

/* "250ms to 1.21s, +384.0%" and the interval, when there is one. */
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
			      100 * (change->after / change->before - 1));
	if (change->is_tested)
		strbuf_printf(text, " (%+.1f to %+.1f%%)", 100 * (change->ratio.low - 1),
			      100 * (change->ratio.high - 1));
}

static void add_check(struct checking *checking, const char *check,
		      enum gate_result result, const char *message)
{
	struct cell *row = table_add_row(checking->table);

	row[0] = table_text(checking->table, check);
	row[1] = table_text(checking->table, gate_result_word(result));
	row[2] = cell_integer(result == GATE_EXCEEDED);
	row[3] = table_text(checking->table, message);
	checking->failed += result == GATE_EXCEEDED;
	checking->inconclusive += result == GATE_INCONCLUSIVE;
	checking->not_made += result == GATE_NOT_MEASURED ||
			      result == GATE_NOT_COMPARABLE || result == GATE_BLURRED;
}

static void add_result(struct checking *checking, const char *check,
		       enum gate_result result, const struct change *change,
		       enum column_type type)
{
	const char *why = checking->all		? checking->all
			  : type == COLUMN_NSEC ? checking->times
						: NULL;
	struct strbuf message = {0};

	if (result == GATE_NOT_MEASURED && !why) {
		checking->wants_runs = true;
		strbuf_puts(&message,
			    "cannot be judged, four runs a side are the least: ");
	}
	describe(&message, change, type);
	if (result == GATE_BLURRED && !why) {
		checking->is_blurred = true;
		strbuf_puts(&message, ": what the hooks took is not known so well");
	}
	if (why) {
		result = GATE_NOT_COMPARABLE;
		strbuf_printf(&message, " (%s)", why);
	}
	add_check(checking, check, result, strbuf_text(&message));
	strbuf_free(&message);
}

/* Nothing at all on either side is nothing measured. */
static bool is_measured(const struct compare_state *state)
{
	bool before = false, after = false;

	for (size_t i = 0; i < state->column_count; i++) {
		bool any = compare_totals(state, RUN_CALLS)[i] ||
			   compare_totals(state, RUN_SELF)[i] ||
			   compare_totals(state, RUN_ALLOC_COUNT)[i];

		before |= any && i < state->before_columns;
		after |= any && i >= state->before_columns;
	}
	return before && after;
}

/* Adds what stands in the way; false: nothing does. */
static bool lacks_cpu(struct checking *checking, const struct gate_limit *limit)
{
	if (limit->metric != GATE_CPU || compare_has_cpu(checking->state))
		return false;
	add_check(checking, limit->text, GATE_NOT_MEASURED,
		  "CPU time was not told from waits in each recording");
	return true;
}

static void check_run(struct checking *checking, const struct gate_limit *limit)
{
	struct compare_state *state = checking->state;
	const struct change *change = &state->run_changes[sources[limit->metric].run];
	enum gate_result result = gate_check(limit, change);
	bool needs_calls = limit->metric == GATE_SELF || limit->metric == GATE_CPU ||
			   limit->metric == GATE_CALLS;

	if (lacks_cpu(checking, limit))
		return;
	if (needs_calls && !(state->run_changes[RUN_CALLS].before > 0))
		add_check(checking, limit->text, GATE_NOT_MEASURED,
			  "no call was counted before");
	else if (limit->metric == GATE_WALL && !(change->before > 0 && change->after > 0))
		add_check(checking, limit->text, GATE_NOT_MEASURED,
			  "the wall time of a run is not known");
	else
		add_result(checking, limit->text, result, change,
			   sources[limit->metric].type);
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

static enum exit_status check_function(struct checking *checking,
				       const struct gate_limit *limit)
{
	struct compare_state *state = checking->state;
	const struct comparison *comparison = &state->comparison;
	const struct compare_function *found;
	enum exit_status status = compare_find_function(state, limit, &found);
	struct change change;

	if (status)
		return status;
	if (found->presence != COMPARE_BOTH) {
		add_check(checking, limit->text, GATE_NOT_MEASURED,
			  found->presence == COMPARE_BEFORE
				  ? "no run after has the function"
				  : "no run before has the function");
		return STATUS_OK;
	}
	if (sources[limit->metric].type == COLUMN_NSEC &&
	    !compare_is_judged(state, (uint32_t)(found - comparison->functions))) {
		add_check(checking, limit->text, GATE_NOT_COMPARABLE,
			  state->has_levels
				  ? "level_differs"
				  : "on one side it was timed call by call, on the other "
				    "its time is an estimate");
		return STATUS_OK;
	}
	if (lacks_cpu(checking, limit))
		return STATUS_OK;
	change = change_of_function(state, (uint32_t)(found - comparison->functions),
				    limit->metric);
	add_result(checking, limit->text, gate_check(limit, &change), &change,
		   sources[limit->metric].type);
	return STATUS_OK;
}

static bool is_limited(const struct gate *gate, enum gate_metric metric)
{
	for (size_t i = 0; i < gate->count; i++)
		if (!gate->limits[i].function && gate->limits[i].metric == metric)
			return true;
	return false;
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

/* --fail-on: every total that has no limit of its own. More calls alone are no
 * regression. */
static void check_totals(struct checking *checking)
{
	struct compare_state *state = checking->state;

	for (int i = 0; i < GATE_METRIC_COUNT; i++) {
		const struct change *change = &state->run_changes[sources[i].run];
		struct strbuf check = {0};

		if (i == GATE_TOTAL || i == GATE_CALLS || is_limited(&state->gate, i))
			continue;
		if ((i == GATE_SELF || i == GATE_CPU) && !(change->before > 0))
			continue;
		if (i == GATE_CPU && !compare_has_cpu(state))
			continue;
		strbuf_printf(&check, "%s (regression)", gate_metric_name(i));
		add_result(checking, strbuf_text(&check), result_of(change), change,
			   sources[i].type);
		strbuf_free(&check);
	}
}

/* --fail-on: functions that became slower for sure, and matter. */
static void check_functions(struct checking *checking)
{
	struct compare_state *state = checking->state;
	const struct comparison *comparison = &state->comparison;
	bool is_cpu = compare_has_cpu(state);
	double least = COMPARE_LEAST_SHARE *
		       state->run_changes[is_cpu ? RUN_CPU : RUN_SELF].before;

	for (size_t i = 0; i < comparison->function_values.count; i++) {
		const struct change *change =
			compare_main(state, &state->shown[COMPARE_FUNCTIONS].judged[i]);
		struct strbuf check = {0};

		if (change->outcome != OUTCOME_REGRESSED ||
		    change->after - change->before < least)
			continue;
		strbuf_printf(&check, "func:%s.%s (regression)",
			      comparison->functions[i].name, is_cpu ? "cpu" : "self");
		add_result(checking, strbuf_text(&check), GATE_EXCEEDED, change,
			   COLUMN_NSEC);
		strbuf_free(&check);
	}
}

static enum exit_status make_checks(struct checking *checking)
{
	const struct gate *gate = &checking->state->gate;
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < gate->count && status == STATUS_OK; i++)
		if (gate->limits[i].function)
			status = check_function(checking, &gate->limits[i]);
		else
			check_run(checking, &gate->limits[i]);
	if (status || !(gate->on_regression || gate->on_inconclusive))
		return status;
	check_totals(checking);
	if (gate->on_regression)
		check_functions(checking);
	return STATUS_OK;
}

static enum exit_status conclude(const struct checking *checking)
{
	const struct gate *gate = &checking->state->gate;

	if (!is_measured(checking->state))
		return STATUS_NOTHING;
	if (checking->failed || (gate->on_inconclusive && checking->inconclusive))
		return STATUS_REGRESSION;
	if (checking->not_made || checking->table->row_count == 0)
		return STATUS_NOTHING;
	return STATUS_OK;
}

static void add_conclusion(struct compare_state *state, const struct checking *checking,
			   enum exit_status status)
{
	struct strbuf text = {0};
	size_t count = checking->table->row_count;

	strbuf_puts(&text, status == STATUS_OK	      ? "gate: passed: "
			   : status == STATUS_NOTHING ? "gate: cannot be judged: "
						      : "gate: failed: ");
	if (!is_measured(state))
		strbuf_puts(&text, "nothing was measured on a side; ");
	units_counted(&text, (int64_t)count, "check");
	strbuf_printf(&text, ", %zu failed, %zu inconclusive, %zu not made",
		      checking->failed, checking->inconclusive, checking->not_made);
	doc_note(state->doc, "gate_conclusion",
		 status == STATUS_OK ? NOTE_GOOD : NOTE_WARNING, strbuf_text(&text),
		 status != STATUS_NOTHING ? NULL
		 : checking->wants_runs	  ? compare_advise_runs(state)
		 : checking->is_blurred	  ? compare_advise_budget(state)
					  : NULL);
	strbuf_free(&text);
}

static const char *text_of(const struct table *rows, size_t column)
{
	const struct cell *cell = table_row(rows, 0) + column;

	return cell->kind == CELL_TEXT ? cell->text : NULL;
}

static enum exit_status say_nothing(struct doc *doc)
{
	doc_note(
		doc, "nothing_measured", NOTE_WARNING,
		"Nothing was measured on at least one side: no instrumented function was "
		"called and no allocation was seen.",
		"'prof-analyze doctor' tells what is known about why.");
	return STATUS_NOTHING;
}

SECTION_CODE(gate)
{
	struct compare_state *state = ask->input->compared;
	struct checking checking = {
		.state = state, .all = text_of(rows, 0), .times = text_of(rows, 1)};
	enum exit_status status;

	if (!gate_is_set(&state->gate))
		return is_measured(state) ? STATUS_OK : say_nothing(doc);
	checking.table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	status = make_checks(&checking);
	if (status) {
		table_free(checking.table);
		return status;
	}
	status = conclude(&checking);
	add_conclusion(state, &checking, status);
	doc_table(doc, "gate", NULL, checking.table)->flags = SECTION_CHECKS;
	return status;
}
