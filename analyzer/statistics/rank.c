/* SPDX-License-Identifier: MIT */
/*
 * The Mann-Whitney rank test. Must not call values equal that are not: a tie is the same
 * double.
 */
#include "common/base/xalloc.h"
#include "analyzer/statistics/statistics.h"
#include "analyzer/statistics/null.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

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
	uint64_t *ways = xcalloc(tied_cells(ranking), sizeof(*ways));
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
	free(ways);
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
