/* SPDX-License-Identifier: MIT */
/*
 * Functions, paths, sites and components of a comparison as tables of SQL: one row each
 * with both sides. Must not write sentences.
 */
#include "analyzer/reports/compare/show_subjects.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define AS_NAME(name) #name,
/* Columns before the metrics: what the subject is, its order, the change that counts, and
 * the change of its whole time and its parts. */
/* clang-format off */
#define SUBJECT_COLUMNS(X)                                                               \
	X(number) X(name) X(name_before) X(linkage_name) X(file) X(line) X(line_of)      \
	X(path_id) X(presence) X(hooked) X(estimated) X(holder) X(is_renamed)            \
	X(is_alike) X(is_judged) X(passes) X(is_zero) X(repeats)                         \
	X(main_change) X(effect) X(change_percent) X(low_percent)                        \
	X(high_percent) X(p_adjusted) X(verdict) X(wall_verdict)                         \
	X(wall_low_percent) X(wall_high_percent) X(ready_verdict)                        \
	X(blocked_verdict)
/* clang-format on */
#define AS_SUBJECT(name) THE_##name,
enum { SUBJECT_COLUMNS(AS_SUBJECT) METRICS_FROM };
static const char *const subject_columns[] = {SUBJECT_COLUMNS(AS_NAME)};

/* Each metric M has columns before_M, after_M, M_error (of the difference) and M_change,
 * which is 0 if the error may have made it. */
static const struct {
	const char *before, *behind;
} forms[] = {{"before_", ""}, {"after_", ""}, {"", "_error"}, {"", "_change"}};
enum { FORMS = 4 };

static const char *metric_name(enum compare_subject kind, size_t metric)
{
	static const char *const of_sites[] = {"alloc_count", "alloc_bytes", "live_bytes",
					       "at_peak_bytes"};
	static const char *const others[] = {"hooks_ns", "self_cpu_error_ns",
					     "own_alloc_count", "own_alloc_bytes"};

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
	case COMPARE_SITES: /* the function that led to the allocations, not strdup() */
		return comparison->sites[number].owner;
	default:
		return COMPARE_NONE;
	}
}

static struct cell line_cell(uint8_t presence, uint32_t before, uint32_t after)
{
	return cell_integer(presence & COMPARE_AFTER ? after : before);
}

/* Cells that describe the row itself; only sites and functions have a place. */
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
	case THE_file:
		return compare_text_cell(site	    ? site->file
					 : function ? function->file
						    : NULL);
	case THE_line:
		return site	  ? line_cell(site->presence, site->line_before,
					      site->line_after)
		       : function ? line_cell(function->presence, function->line_before,
					      function->line_after)
				  : compare_nothing;
	case THE_line_of:
		return site && site->is_definition ? compare_text_cell("function")
						   : compare_nothing;
	case THE_presence:
		return cell_integer(function ? function->presence
				    : site   ? site->presence
				    : shown->kind == COMPARE_PATHS
					    ? comparison->paths[number].presence
					    : COMPARE_BOTH);
	default: /* THE_path_id */
		return site ? cell_integer((int64_t)site->path + 1)
		       : shown->kind == COMPARE_PATHS ? cell_integer((int64_t)number + 1)
						      : compare_nothing;
	}
}

static struct cell function_cell(const struct compare_shown *shown, uint32_t number,
				 size_t column)
{
	const struct compare_state *state = shown->state;
	uint32_t at = function_of(shown, number);
	const struct compare_function *function;

	if (at == COMPARE_NONE)
		return column == THE_name
			       ? compare_text_cell(intern_name(
					 &shown->state->components.names, number))
		       : column == THE_passes ? cell_integer(1)
					      : compare_nothing;
	function = &state->comparison.functions[at];
	switch (column) {
	case THE_name:
		return compare_text_cell(function->name);
	case THE_name_before:
		return compare_text_cell(function->name_before);
	case THE_linkage_name:
		return compare_text_cell(function->linkage_name);
	case THE_hooked:
		return cell_integer(function->hooked);
	case THE_estimated:
		return cell_integer(function->estimated);
	case THE_holder:
		return cell_integer(function->holder);
	case THE_is_renamed:
		return cell_integer(function->is_renamed);
	case THE_is_alike:
		return cell_integer(compare_is_alike(function));
	case THE_is_judged:
		return cell_integer(compare_is_judged(state, at));
	default: /* by the name on either side */
		return cell_integer(
			filter_passes_name(&state->input->filter, function->name) ||
			(function->is_renamed &&
			 filter_passes_name(&state->input->filter,
					    function->name_before)));
	}
}

