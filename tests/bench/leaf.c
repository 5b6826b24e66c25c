/* SPDX-License-Identifier: MIT */
/* What this is:  a loop that calls an empty function. usage: leaf COUNT */
#include "loop.h"

ALONE static void leaf(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	static struct batches batches;

	for (; count >= BATCH_ROUNDS; count -= BATCH_ROUNDS) {
		double start = seconds_of(CLOCK_MONOTONIC);

		for (unsigned long i = 0; i < BATCH_ROUNDS; i++)
			leaf();
		add_batch(&batches, seconds_of(CLOCK_MONOTONIC) - start);
	}
	print_middle(&batches);
	return 0;
}
