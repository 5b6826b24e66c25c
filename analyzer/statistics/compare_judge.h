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

struct change {
	double before, after; /* means over the runs of a side */
	bool is_exact;	      /* countable, and all runs of a side agree */
	bool is_demoted; /* countable, but repeated runs differ: treated like a time */
	/* Tested: not exact, and more than one run on some side. */
	bool is_tested;
	struct statistics_shift ratio; /* after / before */
	struct statistics_shift shift; /* after - before */
	double p;		       /* adjusted when change_adjust() was called */
	enum outcome outcome;
	unsigned runs_needed; /* a side in all; when inconclusive, 0: not known */
};

/* values: those of the side before, then those of the side after. is_countable: an event
 * count or a number of bytes, which a deterministic program repeats. */
struct change change_of(const int64_t *values, size_t before_count, size_t after_count,
			bool is_countable);
/* An exact difference in bytes below 4 KiB and 0.1 % is no verdict of its own: two
 * programs' names and arguments differ in length. The numbers stay. */
void change_forgive_bytes(struct change *change);
/* The means alone, nothing judged. */
struct change change_means(const int64_t *values, size_t before_count,
			   size_t after_count);
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
