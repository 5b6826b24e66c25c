/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program and its child, which both wait until somebody kills them, for
 *                20 s at most. Prints the child's pid.
 * See also:      collectors.py
 */
#include "../programs/truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void stay(unsigned seconds)
{
	step();
	sleep(seconds);
}

int main(int argc, char **argv)
{
	int pid = fork();

	if (pid > 0) {
		printf("%d\n", pid);
		fflush(stdout);
	}
	stay(argc > 1 ? (unsigned)atoi(argv[1]) : 20);
	return 0;
}
