/* SPDX-License-Identifier: MIT */
/*
 * Does it grow? Theil-Sen slope and Mann-Kendall test. Must not be thrown off by single
 * outliers: both look at pairs only.
 */
#include "analyzer/statistics/statistics.h"
#include "analyzer/statistics/null.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* 20! is the last factorial below 2^64. */
enum { EXACT_POINTS = 20, EXACT_PAIRS = EXACT_POINTS * (EXACT_POINTS - 1) / 2 };

/* Sums over groups of t equal values. */
struct ties {
	double pairs, triples, variance; /* t(t-1), t(t-1)(t-2), t(t-1)(2t+5) */
};

static struct ties find_ties(const double *values, size_t count)
{
	struct ties ties = {0};

	/* Each of the t values of a group adds the t-th part of the group's terms. */
	for (size_t i = 0; i < count; i++) {
		double t = 0;

		for (size_t j = 0; j < count; j++)
			t += values[j] == values[i];
		ties.pairs += t - 1;
		ties.triples += (t - 1) * (t - 2);
		ties.variance += (t - 1) * (2 * t + 5);
	}
	return ties;
}

/* The number of orders of count values with k pairs the wrong way round is the
 * coefficient of q^k in the product over i = 1..count of (1 - q^i) / (1 - q). score:
 * pairs in order less pairs the wrong way round. */
static double p_exact(size_t count, double score)
{
	uint64_t ways[EXACT_PAIRS + 1] = {1}, total = 1, few = 0;
	size_t pairs = count * (count - 1) / 2;
	size_t wrong = (pairs - (size_t)fabs(score)) / 2;

	for (size_t i = 2; i <= count; i++) {
		for (size_t k = wrong + 1; k-- > i;)
			ways[k] -= ways[k - i];
		for (size_t k = 1; k <= wrong; k++)
			ways[k] += ways[k - 1];
		total *= i;
	}
	for (size_t k = 0; k <= wrong; k++)
		few += ways[k];
	return fmin(1, 2 * ((double)few / (double)total));
}

static double p_normal(double n, double score, const struct ties *x, const struct ties *y)
{
	double variance = (n * (n - 1) * (2 * n + 5) - x->variance - y->variance) / 18;

	variance += x->pairs * y->pairs / (2 * n * (n - 1));
	if (n > 2)
		variance += x->triples * y->triples / (9 * n * (n - 1) * (n - 2));
	if (fabs(score) <= 1 || variance <= 0)
		return 1;
	return 2 * null_normal_above((fabs(score) - 1) / sqrt(variance));
}

static double trend_p(const double *x, const double *y, size_t count, double score)
{
	struct ties x_ties = find_ties(x, count), y_ties = find_ties(y, count);

	if (count <= EXACT_POINTS && x_ties.pairs == 0 && y_ties.pairs == 0)
		return p_exact(count, score);
	return p_normal((double)count, score, &x_ties, &y_ties);
}

int statistics_trend(const double *x, const double *y, size_t count, double *ret_slope,
		     double *ret_p)
{
	double *slopes, score = 0;
	size_t product, found = 0;

	if (!null_all_finite(x, count) || !null_all_finite(y, count))
		return -EDOM;
	if (__builtin_mul_overflow(count, count, &product))
		return -ENOMEM;
	slopes = reallocarray(NULL, product / 2 + 1, sizeof(*slopes));
	if (!slopes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			double across = x[j] - x[i], up = y[j] - y[i];

			if (across == 0)
				continue;
			slopes[found++] = up / across;
			if (up != 0)
				score += (up > 0) == (across > 0) ? 1 : -1;
		}
	}
	if (found) {
		*ret_slope = statistics_median(slopes, found);
		*ret_p = trend_p(x, y, count, score);
	}
	free(slopes);
	return found ? 0 : -EDOM;
}
