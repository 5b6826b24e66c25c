/* SPDX-License-Identifier: MIT */
/*
 * A comparison as tables of SQL: compared_runs, compared_totals, and of functions, paths,
 * sites and components a row each with what both sides have. Must not say anything.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/engine/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct cell nothing = {.kind = CELL_NULL};

static struct cell text_cell(const char *text)
{
	return text ? (struct cell){.kind = CELL_TEXT, .text = text} : nothing;
}

static struct cell finite_cell(bool is_known, double value)
{
	return is_known && isfinite(value) ? cell_real(value) : nothing;
}

static double in_percent(double ratio)
{
	return 100 * (ratio - 1);
}

/* Means of pairs are whole numbers. */
static struct cell mean_cell(const struct compare_state *state, double value)
{
	return compare_is_pair(state) ? cell_integer(whole_number(value))
				      : cell_real(value);
}

enum run_column {
	OF_SIDE,
	OF_REPETITION,
	OF_RUN_ID,
	OF_FILE,
	OF_PATH,
	OF_JOB,
	OF_LABEL,
	OF_COMMAND,
	OF_LEVEL,
	OF_HOST,
	OF_CPU_MODEL,
	OF_KERNEL,
	OF_CLOCK,
	OF_VERSION,
	OF_LOSSES,
	OF_CPU_COUNT,
	OF_RANK_COUNT,
	OF_COMPLETE,
	OF_IS_SPLIT,
	OF_IS_UNASKED,
	OF_HAS_BUDGET,
	OF_CALLS,
	OF_HOOK_NS,
	OF_HOOK_ERROR_NS,
	OF_CHOICE,
	RUN_COLUMNS
};

static const char *const run_columns[RUN_COLUMNS] = {
	"side",	      "repetition", "run_id",	"file",		 "path",
	"job",	      "label",	    "command",	"level",	 "host",
	"cpu_model",  "kernel",	    "clock",	"version",	 "losses",
	"cpu_count",  "rank_count", "complete", "is_split",	 "is_unasked",
	"has_budget", "calls",	    "hook_ns",	"hook_error_ns", "choice",
};

static size_t count_runs(void *context)
{
	return ((const struct compare_state *)context)->run_count;
}

static struct cell run_cell(void *context, size_t row, size_t column)
{
	struct compare_state *state = context;
	const struct compare_run *run = &state->runs[row];
	const char *const texts[] = {
		[OF_PATH] = rundb_path(run->db), [OF_JOB] = run->job,
		[OF_LABEL] = run->label,	 [OF_COMMAND] = run->command,
		[OF_LEVEL] = run->level,	 [OF_HOST] = run->host,
		[OF_CPU_MODEL] = run->cpu_model, [OF_KERNEL] = run->kernel,
		[OF_CLOCK] = run->clock,	 [OF_VERSION] = run->shim_version,
		[OF_LOSSES] = run->losses,
	};

	switch (column) {
	case OF_SIDE:
		return text_cell(row < state->before_count ? "before" : "after");
	case OF_REPETITION:
		return cell_integer((int64_t)run->column);
	case OF_RUN_ID:
		return cell_integer(run->run_id);
	case OF_FILE: /* one may be given twice */
		return cell_integer((int64_t)(uintptr_t)run->db);
	case OF_CPU_COUNT:
		return cell_integer(run->cpu_count);
	case OF_RANK_COUNT:
		return cell_integer(run->rank_count);
	case OF_COMPLETE:
		return cell_integer(run->complete);
	case OF_IS_SPLIT:
		return cell_integer(run->is_split);
	case OF_IS_UNASKED:
		return cell_integer(run->is_unasked);
	case OF_HAS_BUDGET:
		return cell_integer(run->has_budget);
	case OF_CALLS:
		return cell_integer(compare_totals(state, RUN_CALLS)[run->column]);
	case OF_HOOK_NS:
		return cell_real(run->hook_cost_ns);
	case OF_HOOK_ERROR_NS:
		return cell_real(run->hook_cost_error_ns);
	case OF_CHOICE:
		return state->choice.size ? text_cell(strbuf_text(&state->choice))
					  : nothing;
	default:
		return text_cell(texts[column]);
	}
}

