/* SPDX-License-Identifier: MIT */
/*
 * What this is: model/statistics.h as a filter, for statistics_oracles.py. Each line of
 *               stdin names a function and its arguments, arrays with their sizes before
 *               them; the answer is a line of numbers, or "error" and the errno.
 */
#include "analyzer/statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 100000 };

static double next_number(void)
{
	double value;

	if (scanf("%lf", &value) != 1)
		exit(2);
	return value;
}

static size_t next_size(void)
{
	double size = next_number();

	if (!(size >= 0 && size <= VALUES_MAX))
		exit(2);
	return (size_t)size;
}

static void next_values(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = next_number();
}

static void put_shift(int r, const struct statistics_shift *shift)
{
	if (r)
		printf("error %d\n", -r);
	else
		printf("%.17g %.17g %.17g %.17g\n", shift->estimate, shift->low,
		       shift->high, shift->confidence);
}

static void two_sides(const char *function)
{
	static double a[VALUES_MAX], b[VALUES_MAX];
	double confidence = strcmp(function, "whitney") == 0 ? 0 : next_number();
	size_t m = next_size(), n = next_size();
	struct statistics_shift shift;

	next_values(a, m);
	next_values(b, n);
	if (strcmp(function, "whitney") == 0)
		printf("%.17g\n", statistics_mann_whitney(a, m, b, n));
	else if (strcmp(function, "shift") == 0)
		put_shift(statistics_shift(a, m, b, n, confidence, &shift), &shift);
	else
		put_shift(statistics_ratio(a, m, b, n, confidence, &shift), &shift);
}

static void trend(void)
{
	static double x[VALUES_MAX], y[VALUES_MAX];
	size_t count = next_size();
	double slope, p;
	int r;

	next_values(x, count);
	next_values(y, count);
	r = statistics_trend(x, y, count, &slope, &p);
	if (r)
		printf("error %d\n", -r);
	else
		printf("%.17g %.17g\n", slope, p);
}

static void adjust(void)
{
	static double p[VALUES_MAX];
	size_t count = next_size();

	next_values(p, count);
	statistics_adjust(p, count);
	for (size_t i = 0; i < count; i++)
		printf("%.17g%c", p[i], i + 1 < count ? ' ' : '\n');
}

static void median(void)
{
	static double values[VALUES_MAX];
	size_t count = next_size();
	double middle;

	next_values(values, count);
	middle = statistics_median(values, count);
	printf("%.17g %.17g\n", middle, statistics_median_deviation(values, count));
}

int main(void)
{
	char function[16];

	while (scanf("%15s", function) == 1) {
		if (strcmp(function, "trend") == 0)
			trend();
		else if (strcmp(function, "adjust") == 0)
			adjust();
		else if (strcmp(function, "median") == 0)
			median();
		else
			two_sides(function);
	}
	return 0;
}
