/* SPDX-License-Identifier: MIT */
/* What this is:  what the benchmark's programs share: seconds by two clocks. */
#pragma once

#include "../programs/truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

UNTRACED double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A loop is timed in short batches, of which the middle one counts: others who use the
 * machine lengthen some of them, by much, and not all. */
#define BATCH_ROUNDS 4096ul
#define MOST_BATCHES 16384u

struct batches {
	double ns[MOST_BATCHES]; /* of a round */
	unsigned count;
};

UNTRACED void add_batch(struct batches *batches, double seconds)
{
	if (batches->count < MOST_BATCHES)
		batches->ns[batches->count++] = seconds * 1e9 / (double)BATCH_ROUNDS;
}

__attribute__((no_instrument_function, unused)) static int compare_ns(const void *a,
								      const void *b)
{
	const double *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

UNTRACED void print_middle(struct batches *batches)
{
	qsort(batches->ns, batches->count, sizeof(double), compare_ns);
	printf("ns=%.4f\n", batches->ns[batches->count / 2]);
}

/* What tests/bench/measure.py reads: nanoseconds for one round of the loop. */
UNTRACED void print_cost(double seconds, unsigned long count)
{
	printf("ns=%.4f\n", seconds * 1e9 / (double)count);
}