enum total_column {
	IN_BEFORE,
	IN_AFTER,
	IN_BEFORE_ERROR,
	IN_AFTER_ERROR,
	IN_ERROR,
	IN_IS_TESTED,
	IN_CHANGE_PERCENT,
	IN_LOW_PERCENT,
	IN_HIGH_PERCENT,
	IN_LOW,
	IN_HIGH,
	IN_P,
	IN_EFFECT,
	IN_VERDICT,
	IN_RUNS_NEEDED,
	IN_IS_EXACT,
	IN_IS_BLURRED,
	IN_IS_DEMOTED,
	IN_IS_KNOWN,
	TOTAL_COLUMNS
};

static const char *const total_columns[TOTAL_COLUMNS] = {
	"before",	"after",      "before_error",	"after_error",
	"error",	"is_tested",  "change_percent", "low_percent",
	"high_percent", "low",	      "high",		"p",
	"effect",	"verdict",    "runs_needed",	"is_exact",
	"is_blurred",	"is_demoted", "is_known",
};

static size_t count_totals(void *context)
{
	(void)context;
	return RUN_METRIC_COUNT;
}

/* "+4.1%", or "x39" where a percentage is no longer read. */
static void put_ratio(struct strbuf *text, double ratio)
{
	if (ratio >= 10)
		strbuf_printf(text, "x%.0f", ratio);
	else
		strbuf_printf(text, "%+.1f%%", in_percent(ratio));
}

/* "+4.1%" of a plain difference, "+4.1% [+3.8, +4.4]" of a tested one. */
static struct cell effect_cell(struct compare_state *state, const struct change *change)
{
	strbuf_reset(&state->text);
	if (!compare_is_known(change))
		return text_cell("");
	if (change->is_tested) {
		put_ratio(&state->text, change->ratio.estimate);
		strbuf_printf(&state->text, " [%+.1f, %+.1f]",
			      in_percent(change->ratio.low),
			      in_percent(change->ratio.high));
	} else if (change->before > 0 && change->before != change->after) {
		put_ratio(&state->text, change->after / change->before);
	}
	return text_cell(strbuf_text(&state->text));
}

static struct cell total_cell(void *context, size_t row, size_t column)
{
	struct compare_state *state = context;
	const struct change *change = &state->run_changes[row];

	switch (column) {
	case IN_BEFORE:
		return mean_cell(state, change->before);
	case IN_AFTER:
		return mean_cell(state, change->after);
	case IN_BEFORE_ERROR:
		return cell_real(change->before_error);
	case IN_AFTER_ERROR:
		return cell_real(change->after_error);
	case IN_ERROR:
		return cell_real(change_error(change));
	case IN_IS_TESTED:
		return cell_integer(change->is_tested);
	case IN_CHANGE_PERCENT:
		return change->is_tested
			       ? finite_cell(true, in_percent(change->ratio.estimate))
			       : finite_cell(change->before > 0,
					     in_percent(change->after / change->before));
	case IN_LOW_PERCENT:
		return finite_cell(change->is_tested, in_percent(change->ratio.low));
	case IN_HIGH_PERCENT:
		return finite_cell(change->is_tested, in_percent(change->ratio.high));
	case IN_LOW:
		return finite_cell(change->is_tested, change->shift.low);
	case IN_HIGH:
		return finite_cell(change->is_tested, change->shift.high);
	case IN_P:
		return finite_cell(change->is_tested, change->p);
	case IN_EFFECT:
		return effect_cell(state, change);
	case IN_VERDICT:
		return text_cell(outcome_word(change->outcome));
	case IN_RUNS_NEEDED:
		return cell_integer(change->runs_needed);
	case IN_IS_EXACT:
		return cell_integer(change->is_exact);
	case IN_IS_BLURRED:
		return cell_integer(change->is_blurred);
	case IN_IS_DEMOTED:
		return cell_integer(change->is_demoted);
	default:
		return cell_integer(compare_is_known(change));
	}
}

/* What each subject has, before its metrics. */
enum subject_column {
	NUMBER,
	NAME,
	NAME_BEFORE,
	LINKAGE_NAME,
	FILE_NAME,
	LINE,
	PATH_ID,
	PRESENCE,
	HOOKED,
	ESTIMATED,
	HOLDER,
	IS_RENAMED,
	IS_ALIKE,
	IS_JUDGED,
	PASSES,
	IS_ZERO,
	SHARE,
	KIND,
	/* of the change that counts */
	MAIN_CHANGE,
	EFFECT,
	CHANGE_PERCENT,
	LOW_PERCENT,
	HIGH_PERCENT,
	P_ADJUSTED,
	VERDICT,
	/* of all of the time, and its parts */
	WALL_VERDICT,
	WALL_LOW_PERCENT,
	WALL_HIGH_PERCENT,
	READY_VERDICT,
	BLOCKED_VERDICT,
	MOVED,
	WAITS,
	METRICS_FROM
};

