/* SPDX-License-Identifier: MIT */
/* Byar's confidence interval of a count. */
#include "common/poisson.h"

#include <math.h>

/* Half of a normal distribution's 95 % interval, in standard deviations. */
#define HALF_WIDTH_95 1.96

double poisson_low(double count)
{
	double root;

	if (count < 1)
		return 0;
	root = 1 - 1 / (9 * count) - HALF_WIDTH_95 / (3 * sqrt(count));
	return root > 0 ? count * root * root * root : 0;
}

double poisson_high(double count)
{
	double next = count + 1;
	double root = 1 - 1 / (9 * next) + HALF_WIDTH_95 / (3 * sqrt(next));

	return next * root * root * root;
}
