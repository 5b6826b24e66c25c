/* SPDX-License-Identifier: MIT */
/*
 * Reads the chosen runs into the comparison: their totals and functions. Must not query
 * by row.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/trust.h"
#include "analyzer/statistics/match.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/rundb/hooks.h"

#include "compare.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks run side by side: a job takes as long as its longest rank; all other metrics add
 * up. Wraps on overflow: damaged files must not stop the program. to: totals, errors or
 * hooks of the state. */
static void add_to(const struct compare_state *state, int64_t *to, enum run_metric metric,
		   size_t column, double value)
{
	bool is_longest =
		metric == RUN_WALL || metric == RUN_RAW_WALL || metric == RUN_HOOKS;
	int64_t whole = whole_number(value);

	to += (size_t)metric * state->column_count + column;
	if (!is_longest)
		quantity_add(to, whole);
	else if (whole > *to)
		*to = whole;
}

/* The hooks' part of the wall time, and the wall time without it. error_ns: of the roots'
 * totals; cpu_ns: of the threads. */
static void load_hooks(struct compare_state *state, struct compare_run *run,
		       double error_ns, double cpu_ns)
{
	struct hooks_cost on_wall, all;
	struct hooks hooks;

	hooks_load(run->db, run->run_id, &hooks);
	run->hook_cost_ns = hooks.pair.ns;
	run->hook_cost_error_ns = hooks.pair.error_ns;
	on_wall = hooks_on_wall(&hooks, run->wall_ns);
	run->has_budget = hooks.has_budget;
	run->waits = hooks_waits(&hooks, run->wall_ns);
	add_to(state, state->errors, RUN_SELF, run->column,
	       hypot(error_ns, run->waits * hooks_total(&hooks).ns));
	all = hooks_total(&hooks);
	add_to(state, state->hooks, RUN_SELF, run->column, all.ns);
	add_to(state, state->hooks, RUN_CPU, run->column, all.ns);
	add_to(state, state->hooks, RUN_WALL, run->column, on_wall.ns);
	add_to(state, state->hooks, RUN_HOOKS, run->column, on_wall.ns);
	add_to(state, state->totals, RUN_CPU, run->column, fmax(0, cpu_ns - all.ns));
	add_to(state, state->errors, RUN_CPU, run->column, all.error_ns);
	run->is_split &= cpu_ns > 0;
	on_wall.ns = fmin(on_wall.ns, run->wall_ns);
	add_to(state, state->totals, RUN_HOOKS, run->column, on_wall.ns);
	add_to(state, state->totals, RUN_WALL, run->column, run->wall_ns - on_wall.ns);
	add_to(state, state->errors, RUN_HOOKS, run->column, on_wall.error_ns);
	add_to(state, state->errors, RUN_WALL, run->column, on_wall.error_ns);
}

static void load_facts(struct compare_state *state, size_t number)
{
	struct compare_run *run = &state->runs[number];
	static const struct {
		const char *column;
		enum run_metric metric;
	} totals[] = {
		{"wall_ns", RUN_RAW_WALL},	  {"peak_bytes", RUN_PEAK},
		{"live_bytes_at_exit", RUN_LIVE}, {"alloc_count", RUN_ALLOC_COUNT},
		{"alloc_bytes", RUN_ALLOC_BYTES},
	};
	double error_ns = 0, cpu_ns = 0;
	auto_cursor struct cursor *cursor =
		report_query(compare_about(state, number), compare_sql_facts);

	if (cursor_next(cursor)) {
		error_ns = cursor_real(cursor, "total_error_ns");
		cpu_ns = cursor_real(cursor, "cpu_ns");
		state->has_threads |= cursor_integer(cursor, "has_threads") != 0;
		run->is_split = cursor_integer(cursor, "is_split") != 0;
		run->is_unasked = cursor_integer(cursor, "is_unasked") != 0;
		run->label = report_text(state->doc, cursor, "label");
		run->command = report_text(state->doc, cursor, "command");
		run->level = report_text(state->doc, cursor, "level");
		run->cpu_count = cursor_integer(cursor, "cpu_count");
		run->cpu_model = report_text(state->doc, cursor, "cpu_model");
		run->kernel = report_text(state->doc, cursor, "kernel");
		run->clock = report_text(state->doc, cursor, "clock");
		run->shim_version = report_text(state->doc, cursor, "shim_version");
		run->complete = cursor_integer(cursor, "complete") != 0;
		run->host = report_text(state->doc, cursor, "host");
		run->rank_count = cursor_integer(cursor, "rank_count");
		run->wall_ns = cursor_real(cursor, "wall_ns");
		for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
			add_to(state, state->totals, totals[i].metric, run->column,
			       cursor_integer(cursor, totals[i].column));
	}
	load_hooks(state, run, error_ns, cpu_ns);
}