static const char *const subject_columns[METRICS_FROM] = {
	"number",
	"name",
	"name_before",
	"linkage_name",
	"file",
	"line",
	"path_id",
	"presence",
	"hooked",
	"estimated",
	"holder",
	"is_renamed",
	"is_alike",
	"is_judged",
	"passes",
	"is_zero",
	"share",
	"kind",
	"main_change",
	"effect",
	"change_percent",
	"low_percent",
	"high_percent",
	"p_adjusted",
	"verdict",
	"wall_verdict",
	"wall_low_percent",
	"wall_high_percent",
	"ready_verdict",
	"blocked_verdict",
	"moved",
	"waits",
};

/* Of a metric M: before_M, after_M, M_error (of the difference) and M_change, which is 0
 * where the error may have made it. */
static const struct {
	const char *before, *behind;
} forms[] = {{"before_", ""}, {"after_", ""}, {"", "_error"}, {"", "_change"}};
enum { FORMS = 4 };

static const char *metric_name(enum compare_subject kind, size_t metric)
{
	static const char *const of_sites[] = {"alloc_count", "alloc_bytes", "live_bytes",
					       "at_peak_bytes"};
	static const char *const others[] = {"hooks_ns", "own_alloc_count",
					     "own_alloc_bytes"};

	if (kind == COMPARE_SITES)
		return of_sites[metric];
	if (metric >= COMPARE_QUANTITIES)
		return others[metric - COMPARE_QUANTITIES];
	return quantities[quantity_lists[QUANTITY_OF_COMPARED].numbers[metric]].name;
}

static size_t count_subjects(void *context)
{
	return ((const struct compare_shown *)context)->series->count;
}

/* The function that a row is about, or COMPARE_NONE. */
static uint32_t function_of(const struct compare_shown *shown, uint32_t number)
{
	const struct comparison *comparison = &shown->state->comparison;

	switch (shown->kind) {
	case COMPARE_FUNCTIONS:
		return number;
	case COMPARE_PATHS:
		return comparison->paths[number].function;
	case COMPARE_SITES: /* that led to the allocations, not strdup() */
		return comparison
			->paths[compare_owner(comparison, comparison->sites[number].path)]
			.function;
	default:
		return COMPARE_NONE;
	}
}

static struct cell line_cell(uint8_t presence, uint32_t before, uint32_t after)
{
	return cell_integer(presence & COMPARE_AFTER ? after : before);
}

/* What the row itself is, of which sites and functions have a place. */
static struct cell place_cell(const struct compare_shown *shown, uint32_t number,
			      size_t column)
{
	const struct comparison *comparison = &shown->state->comparison;
	const struct compare_function *function = NULL;
	const struct compare_site *site = NULL;

	if (shown->kind == COMPARE_FUNCTIONS)
		function = &comparison->functions[number];
	else if (shown->kind == COMPARE_SITES)
		site = &comparison->sites[number];
	switch (column) {
	case FILE_NAME:
		return text_cell(function ? function->file : site ? site->file : NULL);
	case LINE:
		return function ? line_cell(function->presence, function->line_before,
					    function->line_after)
		       : site	? line_cell(site->presence, site->line_before,
					    site->line_after)
				: nothing;
	case PRESENCE:
		return cell_integer(function ? function->presence
				    : site   ? site->presence
				    : shown->kind == COMPARE_PATHS
					    ? comparison->paths[number].presence
					    : COMPARE_BOTH);
	default: /* PATH_ID */
		return site ? cell_integer((int64_t)site->path + 1)
		       : shown->kind == COMPARE_PATHS ? cell_integer((int64_t)number + 1)
						      : nothing;
	}
}

static struct cell function_cell(const struct compare_shown *shown, uint32_t number,
				 size_t column)
{
	const struct compare_state *state = shown->state;
	uint32_t at = function_of(shown, number);
	const struct compare_function *function;

	if (at == COMPARE_NONE)
		return column == NAME	  ? text_cell(intern_name(
						    &shown->state->components.names, number))
		       : column == PASSES ? cell_integer(1)
					  : nothing;
	function = &state->comparison.functions[at];
	switch (column) {
	case NAME:
		return text_cell(function->name);
	case NAME_BEFORE:
		return text_cell(function->name_before);
	case LINKAGE_NAME:
		return text_cell(function->linkage_name);
	case HOOKED:
		return cell_integer(function->hooked);
	case ESTIMATED:
		return cell_integer(function->estimated);
	case HOLDER:
		return cell_integer(function->holder);
	case IS_RENAMED:
		return cell_integer(function->is_renamed);
	case IS_ALIKE:
		return cell_integer(compare_is_alike(function));
	case IS_JUDGED:
		return cell_integer(compare_is_judged(state, at));
	default: /* by either side's name */
		return cell_integer(
			filter_passes_name(&state->input->filter, function->name) ||
			(function->is_renamed &&
			 filter_passes_name(&state->input->filter,
					    function->name_before)));
	}
}

