/* SPDX-License-Identifier: MIT */
/*
 * How many runs it takes to see an effect. Must not promise a number when none would do.
 */
#include "analyzer/statistics/statistics.h"
#include "analyzer/statistics/null.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

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
