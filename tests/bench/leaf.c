/* SPDX-License-Identifier: MIT */
/* What this is:  a loop that calls an empty function. usage: leaf COUNT */
#include "loop.h"
#include <stdlib.h>

ALONE static void leaf(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, i;
	double start;

	for (i = 0; i < 100000; i++)
		leaf();
	start = seconds_of(CLOCK_MONOTONIC);
	for (i = 0; i < count; i++)
		leaf();
	print_cost(seconds_of(CLOCK_MONOTONIC) - start, count);
	return 0;
}
