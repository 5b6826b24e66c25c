/* SPDX-License-Identifier: MIT */
/*
 * A comparison as tables of SQL: compared_runs, compared_totals, and a table each for
 * functions, paths, sites and components with both sides in a row. Must not write
 * sentences.
 */
#include "analyzer/reports/compare/show_subjects.h"

#include "analyzer/reports/engine/columns.h"

#include <stdlib.h>
#include <string.h>

/* Columns: a name and its content. */
#define AS_NAME(name, cell) #name,
#define AS_CELL(name, cell) cell,

/* file: the index, since one file may be given twice. */
/* clang-format off */
#define RUN_COLUMNS(X)                                                                  \
	X(side, compare_text_cell(row < state->before_count ? "before" : "after"))      \
	X(repetition, cell_integer((int64_t)run->column))                               \
	X(run_id, cell_integer(run->run_id))                                            \
	X(file, cell_integer((int64_t)(uintptr_t)run->db))                              \
	X(path, compare_text_cell(rundb_path(run->db)))                                 \
	X(job, compare_text_cell(run->job))                                             \
	X(label, compare_text_cell(run->label))                                         \
	X(command, compare_text_cell(run->command))                                     \
	X(level, compare_text_cell(run->level))                                         \
	X(host, compare_text_cell(run->host))                                           \
	X(cpu_model, compare_text_cell(run->cpu_model))                                 \
	X(kernel, compare_text_cell(run->kernel))                                       \
	X(clock, compare_text_cell(run->clock))                                         \
	X(version, compare_text_cell(run->shim_version))                                \
	X(losses, compare_text_cell(run->losses))                                       \
	X(cpu_count, cell_integer(run->cpu_count))                                      \
	X(rank_count, cell_integer(run->rank_count))                                    \
	X(complete, cell_integer(run->complete))                                        \
	X(is_split, cell_integer(run->is_split))                                        \
	X(is_unasked, cell_integer(run->is_unasked))                                    \
	X(has_budget, cell_integer(run->has_budget))                                    \
	X(calls, cell_integer(calls))                                                   \
	X(hook_ns, cell_real(run->hook_cost_ns))                                        \
	X(hook_error_ns, cell_real(run->hook_cost_error_ns))                            \
	X(choice, compare_text_cell(choice))
/* clang-format on */
static const char *const run_columns[] = {RUN_COLUMNS(AS_NAME)};
enum { RUN_COLUMN_COUNT = sizeof(run_columns) / sizeof(run_columns[0]) };

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
	const struct cell cells[] = {RUN_COLUMNS(AS_CELL)};

	return cells[column];
}

/* clang-format off */
#define TOTAL_COLUMNS(X)                                                                \
	X(before, compare_mean_cell(state, change->before))                             \
	X(after, compare_mean_cell(state, change->after))                               \
	X(before_error, cell_real(change->before_error))                                \
	X(after_error, cell_real(change->after_error))                                  \
	X(error, cell_real(change_error(change)))                                       \
	X(is_tested, cell_integer(tested))                                              \
	X(change_percent, compare_finite_cell(change->before > 0, ratio_percent))       \
	X(low_percent, compare_finite_cell(tested, compare_in_percent(change->ratio.low))) \
	X(high_percent, compare_finite_cell(tested, compare_in_percent(change->ratio.high))) \
	X(low, compare_finite_cell(tested, change->shift.low))                          \
	X(high, compare_finite_cell(tested, change->shift.high))                        \
	X(p, compare_finite_cell(tested, change->p))                                    \
	X(verdict, compare_text_cell(outcome_word(change->outcome)))                    \
	X(runs_needed, cell_integer(change->runs_needed))                               \
	X(is_exact, cell_integer(change->is_exact))                                     \
	X(is_blurred, cell_integer(change->is_blurred))                                 \
	X(is_demoted, cell_integer(change->is_demoted))                                 \
	X(is_known, cell_integer(compare_is_known(change)))
/* clang-format on */
static const char *const total_columns[] = {TOTAL_COLUMNS(AS_NAME)};
enum { TOTAL_COLUMN_COUNT = sizeof(total_columns) / sizeof(total_columns[0]) };

static size_t count_totals(void *context)
{
	(void)context;
	return RUN_METRIC_COUNT;
}

static struct cell total_cell(void *context, size_t row, size_t column)
{
	struct compare_state *state = context;
	const struct change *change = &state->run_changes[row];
	double ratio_percent = compare_in_percent(change->after / change->before);
	bool tested = change->is_tested;
	const struct cell cells[] = {TOTAL_COLUMNS(AS_CELL)};

	return cells[column];
}

/* difference(NAME, AMOUNT, ERROR) and amount(...): formats as a column of this name. */
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

void compare_show(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct rundb *db = state->input->db = state->runs[0].db;

	rundb_show_rows(
		db, "compared_runs",
		&(struct rundb_rows){run_columns, RUN_COLUMN_COUNT, count_runs, run_cell},
		state);
	rundb_show_rows(db, "compared_totals",
			&(struct rundb_rows){total_columns, TOTAL_COLUMN_COUNT,
					     count_totals, total_cell},
			state);
	compare_show_subjects(state, COMPARE_FUNCTIONS, "compared_functions",
			      &comparison->function_values);
	compare_show_subjects(state, COMPARE_PATHS, "compared_paths",
			      &comparison->path_values);
	compare_show_subjects(state, COMPARE_SITES, "compared_sites",
			      &comparison->site_values);
	compare_show_subjects(state, COMPARE_COMPONENTS, "compared_components",
			      &state->component_values);
	rundb_function(db, "difference", 3, difference, state);
	rundb_function(db, "amount", 3, amount, state);
	compare_show_gate(state);
}
