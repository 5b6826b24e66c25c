/* SPDX-License-Identifier: MIT */
/*
 * Judges which functions, paths and components changed, and by computing, waiting for a
 * CPU or other waits. Must not judge a wait by itself: two microseconds instead of one
 * mean nothing if the function takes a second.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

/* The errors of a time, one for each run; NULL for other metrics. */
static const int64_t *series_errors(const struct compare_series *series, uint32_t subject,
				    size_t metric)
{
	if (series->metric_count < COMPARE_PATH_METRICS)
		return NULL; /* allocation sites */
	if (metric == COMPARE_self_cpu_ns)
		return compare_values(series, subject, COMPARE_CPU_ERROR);
	if (metric == COMPARE_self_ns)
		return compare_values(series, subject, COMPARE_self_error_ns);
	if (metric == COMPARE_total_ns)
		return compare_values(series, subject, COMPARE_total_error_ns);
	if (metric == COMPARE_self_ready_ns || metric == COMPARE_self_blocked_ns)
		return compare_values(series, subject, COMPARE_self_ready_error_ns);
	return NULL;
}

/* An estimate may be wrong in more than the hooks' cost, and differently in another
 * program: a longer loop in the caller would be seen as time of a counted callee. */
static bool is_timed_alike(const struct compare_state *state,
			   const struct compare_series *series, uint32_t subject)
{
	const struct comparison *comparison = &state->comparison;
	const struct compare_function *function;

	if (series == &comparison->function_values)
		function = &comparison->functions[subject];
	else if (series == &comparison->path_values)
		function = &comparison->functions[comparison->paths[subject].function];
	else
		return !state->has_estimates;
	return !function->estimated && !function->holder;
}

static struct change_errors errors_of(const struct compare_state *state,
				      const struct compare_series *series,
				      uint32_t subject, size_t metric)
{
	struct change_errors errors = {
		.errors = series_errors(series, subject, metric),
		.is_common = state->has_common_errors,
		.drift = state->drift,
	};

	if (!is_timed_alike(state, series, subject) || metric == COMPARE_self_ready_ns ||
	    metric == COMPARE_self_blocked_ns)
		errors.is_common = false;
	/* A total contains the hooks of all callees, whose cost is not known by
	 * itself. */
	if (errors.errors && metric != COMPARE_total_ns)
		errors.hooks = compare_values(series, subject, COMPARE_HOOKS);
	return errors;
}

int64_t compare_side_mean(const struct compare_state *state,
			  const struct compare_series *series, uint32_t subject,
			  size_t metric, bool is_after)
{
	struct change change =
		change_means(compare_values(series, subject, metric), NULL,
			     state->before_columns, compare_after_count(state));

	return whole_number(round(is_after ? change.after : change.before));
}

struct change compare_means(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject,
			    size_t metric)
{
	struct change_errors errors = errors_of(state, series, subject, metric);

	return change_means(compare_values(series, subject, metric), &errors,
			    state->before_columns, compare_after_count(state));
}

struct change compare_times(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject,
			    enum compare_metric time)
{
	struct change_errors errors = errors_of(state, series, subject, time);

	return change_of_estimates(compare_values(series, subject, time), &errors,
				   state->before_columns, compare_after_count(state));
}

enum compare_metric compare_main_metric(const struct compare_state *state)
{
	return compare_has_cpu(state) ? COMPARE_self_cpu_ns : COMPARE_self_ns;
}

const struct change *compare_main(const struct compare_state *state,
				  const struct compare_judged *judged)
{
	return &judged->of[compare_has_cpu(state) ? OF_CPU : OF_SELF];
}

static double both(const struct change *change)
{
	return change->before + change->after;
}

/* Looks at both sides together, so that the choice says nothing about their
 * difference. */
static bool matters(const struct compare_state *state,
		    const struct compare_series *series, uint32_t subject,
		    enum compare_metric time, enum run_metric whole)
{
	struct change change = compare_means(state, series, subject, time);

	return both(&change) >= COMPARE_LEAST_SHARE * both(&state->run_changes[whole]);
}

static struct change part_of(const struct compare_state *state,
			     const struct compare_series *series, uint32_t subject,
			     enum compare_metric metric, const struct change *self)
{
	/* In each run the cost may have been divided differently among the sleeps. */
	struct change_errors errors = {
		.errors = compare_values(series, subject, COMPARE_self_ready_error_ns)};

	return change_of_part(compare_values(series, subject, metric), &errors,
			      state->before_columns, compare_after_count(state),
			      self->before);
}

static void judge(const struct compare_state *state, const struct compare_series *series,
		  uint32_t subject, struct compare_judged *judged)
{
	bool has_cpu = compare_has_cpu(state);

	if (has_cpu && matters(state, series, subject, COMPARE_self_cpu_ns, RUN_CPU))
		judged->of[OF_CPU] =
			compare_times(state, series, subject, COMPARE_self_cpu_ns);
	if (!matters(state, series, subject, COMPARE_self_ns, RUN_SELF))
		return;
	judged->of[OF_SELF] = compare_times(state, series, subject, COMPARE_self_ns);
	if (!has_cpu)
		return;
	judged->of[OF_READY] = part_of(state, series, subject, COMPARE_self_ready_ns,
				       &judged->of[OF_SELF]);
	judged->of[OF_BLOCKED] = part_of(state, series, subject, COMPARE_self_blocked_ns,
					 &judged->of[OF_SELF]);
}

/* Each time is a test family of its own: readers of one do not read the others. */
static void adjust(const struct compare_state *state, struct compare_judged *judged,
		   size_t count, enum compare_time time)
{
	auto_free struct change *changes = xcalloc(count + 1, sizeof(*changes));

	for (size_t i = 0; i < count; i++)
		changes[i] = judged[i].of[time];
	change_adjust(changes, count, state->before_columns, compare_after_count(state));
	for (size_t i = 0; i < count; i++)
		judged[i].of[time] = changes[i];
}

struct compare_judged *compare_judge(const struct compare_state *state,
				     const struct compare_series *series,
				     compare_may_judge *may_judge)
{
	struct compare_judged *judged = xcalloc(series->count + 1, sizeof(*judged));

	for (uint32_t i = 0; i < series->count; i++)
		if (may_judge(state, i))
			judge(state, series, i, &judged[i]);
	for (int time = 0; time < COMPARE_TIMES; time++)
		adjust(state, judged, series->count, (enum compare_time)time);
	return judged;
}
