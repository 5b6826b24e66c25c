/* SPDX-License-Identifier: MIT */
/*
 * By what the rows of a comparison are ordered.
 *
 * The share of a subject is the largest of its shares in time, allocations and bytes:
 * |difference| over what the larger side has in all. So a function that began to allocate
 * stands above one whose time varied by a little. A difference in time that is not larger
 * than its error is none, nor is one between a time that was measured and an estimate.
 */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/model/units.h"

#include <math.h>

/* In a single pair counts are certain and times are not: a machine that stood still for a
 * moment put a function with nothing changed above one with 20 times the allocations. */
#define PAIR_TIME_WEIGHT 0.5

static double run_scale(const struct compare_state *state, enum run_metric metric)
{
	return fmax(state->run_changes[metric].before, state->run_changes[metric].after);
}

static double share_of(const struct compare_state *state,
		       const struct compare_series *series, uint32_t subject,
		       size_t metric, enum run_metric scale)
{
	struct change change = compare_means(state, series, subject, metric);
	double all = run_scale(state, scale);

	return all > 0 ? fabs(compare_known_difference(&change)) / all : 0;
}

/* How long it was ready is the doing of others, as a rule. */
static double share_of_time(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject)
{
	if (!compare_has_cpu(state))
		return share_of(state, series, subject, COMPARE_self_ns, RUN_SELF);
	return fmax(share_of(state, series, subject, COMPARE_self_cpu_ns, RUN_CPU),
		    share_of(state, series, subject, COMPARE_self_blocked_ns, RUN_SELF));
}

/* The largest share in time (when the subject has it), allocations and bytes. */
double compare_share(const struct compare_state *state,
		     const struct compare_series *series, uint32_t subject)
{
	bool is_function = series == &state->comparison.function_values;
	bool is_site = series == &state->comparison.site_values;
	struct change main;
	double count = share_of(state, series, subject,
				is_function ? COMPARE_OWN_COUNT
				: is_site   ? (size_t)COMPARE_SITE_alloc_count
					    : COMPARE_alloc_count,
				RUN_ALLOC_COUNT);
	double bytes = share_of(state, series, subject,
				is_function ? COMPARE_OWN_BYTES
				: is_site   ? (size_t)COMPARE_SITE_alloc_bytes
					    : COMPARE_alloc_bytes,
				RUN_ALLOC_BYTES);
	double time = 0;

	if (series == &state->component_values) {
		main = compare_means(state, series, subject, compare_main_metric(state));
		return fabs(compare_known_difference(&main));
	}
	if (!is_site && (!is_function || compare_is_judged(state, subject)))
		time = share_of_time(state, series, subject);
	if (compare_is_pair(state))
		time *= PAIR_TIME_WEIGHT;
	return fmax(fmax(count, bytes), time);
}

static bool has_moved(const struct change *change)
{
	return change->outcome == OUTCOME_REGRESSED ||
	       change->outcome == OUTCOME_IMPROVED;
}

static bool is_same(const struct compare_state *state,
		    const struct compare_series *series, uint32_t subject, size_t metric)
{
	struct change change = compare_means(state, series, subject, metric);

	return change.before == change.after;
}

enum compare_kind compare_kind_of(const struct compare_state *state,
				  const struct compare_series *series, uint32_t subject,
				  const struct compare_judged *judged)
{
	bool is_function = series == &state->comparison.function_values;

	if (series == &state->comparison.site_values ||
	    series == &state->component_values)
		return COMPARE_CHANGED;
	if (!is_same(state, series, subject, COMPARE_calls) ||
	    !is_same(state, series, subject,
		     is_function ? (size_t)COMPARE_OWN_COUNT : COMPARE_alloc_count) ||
	    !is_same(state, series, subject,
		     is_function ? (size_t)COMPARE_OWN_BYTES : COMPARE_alloc_bytes))
		return COMPARE_CHANGED;
	if (judged && compare_main(state, judged)->outcome == OUTCOME_UNCHANGED &&
	    !has_moved(&judged->ready) && !has_moved(&judged->blocked))
		return COMPARE_UNCHANGED;
	if (compare_share(state, series, subject) > 0)
		return COMPARE_CHANGED;
	return is_same(state, series, subject, compare_main_metric(state))
		       ? COMPARE_UNCHANGED
		       : COMPARE_BLURRED;
}

bool compare_is_zero(const struct compare_series *series, uint32_t subject)
{
	const int64_t *values = compare_values(series, subject, 0);

	for (size_t i = 0; i < series->metric_count * series->run_count; i++)
		if (values[i])
			return false;
	return true;
}

bool compare_is_judged(const struct compare_state *state, uint32_t function)
{
	return !state->has_levels &&
	       compare_is_alike(&state->comparison.functions[function]);
}
