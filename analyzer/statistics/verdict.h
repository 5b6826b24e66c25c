/* SPDX-License-Identifier: MIT */
/*
 * The one word about a noisy quantity of which less is better: did it change by more
 * than the tolerance?. Must not judge exactly determined quantities (counts): those are
 * compared.
 */
#pragma once

#include "analyzer/statistics/statistics.h"

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
