/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program and its child, which both wait until somebody kills them, for
 *                20 s at most. Prints the child's pid.
 * See also:      collectors.py
 */
#include "../programs/truth.h"
#include <stdio.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void stay(void)
{
	step();
	sleep(20);
}

int main(void)
{
	int pid = fork();

	if (pid > 0) {
		printf("%d\n", pid);
		fflush(stdout);
	}
	stay();
	return 0;
}
