/* SPDX-License-Identifier: MIT */
/*
 * Judges the totals of the runs; formats amounts. Must not call a single pair of times
 * better or worse.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum column_type type;
	bool is_countable;
} metrics[RUN_METRIC_COUNT] = {
	[RUN_WALL] = {COLUMN_NSEC, false},
	[RUN_HOOKS] = {COLUMN_NSEC, false},
	[RUN_RAW_WALL] = {COLUMN_NSEC, false},
	[RUN_CPU] = {COLUMN_NSEC, false},
	[RUN_SELF] = {COLUMN_NSEC, false},
	[RUN_CALLS] = {COLUMN_COUNT, true},
	[RUN_ALLOC_COUNT] = {COLUMN_COUNT, true},
	[RUN_ALLOC_BYTES] = {COLUMN_BYTES, true},
	[RUN_PEAK] = {COLUMN_BYTES, true},
	[RUN_LIVE] = {COLUMN_BYTES, true},
};

static void put_number(struct strbuf *text, double amount, enum column_type type)
{
	int64_t whole = whole_number(round(amount));

	if (type == COLUMN_NSEC)
		units_nsec(text, whole);
	else if (type == COLUMN_BYTES)
		units_bytes(text, whole);
	else
		units_count(text, whole);
}

/* Marks means of counts that differ: they are not exact. */
static void mark(struct strbuf *text, double amount, bool is_known, enum column_type type)
{
	if (!is_known || (type == COLUMN_COUNT && amount != round(amount)))
		strbuf_putc(text, '~');
}

void compare_put_amount(struct strbuf *text, double amount, double error,
			enum column_type type)
{
	if (type == COLUMN_NSEC) {
		units_nsec_error(text, whole_number(amount), whole_number(error),
				 UNITS_ERROR_SIGN);
	} else {
		mark(text, amount, true, type);
		put_number(text, amount, type);
	}
}

void compare_put_difference(struct strbuf *text, double difference, double error,
			    enum column_type type)
{
	mark(text, difference, units_is_known(difference, error), type);
	if (difference > 0)
		strbuf_putc(text, '+');
	put_number(text, difference, type);
}

double compare_known_difference(const struct change *change)
{
	double difference = change->after - change->before;

	return units_is_known(difference, change_error(change)) ? difference : 0;
}

static bool is_of_recorder(enum run_metric metric)
{
	return metric == RUN_HOOKS || metric == RUN_RAW_WALL;
}

enum column_type compare_total_type(enum run_metric metric)
{
	return metrics[metric].type;
}

static struct change judge_total(const struct compare_state *state,
				 enum run_metric metric)
{
	const int64_t *values = compare_totals(state, metric);
	struct change_errors errors = {
		.errors = compare_errors(state, metric),
		.hooks = compare_hooks(state, metric),
		.is_common = state->has_common_errors,
		.drift = state->drift,
	};
	size_t before = state->before_columns, after = compare_after_count(state);
	struct change change;

	if (is_of_recorder(metric))
		return change_means(values, &errors, before, after);
	if (metrics[metric].type == COLUMN_NSEC)
		return change_of_estimates(values, &errors, before, after);
	change = change_of(values, before, after, metrics[metric].is_countable);
	if (metrics[metric].type == COLUMN_BYTES)
		change_forgive_bytes(&change);
	/* Threads take turns differently each time: one measurement of the peak is as
	 * uncertain as a time. */
	if (metric == RUN_PEAK && state->has_threads && compare_is_pair(state))
		change.outcome = OUTCOME_OPEN;
	return change;
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_alike(const struct compare_run *a, const struct compare_run *b)
{
	return same(a->level, b->level) && same(a->cpu_model, b->cpu_model) &&
	       same(a->host, b->host) && same(a->kernel, b->kernel) &&
	       same(a->clock, b->clock) && same(a->shim_version, b->shim_version);
}

/* Whether errors are common to all runs: what is wrong with times of one run is equally
 * wrong in runs like it. Functions of different levels are not compared, since a program
 * that is recorded differently runs differently, too. */
static void find_common(struct compare_state *state)
{
	auto_free double *costs = xreallocarray(NULL, state->run_count, sizeof(*costs));

	state->has_common_errors = true;
	for (size_t i = 0; i < state->run_count; i++) {
		state->has_common_errors &= is_alike(&state->runs[0], &state->runs[i]);
		state->has_levels |= !same(state->runs[0].level, state->runs[i].level);
		costs[i] = state->runs[i].hook_cost_ns;
	}
	state->drift = change_drift(costs, state->before_count,
				    state->run_count - state->before_count);
}

void compare_judge_totals(struct compare_state *state)
{
	find_common(state);
	for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
		state->run_changes[i] = judge_total(state, (enum run_metric)i);
}
