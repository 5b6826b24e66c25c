/* SPDX-License-Identifier: MIT */
/*
 * Recordings in which the variants of a constructor or destructor are functions of their
 * own: A::~A [deleting] calls A::~A for the same object. In a comparison they are one
 * function, as they are in others, and its calls are objects. Must not take for a second
 * entry what may be another object: only those further down in the order of the variants.
 */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/statistics/match/match_name.h"

#include "compare.sql.h"

#include <string.h>

void compare_drop_variant(struct strbuf *name)
{
	static const char *const marks[] = {" [deleting]", " [base]"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t size = strlen(marks[i]), length = name->size;

		if (length > size &&
		    strcmp(strbuf_text(name) + length - size, marks[i]) == 0)
			strbuf_truncate(name, length - size);
	}
}

static void subtract(struct compare_state *state, size_t number, uint32_t function,
		     int metric, int64_t value)
{
	size_t column = state->runs[number].column;
	int64_t *to = &compare_values(&state->comparison.function_values, function,
				      (size_t)metric)[column];

	*to = value > 0 && value < *to ? *to - value : value > 0 ? 0 : *to;
}

static void take_edge(struct compare_state *state, size_t number, uint32_t function,
		      struct cursor *cursor)
{
	static const struct {
		int metric;
		const char *column;
	} totals[] = {{COMPARE_total_ns, "total_ns"},
		      {COMPARE_cpu_ns, "cpu_ns"},
		      {COMPARE_ready_ns, "ready_ns"},
		      {COMPARE_blocked_ns, "blocked_ns"}};

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		subtract(state, number, function, totals[i].metric,
			 cursor_integer(cursor, totals[i].column));
}

/* Whoever was seen to call another one does so each time, also where that was only
 * counted. */
static void take_calls(struct compare_state *state, size_t number, uint32_t function,
		       int64_t calls)
{
	int64_t *all = &state->totals[(size_t)RUN_CALLS * state->column_count +
				      state->runs[number].column];

	subtract(state, number, function, COMPARE_calls, calls);
	if (calls > 0 && calls <= *all)
		*all -= calls;
}

int compare_fold_variants(struct compare_state *state, size_t number)
{
	struct compare_run *run = &state->runs[number];
	struct cursor *cursor =
		report_query(compare_about(state, number), compare_sql_variants);
	int64_t last_id = 0;

	while (cursor_next(cursor) > 0) {
		int64_t caller_id = cursor_integer(cursor, "function_id");
		int64_t callee_id = cursor_integer(cursor, "callee_id");
		uint32_t function = compare_run_function(run, caller_id);

		if (function == COMPARE_NONE ||
		    function != compare_run_function(run, callee_id) ||
		    !match_calls_variant(cursor_text(cursor, "caller"),
					 cursor_text(cursor, "callee")))
			continue;
		if (!compare_is_variant_of(run, caller_id, callee_id))
			map_put(&run->variants, (uint64_t)caller_id, (uint64_t)callee_id,
				0, 1);
		take_edge(state, number, function, cursor);
		if (caller_id != last_id)
			take_calls(state, number, function,
				   cursor_integer(cursor, "calls"));
		last_id = caller_id;
	}
	return report_finish(state->input, cursor);
}
