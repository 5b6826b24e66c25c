/* SPDX-License-Identifier: MIT */
/* Median, extremes and deviation of the runs of a side. */
#include "record/spread.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

/* A first run is an outlier if it is the slowest, by more than this many deviations of
 * the others and by more than this share of their median. */
#define OUTLIER_DEVIATIONS 5
#define OUTLIER_PART 0.05
#define FEWEST_OTHERS 3

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median; sorts values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Returns the median distance from center; replaces sorted values by their distances. */
static double deviation(double *values, size_t count, double center)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = fabs(values[i] - center);
	return median(values, count);
}

static void judge_first(double first, double *others, size_t count,
			struct record_spread *ret)
{
	double center = median(others, count), highest = others[count - 1];
	double usual = deviation(others, count, center);

	if (center <= 0)
		return;
	ret->first_excess = first / center - 1;
	ret->is_first_outlier = count >= FEWEST_OTHERS && first > highest &&
				first - center > OUTLIER_DEVIATIONS * usual &&
				ret->first_excess > OUTLIER_PART;
}

struct record_spread record_spread(const int64_t *wall_ns, size_t count)
{
	auto_free double *values = xcalloc(count, sizeof(*values));
	struct record_spread ret = {0};

	for (size_t i = 0; i < count; i++)
		values[i] = (double)wall_ns[i];
	if (count > 1)
		judge_first(values[0], values + 1, count - 1, &ret);
	for (size_t i = 0; i < count; i++)
		values[i] = (double)wall_ns[i];
	ret.median_ns = median(values, count);
	ret.lowest_ns = values[0];
	ret.highest_ns = values[count - 1];
	if (ret.median_ns > 0)
		ret.deviation = deviation(values, count, ret.median_ns) / ret.median_ns;
	return ret;
}
