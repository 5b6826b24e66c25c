/* SPDX-License-Identifier: MIT */
/*
 * Median and median absolute deviation. Must not allocate: both work in the caller's
 * array.
 */
#include "analyzer/statistics/statistics.h"
#include "analyzer/statistics/null.h"

#include <math.h>
#include <stdlib.h>

double statistics_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), null_compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The distances fall towards the median and rise after it, so the smallest ones are a
 * merge of two sorted rows that start in the middle. */
double statistics_median_deviation(double *values, size_t count)
{
	double median = statistics_median(values, count), lower = 0, upper = 0;
	size_t above = count / 2, below = above;

	if (!count)
		return NAN;
	for (size_t taken = 0; taken <= count / 2; taken++) {
		double down = below ? median - values[below - 1] : INFINITY;
		double up = above < count ? values[above] - median : INFINITY;

		lower = upper;
		if (up < down) {
			upper = up;
			above++;
		} else {
			upper = down;
			below--;
		}
	}
	return count % 2 ? upper : (lower + upper) / 2;
}
