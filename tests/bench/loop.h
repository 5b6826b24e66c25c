/* SPDX-License-Identifier: MIT */
/* What this is:  what the benchmark's programs share: seconds by two clocks. */
#pragma once

#include "../programs/truth.h"
#include <stdio.h>
#include <time.h>

UNTRACED double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What tests/bench/measure.py reads: nanoseconds for one round of the loop. */
UNTRACED void print_cost(double seconds, unsigned long count)
{
	printf("ns=%.4f\n", seconds * 1e9 / (double)count);
}
