/* SPDX-License-Identifier: MIT */
/*
 * A comparison as tables of SQL: compared_runs, compared_totals, and of functions, paths,
 * sites and components a row each with what both sides have. Must not say anything.
 */
#include "analyzer/reports/compare/show_subjects.h"

#include "analyzer/reports/engine/columns.h"

#include <stdlib.h>
#include <string.h>

/* Columns: their numbers, and their names. */
#define AS_NUMBER(name) OF_##name,
#define AS_NAME(name) #name,

/* Those of enum compare_subject first. */
static const char *const tables[] = {
	"compared_functions", "compared_paths",	 "compared_sites", "compared_components",
	"compared_runs",      "compared_totals", "compared_limits"};

/* clang-format off */
#define RUN_COLUMNS(X)                                                                   \
	X(side) X(repetition) X(run_id) X(file) X(path) X(job) X(label)                  \
	X(command) X(level) X(host) X(cpu_model) X(kernel) X(clock) X(version)           \
	X(losses) X(cpu_count) X(rank_count) X(complete) X(is_split)                     \
	X(is_unasked) X(has_budget) X(calls) X(hook_ns) X(hook_error_ns)                 \
	X(choice)
/* clang-format on */
enum { RUN_COLUMNS(AS_NUMBER) RUN_COLUMN_COUNT };
static const char *const run_columns[] = {RUN_COLUMNS(AS_NAME)};

static size_t count_runs(void *context)
{
	return ((const struct compare_state *)context)->run_count;
}

static struct cell run_cell(void *context, size_t row, size_t column)
{
	struct compare_state *state = context;
	const struct compare_run *run = &state->runs[row];
	int64_t calls = compare_totals(state, RUN_CALLS)[run->column];
	const char *choice = state->choice.size ? strbuf_text(&state->choice) : NULL;
	const struct cell cells[RUN_COLUMN_COUNT] = {
		[OF_side] =
			compare_text_cell(row < state->before_count ? "before" : "after"),
		[OF_repetition] = cell_integer((int64_t)run->column),
		[OF_run_id] = cell_integer(run->run_id),
		/* one may be given twice */
		[OF_file] = cell_integer((int64_t)(uintptr_t)run->db),
		[OF_path] = compare_text_cell(rundb_path(run->db)),
		[OF_job] = compare_text_cell(run->job),
		[OF_label] = compare_text_cell(run->label),
		[OF_command] = compare_text_cell(run->command),
		[OF_level] = compare_text_cell(run->level),
		[OF_host] = compare_text_cell(run->host),
		[OF_cpu_model] = compare_text_cell(run->cpu_model),
		[OF_kernel] = compare_text_cell(run->kernel),
		[OF_clock] = compare_text_cell(run->clock),
		[OF_version] = compare_text_cell(run->shim_version),
		[OF_losses] = compare_text_cell(run->losses),
		[OF_cpu_count] = cell_integer(run->cpu_count),
		[OF_rank_count] = cell_integer(run->rank_count),
		[OF_complete] = cell_integer(run->complete),
		[OF_is_split] = cell_integer(run->is_split),
		[OF_is_unasked] = cell_integer(run->is_unasked),
		[OF_has_budget] = cell_integer(run->has_budget),
		[OF_calls] = cell_integer(calls),
		[OF_hook_ns] = cell_real(run->hook_cost_ns),
		[OF_hook_error_ns] = cell_real(run->hook_cost_error_ns),
		[OF_choice] = compare_text_cell(choice),
	};

	return cells[column];
}

/* clang-format off */
#define TOTAL_COLUMNS(X)                                                                 \
	X(before) X(after) X(before_error) X(after_error) X(error) X(is_tested)          \
	X(change_percent) X(low_percent) X(high_percent) X(low) X(high) X(p)             \
	X(verdict) X(runs_needed) X(is_exact) X(is_blurred)                    \
	X(is_demoted) X(is_known)
/* clang-format on */
#define AS_TOTAL(name) IN_##name,
enum { TOTAL_COLUMNS(AS_TOTAL) TOTAL_COLUMN_COUNT };
static const char *const total_columns[] = {TOTAL_COLUMNS(AS_NAME)};

