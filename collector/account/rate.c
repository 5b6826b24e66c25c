/* SPDX-License-Identifier: MIT */
/*
 * Mean self time of a call. Windows are a fair sample, so of a function that calls none
 * with frames their mean counts. Of others they say how long a call takes with all below
 * it, which hooks make several times longer than the call itself: there the mean of all
 * timed calls counts. Scaling that by the windows was tried: for accessors of SQLite it
 * gave up to seven times their time.
 *
 * What hooks cost on one path is known to some nanoseconds only, and most calls that are
 * counted take less than that: then their mean says little, and may be negative. So it
 * counts as far as it is away from what a call of so much code takes in other programs.
 * Must not return what is no number.
 */
#include "collector/account/rate.h"

#include <math.h>

/* Calls in one window resemble each other; how much of the variance they share. */
#define SHARED_VARIANCE 0.1
/* Windows are exact periods in which caches see the recorder's data. */
#define WINDOW_ERROR 0.03
/* Calls that were timed before a function was counted need not be like those after. */
#define UNSEEN_ERROR 0.25
/* Of calls below for each call: fewer make no difference. */
#define LEAF_CALLS 0.05
/* Of a function that was never timed: one that is not worth its hooks. */
#define UNTIMED_ERROR_NS 10.0

/* What a call takes by itself, for each root of a byte of its code, as part of what it
 * takes to count one on this machine. Of eight plain programs the middle of the functions
 * called most is 0.01 to 0.04, the sum of all 0.03 to 0.1 (bzip2, which is loops: 0.14
 * and 0.5). Half of the functions are within a factor of 2 to 4 of that; in lz4 and a
 * program of tiny functions, most of which cost nothing, fewer. */
#define CODE_PART 0.04
/* So many standard deviations away from that, a mean counts for half. */
#define DOUBT 2.0
/* How far the hooks of one path's calls are from what all cost: a part. In windows the
 * mean is of many paths. */
#define PATH_NOISE 0.5
#define WINDOW_NOISE 0.1

static double positive(double value)
{
	return value > 0 && value < HUGE_VAL ? value : 0;
}

static double clamp(double value, double least, double most)
{
	return value > least ? (value < most ? value : most) : least;
}

/* Standard error of the windows' mean duration. */
static double window_error(const struct rate_sums *sums, double mean)
{
	double calls = sums->window_calls, windows = clamp(sums->windows, 1, calls);
	double variance = sums->window_squares / calls - mean * mean;
	double alike = 1 + (calls / windows - 1) * SHARED_VARIANCE;

	if (!(sums->window_squares >= 0 && sums->window_squares < HUGE_VAL))
		variance = mean * mean; /* a damaged number */
	return sqrt(positive(variance) * alike / calls);
}

/* Of a function that calls none, all is its own. */
static int is_leaf(const struct rate_sums *sums)
{
	return sums->below_calls + sums->nested_calls < LEAF_CALLS * sums->timed_calls;
}

/* Windows are enough, and tell what is the call's own. */
static int has_window_mean(const struct rate_sums *sums)
{
	return sums->window_calls >= RATE_WINDOW_CALLS_LEAST && is_leaf(sums);
}

/* What a call takes with all below it, in windows. */
static double window_mean(const struct rate_sums *sums, const struct hook_cost *cost)
{
	return sums->window_ns / sums->window_calls - cost->inner_ns -
	       cost->window_inner_ns;
}

static void take_windows(struct rate *rate, const struct rate_sums *sums,
			 const struct hook_cost *cost)
{
	double mean = sums->window_ns / sums->window_calls;

	rate->ns = window_mean(sums, cost) - sums->hidden_ns / sums->timed_calls;
	rate->error_ns = hypot(window_error(sums, mean), WINDOW_ERROR * rate->ns);
	rate->error_ns = hypot(rate->error_ns, cost->window_inner_error_ns);
}

/* A call's own time is not more than that with all below it: what is more comes from
 * calls that were open when the function's calls began to be counted, and hold their
 * time. */
