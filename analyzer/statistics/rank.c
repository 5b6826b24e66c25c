/* SPDX-License-Identifier: MIT */
/*
 * Tests that look at pairs of values only, so that single outliers throw none off: the
 * Mann-Whitney rank test, the Hodges-Lehmann shift with its interval, the Theil-Sen slope
 * with the Mann-Kendall test. Must not call values equal that are not: a tie is the same
 * double; nor draw random numbers: the same runs give the same answers.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "analyzer/statistics/statistics.h"
#include "common/base/xalloc.h"

/* Ranks are kept doubled, so that the middle rank of tied values is a whole number. */
struct ranked {
	double value;
	bool of_small; /* of the side with fewer values */
	uint32_t rank2;
};

struct ranking {
	struct ranked *values; /* all of both sides, ascending */
	size_t count, small;   /* values, values of the smaller side */
	uint64_t sum2;	       /* doubled rank sum of the smaller side */
	double ties;	       /* sum of t^3 - t over groups of t equal values */
};

/* The exact distribution with ties needs a table of (small + 1) * (count * (count + 1)
 * + 1) numbers. 20 v 20 makes 34,461: 270 KiB, 0.2 ms. */
enum { TIED_CELLS_MAX = 36000 };

static int compare_ranked(const void *left, const void *right)
{
	return null_compare(&((const struct ranked *)left)->value,
			    &((const struct ranked *)right)->value);
}

static void rank_values(struct ranking *ranking)
{
	struct ranked *values = ranking->values;

	qsort(values, ranking->count, sizeof(*values), compare_ranked);
	for (size_t start = 0, end; start < ranking->count; start = end) {
		double size;

		for (end = start + 1; end < ranking->count; end++)
			if (values[end].value != values[start].value)
				break;
		for (size_t i = start; i < end; i++) {
			values[i].rank2 = (uint32_t)(start + 1 + end);
			if (values[i].of_small)
				ranking->sum2 += values[i].rank2;
		}
		size = (double)(end - start);
		ranking->ties += size * size * size - size;
	}
}

static double p_untied(const struct ranking *ranking)
{
	size_t small = ranking->small, large = ranking->count - small;
	size_t u = ranking->sum2 / 2 - small * (small + 1) / 2;
	double cumulative[NULL_U_PRODUCT / 2 + 1];

	if (u > small * large - u)
		u = small * large - u;
	null_u_cumulative(small, large, cumulative, u + 1);
	return fmin(1, 2 * cumulative[u]);
}

static size_t tied_cells(const struct ranking *ranking)
{
	return (ranking->small + 1) * (ranking->count * (ranking->count + 1) + 1);
}

/* ways[k][s]: in how many ways k of the values seen so far have the doubled
 * rank sum s. */
static void count_ways(const struct ranking *ranking, uint64_t *ways)
{
	size_t width = ranking->count * (ranking->count + 1) + 1, reached = 0;

	ways[0] = 1;
	for (size_t i = 0; i < ranking->count; i++) {
		size_t rank2 = ranking->values[i].rank2;
		size_t most = i < ranking->small ? i + 1 : ranking->small;

		reached += rank2;
		for (size_t k = most; k > 0; k--) {
			uint64_t *with = ways + k * width;
			const uint64_t *without = with - width;

			for (size_t s = rank2; s <= reached; s++)
				with[s] += without[s - rank2];
		}
	}
}

/* Over all choices of the smaller side among the tied ranks. */
static double p_tied(const struct ranking *ranking)
{
	size_t width = ranking->count * (ranking->count + 1) + 1;
	auto_free uint64_t *ways = xcalloc(tied_cells(ranking), sizeof(*ways));
	const uint64_t *last = ways + ranking->small * width;
	int64_t mean2 = (int64_t)(ranking->small * (ranking->count + 1));
	int64_t distance2 = llabs((int64_t)ranking->sum2 - mean2);
	uint64_t total = 0, as_far = 0;

	count_ways(ranking, ways);
	for (size_t s = 0; s < width; s++) {
		total += last[s];
		if (llabs((int64_t)s - mean2) >= distance2)
			as_far += last[s];
	}
	return (double)as_far / (double)total;
}

static double p_normal(const struct ranking *ranking)
{
	double m = (double)ranking->small, count = (double)ranking->count;
	double n = count - m;
	double distance = fabs((double)ranking->sum2 - m * (count + 1)) / 2;
	double variance =
		m * n / 12 * (count + 1 - ranking->ties / (count * (count - 1)));

	if (distance <= 0.5 || variance <= 0)
		return 1;
	return 2 * null_normal_above((distance - 0.5) / sqrt(variance));
}

