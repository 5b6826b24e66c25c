/* SPDX-License-Identifier: MIT */
/*
 * Mean self time of a call. All timed calls say which part of a call is its own; the
 * windows, which are a fair sample, how much longer or shorter calls are than those that
 * were timed before the function was counted. Must not return what is no number.
 */
#include "collector/account/rate.h"

#include <math.h>

/* Calls in one window resemble each other; how much of the variance they share. */
#define SHARED_VARIANCE 0.1
/* Windows are exact periods in which caches see the recorder's data. */
#define WINDOW_ERROR 0.03
/* Calls that were timed before a function was counted need not be like those after. */
#define UNSEEN_ERROR 0.25
/* Of a function that was never timed: one that is not worth its hooks. */
#define UNTIMED_ERROR_NS 10.0

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

static void scale_to_windows(struct rate *rate, const struct rate_sums *sums,
			     const struct hook_cost *cost)
{
	double below = sums->below_calls / sums->calls;
	double below_window = sums->below_window_calls / sums->calls;
	double hooks = cost->inner_ns + below * (cost->inner_ns + cost->outer_ns);
	double all = sums->raw_ns / sums->calls - hooks - below_window * cost->window_ns;
	double mean = sums->window_ns / sums->window_calls, own = rate->ns, share;
	/* in a window, all below are in it */
	double window = mean - hooks - (below_window > 0 ? below * cost->window_ns : 0);

	if (all > 0)
		share = clamp(own / all, 0, 1);
	else
		share = below > 0 ? 0.5 : 1;
	rate->error_ns = share * window_error(sums, mean);
	rate->ns = own + share * (window - all);
	rate->error_ns = hypot(rate->error_ns, WINDOW_ERROR * rate->ns);
}

void rate_find(struct rate *ret, const struct rate_sums *sums,
	       const struct hook_cost *cost)
{
	double children, most;

	*ret = (struct rate){.error_ns = UNTIMED_ERROR_NS};
	if (!(sums->calls >= 1))
		return;
	children = sums->child_calls / sums->calls;
	most = sums->raw_ns / sums->calls;
	ret->ns = (sums->self_ns - sums->hidden_ns) / sums->calls;
	if (sums->window_calls >= RATE_WINDOW_CALLS_LEAST) {
		scale_to_windows(ret, sums, cost);
		most = fmax(most, sums->window_ns / sums->window_calls);
	} else {
		ret->error_ns = UNSEEN_ERROR * fabs(ret->ns);
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
}

void rate_add_sums(struct rate_sums *to, const struct rate_sums *more)
{
	to->calls += more->calls;
	to->raw_ns += more->raw_ns;
	to->self_ns += more->self_ns;
	to->child_calls += more->child_calls;
	to->below_calls += more->below_calls;
	to->below_window_calls += more->below_window_calls;
	to->hidden_ns += more->hidden_ns;
	to->window_calls += more->window_calls;
	to->window_ns += more->window_ns;
	to->window_squares += more->window_squares;
	to->windows += more->windows;
}
