/* SPDX-License-Identifier: MIT */
/* Change points by ranks. Must not depend on how the values are distributed. */
#include "analyzer/statistics/levels.h"

#include "analyzer/statistics/statistics.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From the median deviation to the standard deviation of normal values. */
#define TO_DEVIATION 1.4826
#define BAND_DEVIATIONS 2.0
#define SETTLE_PLACES 10
#define TREND_VALUES 200

struct ranked {
	double value;
	size_t place;
};

struct search {
	const double *values;
	double alpha; /* of one test */
	struct ranked *ranked;
	double *ranks;
	size_t *found, found_count;
};

static int compare_ranked(const void *left, const void *right)
{
	return null_compare(&((const struct ranked *)left)->value,
			    &((const struct ranked *)right)->value);
}

/* The middle rank of each of the values from first on. */
static void rank_values(struct search *search, size_t first, size_t count)
{
	struct ranked *ranked = search->ranked;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){search->values[first + i], i};
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count; end++)
			if (ranked[end].value != ranked[start].value)
				break;
		for (size_t i = start; i < end; i++)
			search->ranks[ranked[i].place] = (double)(start + 1 + end) / 2;
	}
}

/* The place in the interval at which the ranks before and after differ most; 0: the
 * interval is too short. */
static size_t best_place(struct search *search, size_t first, size_t count, double *ret_z)
{
	double sum = 0;
	size_t best = 0;

	*ret_z = 0;
	rank_values(search, first, count);
	for (size_t i = 1; i + LEVELS_LEAST <= count; i++) {
		double m = (double)i, n = (double)(count - i), z;

		sum += search->ranks[i - 1];
		if (i < LEVELS_LEAST)
			continue;
		z = fabs(sum - m * (m + n + 1) / 2) / null_u_deviation(m, n);
		if (z > *ret_z) {
			*ret_z = z;
			best = i;
		}
	}
	return best;
}

static double test(const struct search *search, size_t first, size_t place, size_t end)
{
	return statistics_mann_whitney(search->values + first, place - first,
				       search->values + place, end - place);
}

/* At so many places of an interval of this size the smallest p there is reaches p. */
static double reaching(size_t size, double p)
{
	double ways = 1;
	size_t count = 0;

	for (size_t i = 1; i < size; i++) {
		ways *= (double)(size - i + 1) / (double)i; /* size over i */
		count += i >= LEVELS_LEAST && i + LEVELS_LEAST <= size && 2 / ways <= p;
	}
	return (double)count;
}

/* The surest change between first and end, in any of the intervals; 0: none. */
static size_t surest_change(struct search *search, size_t first, size_t end)
{
	double least = search->alpha, z;
	size_t best = 0;

	/* shorter intervals have no p that counts */
	for (size_t size = end - first;
	     size >= 2 * LEVELS_LEAST && reaching(size, least) > 0;
	     size = (size + 1) / 2) {
		for (size_t start = first; start + LEVELS_LEAST < end;
		     start += size / 2) {
			size_t count = start + size < end ? size : end - start;
			size_t place = best_place(search, start, count, &z);
			double p =
				place ? test(search, start, start + place, start + count)
				      : 1;

			if (p <= least) {
				least = p;
				best = start + place;
			}
			if (count < size || size == end - first)
				break;
		}
	}
	return best;
}

static void split(struct search *search, size_t first, size_t end)
{
	size_t place =
		end - first < 2 * LEVELS_LEAST ? 0 : surest_change(search, first, end);

	if (!place)
		return;
	split(search, first, place);
	search->found[search->found_count++] = place;
	split(search, place, end);
}

/*
 * How many tests there are, of all intervals, that could find anything at all at this
 * alpha divided by their number: the others do not count (Tarone, Biometrics 46 (1990)
 * 515).
 */