bool compare_has_cpu(const struct compare_state *state)
{
	for (size_t i = 0; i < state->run_count; i++)
		if (!state->runs[i].is_split)
			return false;
	return true;
}

static void load_losses(struct compare_state *state, size_t number)
{
	ended_by(strbuf_free) struct strbuf losses = {0};
	auto_cursor struct cursor *cursor =
		report_query(compare_about(state, number), compare_sql_losses);

	while (cursor_next(cursor)) {
		const char *name = cursor_text(cursor, "name");
		const struct trust_counter *counter =
			name ? trust_counter_find(name) : NULL;

		if (!counter || counter->weight != TRUST_LOST)
			continue;
		strbuf_puts(&losses, losses.size ? ", " : "");
		units_count(&losses, cursor_integer(cursor, "lost"));
		strbuf_putc(&losses, ' ');
		utf8_clean(&losses, name);
	}
	if (losses.size)
		state->runs[number].losses = doc_copy(state->doc, strbuf_text(&losses));
}

static void add_function(struct compare_state *state, size_t number,
			 struct cursor *cursor)
{
	const char *module = cursor_text(cursor, "module");
	const char *name = cursor_text(cursor, "name");
	struct compare_run *run = &state->runs[number];
	size_t column = run->column;
	ended_by(strbuf_free) struct strbuf base = {0}, clean = {0};
	struct compare_function_row row = {
		.full_name = cursor_text(cursor, "full_name"),
		.linkage_name = cursor_text(cursor, "linkage_name"),
		.build_id = cursor_text(cursor, "build_id"),
		.file = cursor_text(cursor, "file"),
		.line = (uint32_t)cursor_integer(cursor, "line"),
		.is_hooked = cursor_integer(cursor, "is_hooked") != 0,
		.is_estimated = cursor_integer(cursor, "is_estimated") != 0,
		.is_holder = cursor_integer(cursor, "is_holder") != 0,
	};

	utf8_clean(&clean, name ? name : "?");
	compare_add_base(&base, module);
	row.name = strbuf_text(&clean);
	row.module = strbuf_text(&base);
	row.is_library = cursor_integer(cursor, "is_library") != 0;
	row.component = cursor_text(cursor, "component");
	cursor_quantities(cursor, QUANTITY_OF_COMPARED, row.values);
	compare_add_waits(&state->runs[number], cursor_real(cursor, "raw_self_ns"),
			  cursor_real(cursor, "raw_total_ns"), row.values);
	compare_add_hooks(&state->runs[number], cursor_real(cursor, "raw_self_ns"),
			  row.is_estimated, row.values);
	state->has_estimates |= row.is_estimated;
	/* Before compare_add_function(): texts are only valid until the next step. */
	ARRAY_ADD(run->functions, run->function_count) = (struct compare_run_function){
		cursor_integer(cursor, "function_id"),
		compare_add_function(&state->comparison, column, &row)};
	add_to(state, state->totals, RUN_SELF, column, row.values[COMPARE_self_ns]);
	add_to(state, state->totals, RUN_CALLS, column, row.values[COMPARE_calls]);
}

static void load_functions(struct compare_state *state, size_t number)
{
	auto_cursor struct cursor *cursor =
		report_query(compare_about(state, number), compare_sql_functions);

	while (cursor_next(cursor))
		add_function(state, number, cursor);
}

void compare_load(struct compare_state *state)
{
	size_t totals = RUN_METRIC_COUNT * state->column_count;

	compare_init(&state->comparison, state->before_columns,
		     compare_after_count(state));
	state->totals = xcalloc(totals, sizeof(int64_t));
	state->errors = xcalloc(totals, sizeof(int64_t));
	state->hooks = xcalloc(totals, sizeof(int64_t));
	for (size_t i = 0; i < state->run_count; i++) {
		load_facts(state, i);
		load_losses(state, i);
		load_functions(state, i);
	}
	match_functions(&state->comparison);
	compare_rename(state);
	for (size_t i = 0; i < state->run_count; i++)
		compare_load_paths(state, i);
	compare_sum_owned(&state->comparison);
	match_sites(&state->comparison);
	state->tree = compare_tree(state);
}
