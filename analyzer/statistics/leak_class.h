/* SPDX-License-Identifier: MIT */
/*
 * How the live bytes of an allocation site develop over snapshots.
 *
 * Given are at least five snapshots: times x, live bytes y, and how many of the bytes
 * live at the last one were freed after it. The rules, in this order:
 *
 *   freed at end  at most 2 % of the highest value is left: it went after the last
 *                 snapshot, or between the last two (then that one is left out); and up
 *                 to there one of the rules below held
 *   one-off       the gap between everything before one step up and everything after it
 *                 is at least 90 % of the range, and outside of the step nothing was
 *                 gained
 *   no trend      the Mann-Kendall test does not reject "no trend" at 5 %, or the
 *                 Theil-Sen slope is not positive and the last value not above the
 *                 first: steady, or freed again
 *   saturating    the second half has no significant trend and rises by less than 10 %
 *                 of what the first half rose by (a cache that fills up)
 *   growing       everything else with a trend
 *
 * A half's rise is its Theil-Sen slope times its duration; a first half whose median
 * slope is 0 counts with its last value less its first.
 *
 * Live bytes at one snapshot depend on the one before, and the test assumes that they do
 * not: on a site that wanders it finds a trend more often than 5 % of the time. It is a
 * sign, to be looked at, not a proof.
 */
#pragma once

#include <stddef.h>

#define LEAK_POINTS_LEAST 5
/* A significant trend. */
#define LEAK_P_HIGHEST 0.05

/* In the order in which they matter. */
enum leak_class {
	LEAK_GROWING,
	LEAK_SATURATING,
	LEAK_ONE_OFF,
	LEAK_FREED_AT_END,
	LEAK_NO_TREND,
};

struct leak_verdict {
	enum leak_class class;
	double slope; /* Theil-Sen, of all points; y per x */
	double p;     /* Mann-Kendall */
};

/* 0; -EINVAL: fewer than five points; -EDOM: all x are equal, or one is not finite. */
int leak_classify(const double *x, const double *y, size_t count, double freed_after_last,
		  struct leak_verdict *ret);

/* "growing", "saturating", "one-off", "freed at end", "no trend" */
const char *leak_class_name(enum leak_class class);