static double p_of(const struct ranking *ranking)
{
	size_t large = ranking->count - ranking->small;

	if (ranking->ties == 0 && large <= NULL_U_PRODUCT / ranking->small)
		return p_untied(ranking);
	/* The first test keeps the product of the second one small. */
	if (ranking->count < TIED_CELLS_MAX && tied_cells(ranking) <= TIED_CELLS_MAX)
		return p_tied(ranking);
	return p_normal(ranking);
}

double statistics_mann_whitney(const double *a, size_t m, const double *b, size_t n)
{
	struct ranking ranking = {.count = m + n, .small = m < n ? m : n};
	double p;

	if (!m || !n || !null_all_finite(a, m) || !null_all_finite(b, n))
		return NAN;
	ranking.values = xcalloc(ranking.count, sizeof(*ranking.values));
	for (size_t i = 0; i < m; i++)
		ranking.values[i] = (struct ranked){a[i], m <= n, 0};
	for (size_t i = 0; i < n; i++)
		ranking.values[m + i] = (struct ranked){b[i], m > n, 0};
	rank_values(&ranking);
	p = p_of(&ranking);
	free(ranking.values);
	return p;
}

/*
 * The interval reaches from the index-th smallest to the index-th largest difference:
 * index is the smallest u with P(U <= u) >= alpha / 2, at least 1, as in R's
 * wilcox.test(). It holds the shift with probability 1 - 2 P(U <= index - 1).
 */
static size_t exact_index(size_t m, size_t n, double half_alpha, double *ret_confidence)
{
	double cumulative[NULL_U_PRODUCT / 2 + 1];
	size_t index = 0;

	null_u_cumulative(m, n, cumulative, m * n / 2 + 1);
	/* 1 - 0.95 is not 0.05 in binary: do not miss a probability that is the limit.
	 * The middle of U has one half below it, so the loop ends inside the array. */
	while (cumulative[index] < half_alpha * (1 - 1e-12))
		index++;
	if (!index)
		index = 1;
	*ret_confidence = 1 - 2 * cumulative[index - 1];
	return index;
}

/* The same with P(U <= u) = Phi((u + 1/2 - mean) / deviation). */
static size_t normal_index(size_t m, size_t n, double half_alpha, double *ret_confidence)
{
	double mean = (double)m * (double)n / 2;
	double deviation = null_u_deviation((double)m, (double)n);
	double index =
		fmax(1, ceil(mean - 0.5 + deviation * null_normal_quantile(half_alpha)));

	*ret_confidence = 1 - 2 * null_normal_above((mean + 0.5 - index) / deviation);
	return (size_t)index;
}

static void shift_of(double *differences, size_t m, size_t n, double confidence,
		     struct statistics_shift *ret)
{
	double half_alpha = (1 - confidence) / 2;
	size_t index = m * n <= NULL_U_PRODUCT
			       ? exact_index(m, n, half_alpha, &ret->confidence)
			       : normal_index(m, n, half_alpha, &ret->confidence);

	ret->estimate = statistics_median(differences, m * n);
	ret->low = differences[index - 1];
	ret->high = differences[m * n - index];
	/* One value a side: 1 - 2 * 0.5, written as 0 and not as a rounding error. */
	ret->confidence = fmax(0, ret->confidence);
}

int statistics_shift(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret)
{
	auto_free double *differences = NULL;

	if (!(confidence > 0 && confidence < 1))
		return -EINVAL;
	if (!m || !n || !null_all_finite(a, m) || !null_all_finite(b, n))
		return -EDOM;
	differences = xreallocarray(NULL, m, n * sizeof(*differences));
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			differences[i * n + j] = b[j] - a[i];
	shift_of(differences, m, n, confidence, ret);
	return 0;
}

static int take_logarithms(const double *values, size_t count, double *logarithms)
{
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			return -EDOM;
		logarithms[i] = log(values[i]);
	}
	return 0;
}

int statistics_ratio(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret)
{
	double *logarithms = xreallocarray(NULL, m + n, sizeof(*logarithms));
	int r;

	r = take_logarithms(a, m, logarithms);
	if (!r)
		r = take_logarithms(b, n, logarithms + m);
	if (!r)
		r = statistics_shift(logarithms, m, logarithms + m, n, confidence, ret);
	free(logarithms);
	if (r)
		return r;
	ret->estimate = exp(ret->estimate);
	ret->low = exp(ret->low);
	ret->high = exp(ret->high);
	return 0;
}

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

static double p_normal_order(double n, double score, const struct ties *x,
			     const struct ties *y)
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
	return p_normal_order((double)count, score, &x_ties, &y_ties);
}

int statistics_trend(const double *x, const double *y, size_t count, double *ret_slope,
		     double *ret_p)
{
	double *slopes, score = 0;
	size_t found = 0;

	if (!null_all_finite(x, count) || !null_all_finite(y, count))
		return -EDOM;
	slopes = xreallocarray(NULL, count, count * sizeof(*slopes));
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