static struct cell judged_cell(struct compare_shown *shown, uint32_t number,
			       size_t column)
{
	struct compare_state *state = shown->state;
	const struct compare_judged *judged =
		shown->judged ? &shown->judged[number] : NULL;
	const struct change *main = judged ? compare_main(state, judged) : NULL;

	if (!judged)
		return nothing;
	strbuf_reset(&state->text);
	switch (column) {
	case EFFECT:
		if (main->is_tested && compare_is_known(main))
			strbuf_printf(&state->text, "%+.1f, %+.1f%%",
				      in_percent(main->ratio.low),
				      in_percent(main->ratio.high));
		return text_cell(strbuf_text(&state->text));
	case CHANGE_PERCENT:
		return finite_cell(main->is_tested, in_percent(main->ratio.estimate));
	case LOW_PERCENT:
		return finite_cell(main->is_tested, in_percent(main->ratio.low));
	case HIGH_PERCENT:
		return finite_cell(main->is_tested, in_percent(main->ratio.high));
	case P_ADJUSTED:
		return finite_cell(main->is_tested, main->p);
	case VERDICT:
		return text_cell(outcome_word(main->outcome));
	case WALL_VERDICT:
		return text_cell(outcome_word(judged->self.outcome));
	case WALL_LOW_PERCENT:
		return finite_cell(judged->self.is_tested,
				   in_percent(judged->self.ratio.low));
	case WALL_HIGH_PERCENT:
		return finite_cell(judged->self.is_tested,
				   in_percent(judged->self.ratio.high));
	case READY_VERDICT:
		return text_cell(outcome_word(judged->ready.outcome));
	case BLOCKED_VERDICT:
		return text_cell(outcome_word(judged->blocked.outcome));
	default:
		compare_put_moved(&state->text, judged, column == WAITS);
		return text_cell(strbuf_text(&state->text));
	}
}

/* Rows are read column by column: the last change is asked for again. */
static const struct change *change_at(struct compare_shown *shown, uint32_t number,
				      size_t metric)
{
	if (!shown->has_change || shown->number != number || shown->metric != metric) {
		shown->change =
			compare_means(shown->state, shown->series, number, metric);
		shown->number = number;
		shown->metric = metric;
		shown->has_change = true;
	}
	return &shown->change;
}

static struct cell subject_cell(void *context, size_t row, size_t column)
{
	struct compare_shown *shown = context;
	uint32_t number = (uint32_t)row;
	const struct change *change;

	switch (column) {
	case NUMBER:
		return cell_integer(number);
	case FILE_NAME:
	case LINE:
	case PRESENCE:
	case PATH_ID:
		return place_cell(shown, number, column);
	case IS_ZERO:
		return cell_integer(compare_is_zero(shown->series, number));
	case SHARE: /* asked for several times in a row */
		if (shown->share_of != number + 1)
			shown->share = compare_share(shown->state, shown->series, number);
		shown->share_of = number + 1;
		return cell_real(shown->share);
	case KIND:
		return cell_integer(
			compare_kind_of(shown->state, shown->series, number,
					shown->judged ? &shown->judged[number] : NULL));
	case MAIN_CHANGE:
		return cell_real(compare_known_difference(
			change_at(shown, number,
				  shown->kind == COMPARE_SITES
					  ? (size_t)COMPARE_SITE_alloc_bytes
					  : compare_main_metric(shown->state))));
	default:
		break;
	}
	if (column < MAIN_CHANGE)
		return function_cell(shown, number, column);
	if (column < METRICS_FROM)
		return judged_cell(shown, number, column);
	if ((column - METRICS_FROM) / FORMS >= shown->series->metric_count)
		return nothing;
	change = change_at(shown, number, (column - METRICS_FROM) / FORMS);
	switch ((column - METRICS_FROM) % FORMS) {
	case 0:
		return mean_cell(shown->state, change->before);
	case 1:
		return mean_cell(shown->state, change->after);
	case 2:
		return cell_real(change_error(change));
	default:
		return cell_real(compare_known_difference(change));
	}
}

