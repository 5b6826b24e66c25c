/* SPDX-License-Identifier: MIT */
/* Sums of errors, and the interval in the end. */
#include "collector/merge/time_error.h"

#include <math.h>

#include "common/samples/poisson.h"

/* Of a normal distribution, in standard deviations. */
#define HALF_WIDTH_95 1.96

void time_error_add(struct time_error *to, const struct time_error *more)
{
	to->hooks += more->hooks;
	to->split += more->split;
	to->allocs += more->allocs;
	to->counted += more->counted;
	to->placed += more->placed;
	to->grain = fmaxf(to->grain, more->grain);
	to->variance += more->variance;
	to->samples += more->samples;
	to->shared += more->shared;
}

void time_error_doubt(struct time_error *one, struct time_error *other, double most_ns)
{
	double variance = most_ns / HALF_WIDTH_95 * (most_ns / HALF_WIDTH_95);

	one->variance += variance;
	other->shared += variance;
}

static double square(float value)
{
	return (double)value * (double)value;
}

/* Few samples are wrong by more than their root, none by nearly four. */
static double sampled_width(double grain, double squares)
{
	double samples = grain > 0 ? squares / (grain * grain) : 0;

	return grain * (poisson_high(samples) - samples);
}

/* variance, samples: those of the error that count. */
static int64_t half_width(const struct time_error *error, double variance, double samples,
			  int64_t time_ns, int64_t most_ns)
{
	double sum = square(error->hooks) + square(error->split) + square(error->allocs) +
		     square(error->counted) + square(error->placed) + variance;
	double width = hypot(HALF_WIDTH_95 * sqrt(sum),
			     sampled_width((double)error->grain, samples));
	int64_t most = most_ns - time_ns > time_ns ? most_ns - time_ns : time_ns;

	if (!(width < (double)most)) /* NaN, too */
		return most;
	return (int64_t)ceil(width);
}

int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns)
{
	return half_width(error, error->variance, error->samples, time_ns, most_ns);
}

int64_t time_error_total_half_width(const struct time_error *error, int64_t time_ns,
				    int64_t most_ns)
{
	double samples = fmax(error->samples - error->shared, 0);
	double both = fmax(error->variance + error->samples - error->shared, 0);

	return half_width(error, both - samples, samples, time_ns, most_ns);
}