static size_t count_totals(void *context)
{
	(void)context;
	return RUN_METRIC_COUNT;
}

static struct cell total_cell(void *context, size_t row, size_t column)
{
	struct compare_state *state = context;
	const struct change *change = &state->run_changes[row];
	bool tested = change->is_tested;
	const struct cell cells[TOTAL_COLUMN_COUNT] = {
		[IN_before] = compare_mean_cell(state, change->before),
		[IN_after] = compare_mean_cell(state, change->after),
		[IN_before_error] = cell_real(change->before_error),
		[IN_after_error] = cell_real(change->after_error),
		[IN_error] = cell_real(change_error(change)),
		[IN_is_tested] = cell_integer(tested),
		[IN_change_percent] = compare_finite_cell(
			change->before > 0,
			compare_in_percent(change->after / change->before)),
		[IN_low_percent] = compare_finite_cell(
			tested, compare_in_percent(change->ratio.low)),
		[IN_high_percent] = compare_finite_cell(
			tested, compare_in_percent(change->ratio.high)),
		[IN_low] = compare_finite_cell(tested, change->shift.low),
		[IN_high] = compare_finite_cell(tested, change->shift.high),
		[IN_p] = compare_finite_cell(tested, change->p),
		[IN_verdict] = compare_text_cell(outcome_word(change->outcome)),
		[IN_runs_needed] = cell_integer(change->runs_needed),
		[IN_is_exact] = cell_integer(change->is_exact),
		[IN_is_blurred] = cell_integer(change->is_blurred),
		[IN_is_demoted] = cell_integer(change->is_demoted),
		[IN_is_known] = cell_integer(compare_is_known(change)),
	};

	return cells[column];
}

/* difference(NAME, AMOUNT, ERROR) and amount(...): as a column of this name is shown. */
static struct cell difference(void *context, const struct cell *values)
{
	struct compare_state *state = context;
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";

	strbuf_reset(&state->text);
	compare_put_difference(&state->text, cell_number(&values[1]),
			       cell_number(&values[2]), columns_type(name));
	return compare_text_cell(strbuf_text(&state->text));
}

static struct cell amount(void *context, const struct cell *values)
{
	struct compare_state *state = context;
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";

	strbuf_reset(&state->text);
	compare_put_amount(&state->text, cell_number(&values[1]), cell_number(&values[2]),
			   columns_type(name));
	return compare_text_cell(strbuf_text(&state->text));
}

int compare_show(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	const struct rundb_rows runs = {run_columns, RUN_COLUMN_COUNT, count_runs,
					run_cell},
				totals = {total_columns, TOTAL_COLUMN_COUNT, count_totals,
					  total_cell};
	const struct compare_series *series[COMPARE_SUBJECTS] = {
		&comparison->function_values, &comparison->path_values,
		&comparison->site_values, &state->component_values};
	struct rundb *db = state->input->db = state->runs[0].db;
	int result = rundb_show_rows(db, "compared_runs", &runs, state);

	if (result == 0)
		result = rundb_show_rows(db, "compared_totals", &totals, state);
	for (int i = 0; i < COMPARE_SUBJECTS && result == 0; i++)
		result = compare_show_subjects(state, (enum compare_subject)i, tables[i],
					       series[i]);
	if (result == 0)
		result = rundb_function(db, "difference", 3, difference, state);
	if (result == 0)
		result = rundb_function(db, "amount", 3, amount, state);
	return result ? result : compare_show_gate(state);
}

void compare_hide(struct compare_state *state)
{
	struct rundb *db = state->runs[0].db;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		rundb_show_rows(db, tables[i], NULL, NULL);
	rundb_function(db, "difference", 3, NULL, NULL);
	rundb_function(db, "amount", 3, NULL, NULL);
	rundb_function(db, "held", 4, NULL, NULL);
	for (size_t i = 0; i < COMPARE_SUBJECTS; i++) {
		free(state->shown[i].columns);
		arena_free(&state->shown[i].texts);
	}
}
