/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that makes calls and, at the end, sleeps.
 *                usage: stepped ROUNDS; of 100 calls
 * See also:      surroundings.py
 */
#include "../programs/truth.h"
#include <stdlib.h>
#include <time.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void walk(void)
{
	for (int i = 0; i < 100; i++)
		step();
}

ALONE static void rest(void)
{
	struct timespec duration = {.tv_nsec = 300000000};

	nanosleep(&duration, NULL);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < (argc == 2 ? atoi(argv[1]) : 0); i++)
		walk();
	rest();
	return 0;
}
