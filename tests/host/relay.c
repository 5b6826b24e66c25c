/* SPDX-License-Identifier: MIT */
/* What this is:  a program that hands over to itself COUNT times by exec, at once, so
 *                that somebody who looks finds several images. usage: relay COUNT */
#include "../programs/truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0;
	char next[16];

	step();
	if (left == 0)
		return 6;
	snprintf(next, sizeof(next), "%d", left - 1);
	execl("/proc/self/exe", argv[0], next, NULL);
	return 1;
}
