/* SPDX-License-Identifier: MIT */
/*
 * Growing, saturating, one-off or freed at the end. Must not know snapshots: times and
 * bytes only.
 */
#include "analyzer/statistics/leak_class.h"

#include "analyzer/statistics/statistics.h"

#include <errno.h>
#include <stdbool.h>

#define LEFT_AT_END_HIGHEST 0.02
#define STEP_SHARE_LEAST 0.9
#define SATURATED_RISE_HIGHEST 0.1

static double highest(const double *y, size_t count)
{
	double value = y[0];

	for (size_t i = 1; i < count; i++)
		if (y[i] > value)
			value = y[i];
	return value;
}

static double lowest(const double *y, size_t count)
{
	double value = y[0];

	for (size_t i = 1; i < count; i++)
		if (y[i] < value)
			value = y[i];
	return value;
}

static bool is_one_off(const double *y, size_t count)
{
	size_t after = 1; /* first point after the largest step */
	double range = highest(y, count) - lowest(y, count), gap;

	for (size_t i = 2; i < count; i++)
		if (y[i] - y[i - 1] > y[after] - y[after - 1])
			after = i;
	gap = lowest(y + after, count - after) - highest(y, after);
	return gap > 0 && gap >= STEP_SHARE_LEAST * range &&
	       y[count - 1] - y[0] <= y[after] - y[after - 1];
}

static double rise(const double *x, const double *y, size_t count, double slope)
{
	if (slope > 0)
		return slope * (x[count - 1] - x[0]);
	return y[count - 1] - y[0];
}

/* The halves share the point in the middle. */
static int is_saturating(const double *x, const double *y, size_t count, bool *ret)
{
	size_t middle = count / 2, rest = count - middle;
	double first_slope, second_slope, p, second_rise;
	int result = statistics_trend(x, y, middle + 1, &first_slope, &p);

	if (result == 0)
		result =
			statistics_trend(x + middle, y + middle, rest, &second_slope, &p);
	if (result < 0)
		return result;
	second_rise = second_slope * (x[count - 1] - x[middle]);
	*ret = p > LEAK_P_HIGHEST &&
	       second_rise < SATURATED_RISE_HIGHEST * rise(x, y, middle + 1, first_slope);
	return 0;
}

/* Everything but freed at end. */
static int classify_growth(const double *x, const double *y, size_t count,
			   struct leak_verdict *ret)
{
	bool saturating = false;
	int result = statistics_trend(x, y, count, &ret->slope, &ret->p);

	if (result < 0)
		return result;
	ret->class = LEAK_NO_TREND;
	if (is_one_off(y, count)) {
		ret->class = LEAK_ONE_OFF;
		return 0;
	}
	if (!(ret->p <= LEAK_P_HIGHEST) || ret->slope < 0 ||
	    (ret->slope <= 0 && y[count - 1] <= y[0]))
		return 0;
	result = is_saturating(x, y, count, &saturating);
	if (result < 0)
		return result;
	ret->class = saturating ? LEAK_SATURATING : LEAK_GROWING;
	return 0;
}

int leak_classify(const double *x, const double *y, size_t count, double freed_after_last,
		  struct leak_verdict *ret)
{
	double most, left;
	size_t used = count;
	int result;

	*ret = (struct leak_verdict){.class = LEAK_NO_TREND, .p = 1};
	if (count < LEAK_POINTS_LEAST)
		return -EINVAL;
	most = highest(y, count);
	left = y[count - 1] - freed_after_last;
	if (most > 0 && y[count - 1] <= LEFT_AT_END_HIGHEST * most)
		used = count - 1;
	result = classify_growth(x, y, used, ret);
	if (result < 0)
		return result;
	if (used < count && y[used - 1] <= LEFT_AT_END_HIGHEST * most)
		ret->class = LEAK_NO_TREND;
	else if (ret->class != LEAK_NO_TREND && left <= LEFT_AT_END_HIGHEST * most)
		ret->class = LEAK_FREED_AT_END;
	return 0;
}

const char *leak_class_name(enum leak_class class)
{
	static const char *const names[] = {"growing", "saturating", "one-off",
					    "freed at end", "no trend"};

	return names[class];
}
