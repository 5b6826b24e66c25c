/* SPDX-License-Identifier: MIT */
/*
 * What can be said about one quantity of which two sides have a number for each run.
 * Must not call one run against one run significant.
 */
#pragma once

#include "analyzer/statistics/verdict.h"

#include <stdbool.h>
#include <stdint.h>

enum outcome {
	OUTCOME_OPEN, /* one run a side and noisy: shown, not judged */
	OUTCOME_UNCHANGED,
	OUTCOME_IMPROVED,
	OUTCOME_REGRESSED,
	OUTCOME_INCONCLUSIVE,
};

/*
 * A value that is an estimate has an error, half the width of its interval (95 %), which
 * the spread of the runs does not show: the cost of the hooks is too high or too low in
 * all of them. The errors of a side's runs go the same way; those of the sides may go the
 * same way (the same machine) or not (another one, another state of its caches). So a
 * difference counts when it is larger than both together, sqrt(before^2 + after^2); and
 * the sides are the same when they are so although only one error is there, by which
 * theirs differ, and both are known. What lies between is not told by more runs.
 */
struct change {
	double before, after; /* means over the runs of a side */
	double before_error, after_error;
	bool is_exact;	 /* countable, and all runs of a side agree */
	bool is_demoted; /* countable, but repeated runs differ: treated like a time */
	/* Tested: not exact, and more than one run on some side. */
	bool is_tested;
	struct statistics_shift ratio; /* after / before, errors included */
	struct statistics_shift shift; /* after - before, likewise */
	struct statistics_shift runs_ratio, runs_shift; /* by the runs alone */
	double p; /* adjusted when change_adjust() was called */
	enum outcome outcome;
	bool is_blurred;      /* inconclusive for the errors alone */
	unsigned runs_needed; /* a side in all; when inconclusive, 0: not known */
};

/* values: those of the side before, then those of the side after. is_countable: an event
 * count or a number of bytes, which a deterministic program repeats. */
struct change change_of(const int64_t *values, size_t before_count, size_t after_count,
			bool is_countable);
/* The same of times with an error each. */
struct change change_of_estimates(const int64_t *values, const int64_t *errors,
				  size_t before_count, size_t after_count);
/* What a difference has to exceed to be one. */
double change_error(const struct change *change);
/* An interval with the error that the sides can have at most, or have at least. */
struct statistics_shift change_widest(const struct change *change, bool is_ratio);
struct statistics_shift change_narrowest(const struct change *change, bool is_ratio);
/* An exact difference in bytes below 4 KiB and 0.1 % is no verdict of its own: two
 * programs' names and arguments differ in length. The numbers stay. */
void change_forgive_bytes(struct change *change);
/* The means alone, nothing judged; errors NULL: exact. */
struct change change_means(const int64_t *values, const int64_t *errors,
			   size_t before_count, size_t after_count);
/* Adjusts the p of all tested changes for their number and decides them anew. */
void change_adjust(struct change *changes, size_t count, size_t before_count,
		   size_t after_count);
/* Without any more or less, "unchanged" and so on; "-" for OUTCOME_OPEN. */
const char *outcome_word(enum outcome outcome);

/* A difference in self time as the part that more calls at the old cost would make, and
 * the rest: what the calls there are now cost more. They add up to the difference. */
struct change_split {
	double by_calls, by_cost;
};
struct change_split change_split(double calls_before, double self_before,
				 double calls_after, double self_after);