/* All but sites have the same columns. */
static size_t metric_count(enum compare_subject kind)
{
	return kind == COMPARE_SITES ? (size_t)COMPARE_SITE_METRICS
				     : COMPARE_FUNCTION_METRICS;
}

static const char **name_columns(struct compare_shown *shown)
{
	size_t count = metric_count(shown->kind);
	const char **names =
		xreallocarray(NULL, METRICS_FROM + FORMS * count, sizeof(*names));

	memcpy(names, subject_columns, sizeof(subject_columns));
	for (size_t i = 0; i < FORMS * count; i++) {
		char *name = xasprintf("%s%s%s", forms[i % FORMS].before,
				       metric_name(shown->kind, i / FORMS),
				       forms[i % FORMS].behind);

		names[METRICS_FROM + i] = arena_copy(&shown->texts, name, strlen(name));
		free(name);
	}
	return names;
}

static int show_subjects(struct compare_state *state, enum compare_subject kind,
			 const char *name, const struct compare_series *series)
{
	struct compare_shown *shown = &state->shown[kind];
	struct rundb_rows rows = {NULL, METRICS_FROM + FORMS * metric_count(kind),
				  count_subjects, subject_cell};

	shown->state = state;
	shown->kind = kind;
	shown->series = series;
	rows.columns = shown->columns = name_columns(shown);
	return rundb_show_rows(state->input->db, name, &rows, shown);
}

/* difference(NAME, AMOUNT, ERROR) and amount(...): as a column of this name is shown. */
static struct cell difference(void *context, const struct cell *values)
{
	struct compare_state *state = context;
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";

	strbuf_reset(&state->text);
	compare_put_difference(&state->text, cell_number(&values[1]),
			       cell_number(&values[2]), columns_type(name));
	return text_cell(strbuf_text(&state->text));
}

static struct cell amount(void *context, const struct cell *values)
{
	struct compare_state *state = context;
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";

	strbuf_reset(&state->text);
	compare_put_amount(&state->text, cell_number(&values[1]), cell_number(&values[2]),
			   columns_type(name));
	return text_cell(strbuf_text(&state->text));
}

/* fixed(NUMBER): with one digit behind the point. */
static struct cell fixed(void *context, const struct cell *values)
{
	struct compare_state *state = context;

	strbuf_reset(&state->text);
	strbuf_printf(&state->text, "%.1f", cell_number(&values[0]));
	return text_cell(strbuf_text(&state->text));
}

int compare_show(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct rundb *db = state->input->db = state->runs[0].db;
	int result = rundb_show_rows(
		db, "compared_runs",
		&(struct rundb_rows){run_columns, RUN_COLUMNS, count_runs, run_cell},
		state);

	if (result == 0)
		result =
			rundb_show_rows(db, "compared_totals",
					&(struct rundb_rows){total_columns, TOTAL_COLUMNS,
							     count_totals, total_cell},
					state);
	if (result == 0)
		result = show_subjects(state, COMPARE_FUNCTIONS, "compared_functions",
				       &comparison->function_values);
	if (result == 0)
		result = show_subjects(state, COMPARE_PATHS, "compared_paths",
				       &comparison->path_values);
	if (result == 0)
		result = show_subjects(state, COMPARE_SITES, "compared_sites",
				       &comparison->site_values);
	if (result == 0)
		result = show_subjects(state, COMPARE_COMPONENTS, "compared_components",
				       &state->component_values);
	if (result == 0)
		result = rundb_function(db, "difference", 3, difference, state);
	if (result == 0)
		result = rundb_function(db, "amount", 3, amount, state);
	return result ? result : rundb_function(db, "fixed", 1, fixed, state);
}

void compare_hide(struct compare_state *state)
{
	static const char *const tables[] = {"compared_runs",	   "compared_totals",
					     "compared_functions", "compared_paths",
					     "compared_sites",	   "compared_components"};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		rundb_show_rows(state->runs[0].db, tables[i], NULL, NULL);
	rundb_function(state->runs[0].db, "difference", 3, NULL, NULL);
	rundb_function(state->runs[0].db, "amount", 3, NULL, NULL);
	rundb_function(state->runs[0].db, "fixed", 1, NULL, NULL);
	for (size_t i = 0; i < COMPARE_SUBJECTS; i++) {
		free(state->shown[i].columns);
		arena_free(&state->shown[i].texts);
	}
}
