/* SPDX-License-Identifier: MIT */
/* Sums of errors, and the interval in the end. */
#include "collector/merge/time_error.h"

#include <math.h>

#include "collector/processes/ticks.h"

/* Of a normal distribution, in standard deviations. */
#define HALF_WIDTH_95 1.96

void time_error_add(struct time_error *to, const struct time_error *more)
{
	to->hooks += more->hooks;
	to->split += more->split;
	to->allocs += more->allocs;
	to->counted += more->counted;
	to->estimate += more->estimate;
	to->variance += more->variance;
}

static double square(float value)
{
	return (double)value * (double)value;
}

int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns)
{
	double sum = square(error->hooks) + square(error->split) + square(error->allocs) +
		     square(error->counted) + square(error->estimate) +
		     (double)error->variance;
	double width = HALF_WIDTH_95 * sqrt(sum);
	int64_t most = most_ns - time_ns > time_ns ? most_ns - time_ns : time_ns;

	if (!(width < (double)most)) /* NaN, too */
		return most;
	return (int64_t)ceil(width);
}
