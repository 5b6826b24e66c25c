/* SPDX-License-Identifier: MIT */
/*
 * How long a call of a function takes that is not timed each time, with its error. Must
 * not know where the numbers come from.
 */
#pragma once

#include "collector/merge/hook_cost.h"

/* What is known of the timed calls of a function; times are ns. */
struct rate_sums {
	double calls;	     /* all with frames */
	double timed_calls;  /* those of them that the following is about */
	double raw_ns;	     /* with the cost of hooks, callees included */
	double self_ns;	     /* without the cost of hooks, may be negative */
	double child_calls;  /* made by them, with frames */
	double below_calls;  /* all with frames below them */
	double nested_calls; /* entries with frames beside them (merge/variants.h) */
	double hidden_ns; /* in self_ns: time of calls that they made without a frame */
	/* those of them in windows, which are spread over the run */
	double window_calls, window_ns, window_squares;
	double windows; /* how many windows there were */
};

struct rate {
	double ns;	 /* self time of a call, not negative */
	double error_ns; /* standard deviation, without that of the hooks' cost */
	double hooks_ns; /* by which ns is less for each ns that a pair of hooks costs
			    more, in standard deviations of that */
	double split_ns; /* likewise of the split */
};

/* Windows with fewer calls together say nothing. */
#define RATE_WINDOW_CALLS_LEAST 30

/* code_bytes: of the function's code; 0: not known, then only the timed calls count. */
void rate_find(struct rate *ret, const struct rate_sums *sums,
	       const struct hook_cost *cost, double code_bytes);
void rate_add_sums(struct rate_sums *to, const struct rate_sums *more);
