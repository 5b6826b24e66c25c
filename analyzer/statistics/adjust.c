/* SPDX-License-Identifier: MIT */
/*
 * Benjamini-Hochberg correction for many tests at once. Must not count tests that gave
 * no p-value.
 */
#include "analyzer/statistics/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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
