/* SPDX-License-Identifier: MIT */
/*
 * What can be said about one quantity of which two sides have a number for each run.
 * Must not call one run against one run significant.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/statistics/statistics.h"

/*
 * The one word about a noisy quantity of which less is better: did it change by more
 * than the tolerance?. Must not judge exactly determined quantities (counts): those are
 * compared.
 */

#define VERDICT_CONFIDENCE 0.95
#define VERDICT_ALPHA (1 - VERDICT_CONFIDENCE)

enum outcome {
	OUTCOME_OPEN, /* one run a side and noisy: shown, not judged */
	OUTCOME_UNCHANGED,
	OUTCOME_IMPROVED,
	OUTCOME_REGRESSED,
	OUTCOME_INCONCLUSIVE,
};

/*
 * ratio: after / before, from statistics_ratio() at VERDICT_CONFIDENCE. p: of
 * statistics_mann_whitney(), adjusted when several quantities are judged together.
 *
 *   regressed     the whole interval lies above 1 + tolerance and p <= VERDICT_ALPHA
 *   improved      the whole interval lies below 1 - tolerance and p <= VERDICT_ALPHA
 *   unchanged     the whole interval lies within 1 -+ tolerance
 *   inconclusive  else, and always when the runs are too few for the confidence
 *
 * An interval that only leaves 1 outside is not enough for a change: with many runs
 * every rebuild would "regress" by a true but irrelevant 0.1 %. p is asked as well
 * because the interval knows nothing of the other quantities it is listed with.
 *
 * Measured by test_verdict.c (normal and heavy-tailed noise, 10 v 10 runs):
 *   called changed of 10,000 pairs without a change: at 1 % noise none, at 5 % noise
 *     0.42 % at most; 4.52 % at most even with tolerance 0, where only the test protects
 *   any of 50 unchanged functions called changed, p adjusted: none at 1 % noise, in 2.8 %
 *     of 1,000 comparisons at 5 %; in 4.3 % at most with tolerance 0
 *   called unchanged without a change: 96 % at 1 % noise, at 5 % next to never
 *   4 % slower, 1 % noise, 20 v 20 runs: all of 2,000 found, also as one of 50 functions
 * The runs must be interleaved: a machine that slows down between the sides is a change.
 */
enum outcome verdict_of(const struct statistics_shift *ratio, double p, double tolerance);

/* The tolerance when the user sets none, of the sides' numbers of runs: 2 % with 10 runs
 * or more on both sides, else 5 %. */
double verdict_tolerance(size_t before, size_t after);

/*
 * A value that is an estimate has an error, half the width of its interval (95 %), which
 * the spread of the runs does not show: the cost of the hooks is too high or too low in
 * all of them. The errors of a side's runs go the same way.
 *
 * Those of the sides may go the same way or not. Of recordings of one machine and level
 * they do: the same hooks cost the same in both. So what is wrong with `after` is wrong
 * with `before`, in proportion to the hooks, and of the difference only what more or
 * fewer hooks make: JCGM 100:2008 (GUM) 5.2.2, for inputs that are correlated with r = 1
 * the contributions add up with their signs, so with u(c) of the cost of a hook
 *
 *   u(after - before) = |N_after - N_before| u(c)
 *   u(after / before) = after / before * |N_after / after - N_before / before| u(c)
 *
 * The cost is measured anew for each recording. What that scatters is in the spread of
 * the runs; by how much more the sides' costs differ than by chance (drift) is an error
 * of its own, N times as large, of which the square is added.
 *
 * Of others (another machine, another level) it is not known: a difference counts when it
 * is larger than both errors, sqrt(before^2 + after^2), and the sides are the same when
 * they are so although only one error is there, by which theirs differ, and both are
 * known. What lies between is not told by more runs.
 *
 * Where a side may be nothing but its error there is no ratio; but a difference that is
 * known is at least so many per cent as it is of the most that there can have been
 * before.
 */
struct change_errors {
	const int64_t *errors; /* one for each run */
	/* What the hooks took of each value, which the errors are in proportion to. NULL:
	 * not known, then the errors themselves differ by as much. */
	const int64_t *hooks;
	bool is_common; /* one machine, one level */
	double drift;	/* of the cost of the hooks, a part of it */
};

struct change {
	double before, after; /* means over the runs of a side */
	double before_error, after_error;
	/* Of after - before, and of after / before as a part of it; and the least that
	 * they can be, where it is not known how the sides' go together. */
	double shift_error, ratio_error, least_shift_error, least_ratio_error;
	double most_before; /* where a side is not known but the difference is; else 0 */
	bool is_exact;	    /* countable, and all runs of a side agree */
	bool is_demoted;    /* countable, but repeated runs differ: treated like a time */
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
struct change change_of_estimates(const int64_t *values,
				  const struct change_errors *errors, size_t before_count,
				  size_t after_count);
/* The same of what is a part of something larger, such as waits in a function's time:
 * what counts is by how much it makes the whole longer. whole: of the side before. */
struct change change_of_part(const int64_t *values, const struct change_errors *errors,
			     size_t before_count, size_t after_count, double whole);
/* What a difference has to exceed to be one. */
double change_error(const struct change *change);
/* An interval with the error that the sides can have at most, or have at least. */
struct statistics_shift change_widest(const struct change *change, bool is_ratio);
struct statistics_shift change_narrowest(const struct change *change, bool is_ratio);
/* An exact difference in bytes below 4 KiB and 0.1 % is no verdict of its own: two
 * programs' names and arguments differ in length. The numbers stay. */
void change_forgive_bytes(struct change *change);
/* The means alone, nothing judged; errors NULL: exact. */
struct change change_means(const int64_t *values, const struct change_errors *errors,
			   size_t before_count, size_t after_count);
/* By how much costs of hooks, one for each run, differ more than by chance: a part. Of
 * one run a side all of it counts. Not > 0: there is none. */
double change_drift(const double *costs, size_t before_count, size_t after_count);
/* Adjusts the p of all tested changes for their number and decides them anew. */
void change_adjust(struct change *changes, size_t count, size_t before_count,
		   size_t after_count);
/* Without any more or less, "unchanged" and so on; "-" for OUTCOME_OPEN. */
const char *outcome_word(enum outcome outcome);
