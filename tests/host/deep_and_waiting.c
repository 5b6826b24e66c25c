/* SPDX-License-Identifier: MIT */
/* A path for each level of a deep recursion. usage: deep_and_waiting LEVELS; waits at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int descend(int levels)
{
	return levels ? 1 + descend(levels - 1) : 0;
}

int main(int argc, char **argv)
{
	printf("%d\n", descend(argc > 1 ? atoi(argv[1]) : 0));
	fflush(stdout);
	for (;;)
		pause();
}