static struct cell effect_cell(struct compare_state *state,
			       const struct compare_judged *judged)
{
	const struct change *main = compare_main(state, judged);

	strbuf_reset(&state->text);
	if (main->is_tested && compare_is_known(main))
		strbuf_printf(&state->text, "%+.1f to %+.1f%%",
			      compare_in_percent(main->ratio.low),
			      compare_in_percent(main->ratio.high));
	return compare_text_cell(strbuf_text(&state->text));
}

static struct cell judged_cell(const struct compare_shown *shown, uint32_t number,
			       size_t column)
{
	const struct compare_judged *judged =
		shown->judged ? &shown->judged[number] : &(struct compare_judged){0};
	const struct change *main = compare_main(shown->state, judged);
	const struct change *self = &judged->of[OF_SELF];
	const struct cell cells[METRICS_FROM] = {
		[THE_change_percent] = compare_finite_cell(
			main->is_tested && main->before > 0,
			compare_in_percent(main->after / main->before)),
		[THE_low_percent] = compare_finite_cell(
			main->is_tested, compare_in_percent(main->ratio.low)),
		[THE_high_percent] = compare_finite_cell(
			main->is_tested, compare_in_percent(main->ratio.high)),
		[THE_p_adjusted] = compare_finite_cell(main->is_tested, main->p),
		[THE_verdict] = compare_text_cell(outcome_word(main->outcome)),
		[THE_wall_verdict] = compare_text_cell(outcome_word(self->outcome)),
		[THE_wall_low_percent] = compare_finite_cell(
			self->is_tested, compare_in_percent(self->ratio.low)),
		[THE_wall_high_percent] = compare_finite_cell(
			self->is_tested, compare_in_percent(self->ratio.high)),
		[THE_ready_verdict] =
			compare_text_cell(outcome_word(judged->of[OF_READY].outcome)),
		[THE_blocked_verdict] =
			compare_text_cell(outcome_word(judged->of[OF_BLOCKED].outcome)),
	};

	if (column == THE_effect)
		return effect_cell(shown->state, judged);
	return cells[column];
}

static bool is_zero(const struct compare_series *series, uint32_t subject)
{
	const int64_t *values = compare_values(series, subject, 0);

	for (size_t i = 0; i < series->metric_count * series->run_count; i++)
		if (values[i])
			return false;
	return true;
}

/* Cached: rows are read column by column. */
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

/* If each side's runs agree on the calls, a change of them is the program's. */
static bool repeats(const struct compare_shown *shown, uint32_t number)
{
	const struct compare_state *state = shown->state;

	return shown->kind != COMPARE_SITES &&
	       change_of(compare_values(shown->series, number, COMPARE_calls),
			 state->before_columns, compare_after_count(state), true)
		       .is_exact;
}

static struct cell subject_cell(void *context, size_t row, size_t column)
{
	struct compare_shown *shown = context;
	uint32_t number = (uint32_t)row;
	const struct change *change;

	switch (column) {
	case THE_number:
		return cell_integer(number);
	case THE_file:
	case THE_line:
	case THE_line_of:
	case THE_presence:
	case THE_path_id:
		return place_cell(shown, number, column);
	case THE_is_zero:
		return cell_integer(is_zero(shown->series, number));
	case THE_repeats:
		return cell_integer(repeats(shown, number));
	case THE_main_change:
		return cell_real(compare_known_difference(
			change_at(shown, number,
				  shown->kind == COMPARE_SITES
					  ? (size_t)COMPARE_SITE_alloc_bytes
					  : compare_main_metric(shown->state))));
	default:
		break;
	}
	if (column < THE_main_change)
		return function_cell(shown, number, column);
	if (column < METRICS_FROM)
		return judged_cell(shown, number, column);
	if ((column - METRICS_FROM) / FORMS >= shown->series->metric_count)
		return compare_nothing;
	change = change_at(shown, number, (column - METRICS_FROM) / FORMS);
	switch ((column - METRICS_FROM) % FORMS) {
	case 0:
		return compare_mean_cell(shown->state, change->before);
	case 1:
		return compare_mean_cell(shown->state, change->after);
	case 2:
		return cell_real(change_error(change));
	default:
		return cell_real(compare_known_difference(change));
	}
}

/* The number of metric columns; only sites have others. */
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

void compare_show_subjects(struct compare_state *state, enum compare_subject kind,
			   const char *name, const struct compare_series *series)
{
	struct compare_shown *shown = &state->shown[kind];
	struct rundb_rows rows = {NULL, METRICS_FROM + FORMS * metric_count(kind),
				  count_subjects, subject_cell};

	shown->state = state;
	shown->kind = kind;
	shown->series = series;
	rows.columns = shown->columns = name_columns(shown);
	rundb_show_rows(state->input->db, name, &rows, shown);
}