static double count_tests(size_t course, double alpha)
{
	double low = 1, high = 16.0 * (double)course + 1;

	while (high - low > 1) {
		double middle = floor((low + high) / 2), tests = 0;

		for (size_t size = course; size >= 2 * LEVELS_LEAST;
		     size = (size + 1) / 2)
			tests += reaching(size, alpha / middle) *
				 (size == course ? 1
						 : 2.0 * (double)course / (double)size);
		if (tests <= middle)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* The sum of the distances from the median. */
static double spread(struct search *search, size_t first, size_t end)
{
	double median, sum = 0;

	memcpy(search->ranks, search->values + first, (end - first) * sizeof(double));
	median = statistics_median(search->ranks, end - first);
	for (size_t i = first; i < end; i++)
		sum += fabs(search->values[i] - median);
	return sum;
}

/* Ranks say that there is a change, but a low value behind it looks like one before it:
 * near that place it is where both levels fit best. */
static size_t settle_one(struct search *search, size_t first, size_t place, size_t end)
{
	size_t low = place > first + SETTLE_PLACES ? place - SETTLE_PLACES : first + 1;
	size_t high = place + SETTLE_PLACES < end ? place + SETTLE_PLACES : end - 1;
	double least = INFINITY;

	for (size_t i = low; i <= high; i++) {
		double sum = spread(search, first, i) + spread(search, i, end);

		if (sum < least) {
			least = sum;
			place = i;
		}
	}
	return place;
}

static void settle(struct search *search, size_t count)
{
	for (size_t i = 0; i < search->found_count; i++)
		search->found[i] = settle_one(
			search, i ? search->found[i - 1] : 0, search->found[i],
			i + 1 < search->found_count ? search->found[i + 1] : count);
}

size_t levels_find(const double *values, size_t count, double alpha, size_t *ret)
{
	struct search search = {.values = values,
				.alpha = alpha / count_tests(count, alpha),
				.ranked = xcalloc(count + 1, sizeof(*search.ranked)),
				.ranks = xcalloc(count + 1, sizeof(*search.ranks)),
				.found = ret};

	if (null_all_finite(values, count))
		split(&search, 0, count);
	settle(&search, count);
	free(search.ranked);
	free(search.ranks);
	return search.found_count;
}

static double deviation_of(double *values, size_t count)
{
	return statistics_median_deviation(values, count);
}

bool levels_drift(const double *values, size_t count, const size_t *places,
		  size_t places_count)
{
	double *x = xcalloc(count + 1, sizeof(*x)),
	       *rest = xcalloc(count + 1, sizeof(*rest));
	double slope = 0, p = 1, by_line = INFINITY, by_levels;
	size_t step = count / TREND_VALUES + 1, taken = 0;

	/* the slope is told by some values: it takes the square of their number */
	for (size_t i = 0; i < count; i += step, taken++) {
		x[taken] = (double)i;
		rest[taken] = values[i];
	}
	if (statistics_trend(x, rest, taken, &slope, &p) == 0) {
		for (size_t i = 0; i < count; i++)
			rest[i] = values[i] - slope * (double)i;
		by_line = deviation_of(rest, count);
	}
	for (size_t i = 0; i <= places_count; i++) {
		size_t first = i ? places[i - 1] : 0;
		size_t end = i < places_count ? places[i] : count;
		double median;

		memcpy(x, values + first, (end - first) * sizeof(*x));
		median = statistics_median(x, end - first);
		for (size_t k = first; k < end; k++)
			rest[k] = values[k] - median;
	}
	by_levels = deviation_of(rest, count);
	free(x);
	free(rest);
	return p < 1e-6 && by_line < by_levels;
}

void levels_band(double *values, size_t count, double *ret_median, double *ret_low,
		 double *ret_high)
{
	double deviation = TO_DEVIATION * statistics_median_deviation(values, count);

	*ret_median = statistics_median(values, count);
	*ret_low = *ret_median - BAND_DEVIATIONS * deviation;
	*ret_high = *ret_median + BAND_DEVIATIONS * deviation;
}

double levels_next(const double *values, size_t count, double next,
		   struct statistics_shift *ret_ratio)
{
	double mean = 0, square = 0, deviation, distance, reach;
	bool has_logs = next > 0;

	*ret_ratio = (struct statistics_shift){NAN, NAN, NAN, 0};
	for (size_t i = 0; i < count; i++)
		has_logs &= values[i] > 0;
	if (!has_logs || count < 2)
		return 2 / (double)(count + 1);
	for (size_t i = 0; i < count; i++)
		mean += log(values[i]) / (double)count;
	for (size_t i = 0; i < count; i++)
		square += pow(log(values[i]) - mean, 2);
	deviation = sqrt(square / (double)(count - 1) * (1 + 1 / (double)count));
	distance = log(next) - mean;
	reach = statistics_t_quantile((double)count - 1) * deviation;
	*ret_ratio = (struct statistics_shift){exp(distance), exp(distance - reach),
					       exp(distance + reach), 0.95};
	if (!(deviation > 0))
		return distance == 0;
	return statistics_t_outside(distance / deviation, count - 1);
}