static void take_all(struct rate *rate, const struct rate_sums *sums,
		     const struct hook_cost *cost)
{
	rate->ns = (sums->self_ns - sums->hidden_ns) / sums->timed_calls;
	if (sums->window_calls >= RATE_WINDOW_CALLS_LEAST &&
	    rate->ns > window_mean(sums, cost))
		rate->ns = window_mean(sums, cost);
	rate->error_ns = UNSEEN_ERROR * fabs(rate->ns);
}

static double expected_ns(const struct hook_cost *cost, double code_bytes)
{
	return CODE_PART * cost->counted_ns * sqrt(code_bytes);
}

/* Standard deviation of the mean of the timed calls. */
static double noise_of(const struct rate *rate, const struct rate_sums *sums,
		       const struct hook_cost *cost)
{
	double children = sums->child_calls / sums->timed_calls;
	double pairs = cost->split + children * (1 - cost->split);
	double pair_ns = pairs * (cost->inner_ns + cost->outer_ns);
	double noise = hypot(hypot(rate->hooks_ns, rate->split_ns), rate->error_ns);
	double part = has_window_mean(sums) ? WINDOW_NOISE : PATH_NOISE;

	return hypot(noise, part * pair_ns);
}

/* Between the mean and what is expected of so much code. Never less than half of that:
 * no call takes nothing. */
static void expect(struct rate *rate, const struct rate_sums *sums,
		   const struct hook_cost *cost, double code_bytes)
{
	double expected = expected_ns(cost, code_bytes);
	double noise = noise_of(rate, sums, cost), more = rate->ns - expected;
	double doubt = DOUBT * DOUBT * noise * noise;
	double trust = more * more / (more * more + doubt), other;

	if (!(expected > 0 && trust >= 0))
		return;
	rate->ns = expected + trust * (more > 0 ? more : -expected / 2);
	other = hypot(2 * expected, more > 0 ? more : 0);
	rate->error_ns = hypot(trust * noise, (1 - trust) * other);
	rate->hooks_ns *= trust;
	rate->split_ns *= trust;
}

void rate_find(struct rate *ret, const struct rate_sums *sums,
	       const struct hook_cost *cost, double code_bytes)
{
	double children, most;

	*ret = (struct rate){.ns = expected_ns(cost, code_bytes),
			     .error_ns = UNTIMED_ERROR_NS};
	if (!(sums->timed_calls >= 1))
		return;
	children = sums->child_calls / sums->timed_calls;
	most = sums->raw_ns / sums->timed_calls;
	if (has_window_mean(sums)) {
		take_windows(ret, sums, cost);
		most = fmax(most, sums->window_ns / sums->window_calls);
	} else {
		take_all(ret, sums, cost);
	}
	if (ret->ns < 0)
		ret->error_ns = hypot(ret->error_ns, ret->ns);
	ret->ns = clamp(ret->ns, 0, positive(most));
	ret->error_ns = clamp(ret->error_ns, 0, positive(most));
	ret->hooks_ns =
		(cost->split + children * (1 - cost->split)) * cost->hook_error_ns;
	ret->split_ns =
		(1 - children) * (cost->inner_ns + cost->outer_ns) * cost->split_error;
	if (!(fabs(ret->hooks_ns) < HUGE_VAL && fabs(ret->split_ns) < HUGE_VAL))
		ret->hooks_ns = ret->split_ns = 0;
	expect(ret, sums, cost, code_bytes);
	ret->ns = clamp(ret->ns, 0, positive(most));
}

void rate_add_sums(struct rate_sums *to, const struct rate_sums *more)
{
	to->calls += more->calls;
	to->timed_calls += more->timed_calls;
	to->raw_ns += more->raw_ns;
	to->self_ns += more->self_ns;
	to->child_calls += more->child_calls;
	to->below_calls += more->below_calls;
	to->nested_calls += more->nested_calls;
	to->hidden_ns += more->hidden_ns;
	to->window_calls += more->window_calls;
	to->window_ns += more->window_ns;
	to->window_squares += more->window_squares;
	to->windows += more->windows;
}
