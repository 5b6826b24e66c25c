/* SPDX-License-Identifier: MIT */
/*
 * What the tests of statistics.h need to know of chance alone: the normal distribution
 * and that of Mann and Whitney's U without ties. Must not be included outside
 * model/statistics*.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
