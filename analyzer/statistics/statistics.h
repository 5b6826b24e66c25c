/* SPDX-License-Identifier: MIT */
/*
 * The statistics of before and after: rank test, shift with interval, correction for
 * many tests, trend. Pure functions, no state, no random numbers. One value stands for
 * one RUN: calls of one run share its address layout and clock speed and are no
 * replicates.
 *
 * Sources of the formulas:
 *   Mann and Whitney, Annals of Mathematical Statistics 18 (1947) 50; ties and the
 *     continuity correction: Lehmann, Nonparametrics (1975), sections 1.3 and 1.4
 *   Hodges and Lehmann, Ann. Math. Stat. 34 (1963) 598; its interval: Hollander and
 *     Wolfe, Nonparametric Statistical Methods, section 4.3. It keeps its confidence
 *     with ties: Noether, J. American Statistical Association 62 (1967) 184
 *   Benjamini and Hochberg, J. Royal Statistical Society B 57 (1995) 289
 *   Theil (1950), Sen (J. ASA 63 (1968) 1379); Mann (1945), Kendall, Rank Correlation
 *     Methods, chapters 4 and 5
 * They agree with R 4.2 and scipy 1.10: tests/unit/analyzer/statistics_oracles.py.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * What the tests of statistics.h need to know of chance alone: the normal distribution
 * and that of Mann and Whitney's U without ties. Must not be included outside
 * model/statistics*.c.
 */

/* The largest m * n whose distribution of U is counted out. Then all counts are below
 * the binomial coefficient 100 over 50 = 1.01e29, which 128 bits hold. */
enum { NULL_U_PRODUCT = 2500 };

/* qsort() order of doubles. */
int null_compare(const void *left, const void *right);
bool null_all_finite(const double *values, size_t count);

/* The probability of a standard normal value >= z. */
double null_normal_above(double z);
/* The z with probability p below it, p inside (0, 1). */
double null_normal_quantile(double p);
/* Standard deviation of U without ties. */
double null_u_deviation(double m, double n);
/* cumulative[u] = P(U <= u) for u < count, count <= NULL_U_PRODUCT / 2 + 1; m, n > 0,
 * m * n <= NULL_U_PRODUCT. */
void null_u_cumulative(size_t m, size_t n, double *cumulative, size_t count);

/* Two-sided p-value of "both sides come from the same distribution": the probability
 * that the rank sum lies as far from its mean as the one observed. Exact while m * n is
 * at most 2500, with ties while (min(m, n) + 1) * (m + n)^2 is about 35,000 (20 v 20);
 * beyond that the normal approximation with tie and continuity correction. All values
 * equal: 1. NAN: a side is empty or a value is not finite. */
double statistics_mann_whitney(const double *a, size_t m, const double *b, size_t n);

struct statistics_shift {
	double estimate, low, high;
	double confidence; /* really reached; below what was asked with too few runs */
};

/* Hodges-Lehmann estimate of the shift b - a, the median of the m * n differences, with
 * its interval from their order statistics: exact index while m * n is at most 2500, else
 * by normal approximation. 1 v 1 gives a point of confidence 0. -EDOM: a side is empty
 * or a value is not finite; -EINVAL: confidence is not inside (0, 1). */
int statistics_shift(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret);
/* The same for the ratio b / a, on logarithms. -EDOM also when a value is not > 0. */
int statistics_ratio(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret);

/* Student's t with 2.5 % above it (Abramowitz and Stegun 26.7.5), and the probability of
 * one as far from 0 on either side (26.7.3 and 26.7.4). freedom: from 1 on. */
double statistics_t_quantile(double freedom);
double statistics_t_outside(double t, size_t freedom);

/* Benjamini-Hochberg adjusted p-values in place: taking those <= q keeps the expected
 * share of false ones among them at q. NAN stays NAN and does not count. */
void statistics_adjust(double *p, size_t count);

/* Both sort values. NAN: there are none. */
double statistics_median(double *values, size_t count);
/* The median of the distances from the median, not scaled to a standard deviation. */
double statistics_median_deviation(double *values, size_t count);

/* Smallest number of runs a side with which the rank test finds an effect of this
 * relative size with this power: 2 pi / 3 * ((z + z) * noise / effect)^2 (two normal
 * samples; the test needs pi / 3 times the runs of a t-test), and at least so many that
 * its smallest p-value, 2 / (2n over n), reaches 1 - confidence. noise: the relative
 * standard deviation, 1.4826 median deviations over the median. Capped at UINT_MAX.
 * 0: no such number (effect <= 0, noise < 0, or a probability not inside (0, 1)). */
unsigned statistics_runs_needed(double effect, double noise, double confidence,
				double power);

/* Theil-Sen slope of y over x (the median over pairs with different x) and the two-sided
 * Mann-Kendall p-value of "no trend": exact for at most 20 points without ties, else
 * normal with tie and continuity correction. -EDOM: fewer than two different x, or a
 * value is not finite. */
int statistics_trend(const double *x, const double *y, size_t count, double *ret_slope,
		     double *ret_p);
