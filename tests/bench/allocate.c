/* SPDX-License-Identifier: MIT */
/* What this is:  a loop of malloc and free, called from here or through the ten frames
 *                of chain.c. Sixteen blocks are live, so that nobody can cheat.
 *                usage: allocate COUNT direct|chain */
#include "loop.h"
#include <string.h>

void *chain_malloc(size_t size);

static void *ring[16];

static void direct(unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++) {
		free(ring[i % 16]);
		ring[i % 16] = malloc(opaque(48));
		keep(ring[i % 16]);
	}
}

static void chain(unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++) {
		free(ring[i % 16]);
		ring[i % 16] = chain_malloc(opaque(48));
	}
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	void (*run)(unsigned long) =
		argc > 2 && !strcmp(argv[2], "chain") ? chain : direct;
	static struct batches batches;

	run(100000);
	for (; count >= BATCH_ROUNDS; count -= BATCH_ROUNDS) {
		double start = seconds_of(CLOCK_MONOTONIC);

		run(BATCH_ROUNDS);
		add_batch(&batches, seconds_of(CLOCK_MONOTONIC) - start);
	}
	print_middle(&batches);
	return 0;
}
