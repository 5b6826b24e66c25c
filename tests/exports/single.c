// SPDX-License-Identifier: MIT
// One thread: calls, recursion, and allocations of which some stay.
#include <stdlib.h>

#define CALLED __attribute__((noinline))

static volatile long sink;
static void *volatile kept[40];

CALLED static void count(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink = sink + i;
}

CALLED static int fibonacci(int n)
{
	count(20);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

CALLED static void keep(int at)
{
	kept[at] = malloc(1000 + (size_t)at);
}

CALLED static void drop(size_t bytes)
{
	char *block = malloc(bytes);

	block[0] = 1;
	sink = sink + block[0];
	free(block);
}

/* A snapshot is taken of it, see recordings.py. */
CALLED static void halt(void)
{
	sink = sink + 1;
}

int main(void)
{
	for (int i = 0; i < 40; i++) {
		if (i % 10 == 9)
			halt();
		fibonacci(12);
		keep(i);
		drop(4096 + 16 * (size_t)i);
	}
	return 0;
}
