/* SPDX-License-Identifier: MIT */
/*
 * Median and median absolute deviation, Benjamini-Hochberg correction for many tests at
 * once, and how many runs it takes to see an effect. Must not count tests that gave no
 * p-value, or promise a number of runs when none would do.
 */
#include "analyzer/statistics/statistics.h"

#include "analyzer/statistics/null.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
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

struct test {
	double p;
	size_t index;
};

static int compare_tests(const void *left, const void *right)
{
	double a = ((const struct test *)left)->p, b = ((const struct test *)right)->p;

	return (a > b) - (a < b);
}

/* Of the k-th smallest of n: the smallest n / j * p(j) over j >= k. */
int statistics_adjust(double *p, size_t count)
{
	struct test *tests;
	size_t found = 0;
	double smallest = 1;

	if (!count)
		return 0;
	tests = reallocarray(NULL, count, sizeof(*tests));
	if (!tests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			tests[found++] = (struct test){p[i], i};
	qsort(tests, found, sizeof(*tests), compare_tests);
	for (size_t k = found; k > 0; k--) {
		smallest = fmin(smallest, tests[k - 1].p * (double)found / (double)k);
		p[tests[k - 1].index] = smallest;
	}
	free(tests);
	return 0;
}

static bool is_inside_unit(double p)
{
	return p > 0 && p < 1;
}

/* Two sides of n runs that do not overlap have the smallest p-value there is. */
static unsigned fewest_runs(double alpha)
{
	double arrangements = 2;
	unsigned n = 1;

	while (2 / arrangements > alpha * (1 + 1e-12)) {
		n++;
		arrangements *= (2.0 * n - 1) * 2 / n;
	}
	return n;
}

unsigned statistics_runs_needed(double effect, double noise, double confidence,
				double power)
{
	double z, runs;
	unsigned fewest;

	if (!(effect > 0) || !(noise >= 0) || !is_inside_unit(confidence) ||
	    !is_inside_unit(power))
		return 0;
	fewest = fewest_runs(1 - confidence);
	z = null_normal_quantile((1 + confidence) / 2) + null_normal_quantile(power);
	if (z < 0)
		return fewest;
	runs = ceil(2 * M_PI / 3 * pow(z * noise / effect, 2));
	if (!(runs < UINT_MAX))
		return UINT_MAX;
	return runs > fewest ? (unsigned)runs : fewest;
}
