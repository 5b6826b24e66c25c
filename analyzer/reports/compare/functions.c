/* SPDX-License-Identifier: MIT */
/*
 * The functions of a comparison, those with the largest share in the difference first.
 * Must not leave out what is new or gone.
 */
#include "analyzer/reports/compare/rows.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_ROWS 15

static const struct column function_columns[] = {
	{"cpu_difference", "CPU +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"self_difference", "self +-", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"self_difference_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"self_difference_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"before_self_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"before_self_cpu_ns", "before", COLUMN_NSEC, COLUMN_KEEP},
	{"after_self_cpu_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"by_calls", "by calls", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"by_cost", "by cost", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"by_calls_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"by_cost_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	COMPARE_EFFECT_COLUMNS,
	COMPARE_MOVED_COLUMNS,
	{"before_total_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"after_total_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"before_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"after_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"allocs", "allocs", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	COMPARE_ALLOC_COLUMNS,
	{"before_own_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"after_own_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"before_own_alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"after_own_alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	TABLE_OTHERS,
	COMPARE_MATCH_COLUMNS,
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"before_name", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"file", "where", COLUMN_LOCATION, COLUMN_MACHINE},
	{"linkage_name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"timed_alike", NULL, COLUMN_FLAG, COLUMN_MACHINE},
};

/* Of a difference between a time that was measured and one that was estimated the errors
 * do not tell enough. */
static void blur(const struct compare_state *state, struct table *table, size_t row,
		 uint32_t number)
{
	static const enum compare_metric times[] = {COMPARE_self_ns, COMPARE_self_cpu_ns};
	static const char *const names[] = {"self_difference", "cpu_difference"};

	for (size_t i = 0; i < 2; i++) {
		struct change change = compare_means(
			state, &state->comparison.function_values, number, times[i]);
		double difference = change.after - change.before;

		*table_cell(table, row, names[i]) = compare_difference(
			table, difference, fabs(difference) + change_error(&change),
			COLUMN_NSEC);
	}
}

static void add_function(const struct compare_state *state, struct table *table,
			 uint32_t number)
{
	const struct comparison *comparison = &state->comparison;
	const struct compare_series *series = &comparison->function_values;
	const struct compare_function *function = &comparison->functions[number];
	size_t row = table->row_count;
	struct change self, calls, allocs, time;
	struct change_split split;
	struct cell *cell;

	table_add_row(table);
	compare_put_quantities(state, table, row, series, number);
	if (!compare_is_judged(state, number))
		blur(state, table, row, number);
	self = compare_means(state, series, number, COMPARE_self_ns);
	calls = compare_means(state, series, number, COMPARE_calls);
	allocs = compare_put_means(state, table, row, series, number, COMPARE_OWN_COUNT,
				   "before_own_alloc_count", "after_own_alloc_count");
	compare_put_means(state, table, row, series, number, COMPARE_OWN_BYTES,
			  "before_own_alloc_bytes", "after_own_alloc_bytes");
	time = compare_means(state, series, number, compare_main_metric(state));
	split = change_split(calls.before, time.before, calls.after, time.after);
	*table_cell(table, row, "self_difference_ns") =
		cell_real(self.after - self.before);
	*table_cell(table, row, "self_difference_error_ns") =
		cell_real(change_error(&self));
	/* Of a difference that is none there are no parts. */
	if (compare_is_judged(state, number) &&
	    (time.before == time.after || compare_known_difference(&time) != 0)) {
		*table_cell(table, row, "by_calls") =
			compare_difference(table, split.by_calls, 0, COLUMN_NSEC);
		*table_cell(table, row, "by_cost") =
			compare_difference(table, split.by_cost, 0, COLUMN_NSEC);
	}
	*table_cell(table, row, "by_calls_ns") = cell_real(split.by_calls);
	*table_cell(table, row, "by_cost_ns") = cell_real(split.by_cost);
	*table_cell(table, row, "allocs") =
		compare_difference(table, allocs.after - allocs.before, 0, COLUMN_COUNT);
	compare_put_judged(state, table, row, &state->functions[number]);
	compare_put_match(table, row, function->presence, function->is_renamed);
	*table_cell(table, row, "name") = table_text(table, function->name);
	if (function->name_before)
		*table_cell(table, row, "before_name") =
			table_text(table, function->name_before);
	cell = table_cell(table, row, "file");
	*cell = table_text(table, function->file);
	cell->line = function->presence & COMPARE_AFTER ? function->line_after
							: function->line_before;
	*table_cell(table, row, "linkage_name") =
		table_text(table, function->linkage_name);
	*table_cell(table, row, "timed_alike") =
		cell_integer(compare_is_judged(state, number));
}

/* Those that pass, what changed most first. Returns how many. */
static size_t rank_functions(const struct compare_state *state,
			     struct compare_ranked *ranked)
{
	const struct comparison *comparison = &state->comparison;
	const struct compare_series *series = &comparison->function_values;
	size_t count = 0;

	for (uint32_t i = 0; i < series->count; i++)
		if (comparison->functions[i].presence && !compare_is_zero(series, i) &&
		    compare_passes(state, i))
			ranked[count++] =
				compare_rank(state, series, i, &state->functions[i]);
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_largest_first);
	return count;
}

/* What there is no room or no data for. */
static void show_functions(const struct compare_state *state, struct table *table)
{
	static const char *const of_pairs[] = {"by_calls", "by_cost"};

	if (compare_is_pair(state)) {
		table_show(table, compare_has_cpu(state) ? "before_self_cpu_ns name"
							 : "before_self_ns name");
		compare_hide(table, "effect");
	} else {
		table_show(table, "verdict name");
	}
	for (size_t i = 0; i < 2; i++)
		if (!compare_is_pair(state))
			compare_hide(table, of_pairs[i]);
	compare_hide_empty(table, "match");
	compare_hide_zeros(table);
	compare_show_times(state, table);
}

static bool may_judge(const struct compare_state *state, uint32_t function)
{
	return state->comparison.functions[function].presence == COMPARE_BOTH &&
	       compare_is_judged(state, function);
}

/* How many functions of both sides have no verdict for how they were recorded. */
static void note_estimated(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	const char *example = NULL;
	struct strbuf text = {0};
	int64_t count = 0;

	for (size_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];

		if (function->presence != COMPARE_BOTH || compare_is_alike(function))
			continue;
		example = count++ ? example : function->name;
	}
	if (!count || state->not_comparable.parts)
		return;
	strbuf_puts(&text, "The times of ");
	units_counted(&text, count, "function");
	strbuf_printf(
		&text,
		" (such as '%s') are not judged: on one side they, or what they call, "
		"were timed call by call, on the other they are estimates.",
		example);
	doc_note(state->doc, "timed_otherwise", NOTE_PLAIN, strbuf_text(&text),
		 "Record both sides with the same level to have them judged.");
	strbuf_free(&text);
}

void compare_add_functions(struct compare_state *state)
{
	const struct compare_series *series = &state->comparison.function_values;
	struct compare_ranked *ranked =
		xreallocarray(NULL, series->count + 1, sizeof(*ranked));
	struct table *table = compare_new_table(
		function_columns, sizeof(function_columns) / sizeof(function_columns[0]));
	size_t limit = report_limit(state->input, FUNCTION_ROWS), count, shown;
	struct section *section;

	state->functions = compare_judge(state, series, may_judge);
	count = rank_functions(state, ranked);
	shown = compare_to_show(state, ranked, count, limit);
	for (size_t i = 0; i < shown; i++)
		add_function(state, table, ranked[i].number);
	show_functions(state, table);
	section = compare_add_table(state, "functions", "Functions", table);
	section->flags |= SECTION_MAIN;
	compare_put_footer(state, section, ranked, shown, count, "changed function",
			   compare_explained(state, series, ranked, count, shown,
					     compare_main_metric(state)),
			   compare_has_cpu(state) ? "CPU time" : "self time");
	note_estimated(state);
	compare_note_unattributed(state);
	free(ranked);
}
