/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that does what its input says, to be watched meanwhile: each
 *                line is a number of rounds of calls, allocations that stay, writes and
 *                steps, or "burn", to compute; it is answered when that is done. It has a function and a region
 *                whose names would steer a terminal. It ends with its input, with 3.
 *                usage: watched FILE
 */
#include "../programs/truth.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "../../shim/profshim.h"

ALONE static void leaf(void)
{
	keep(malloc(opaque(100)));
}

ALONE static void evil(void) __asm__("evil\342\200\256name");
ALONE static void evil(void)
{
	leaf();
}

ALONE static void round_of(int file)
{
	profshim_step("round");
	for (int i = 0; i < 10; i++)
		leaf();
	evil();
	if (write(file, "0123456789", 10) != 10)
		abort();
}

ALONE static void burn(void)
{
	for (volatile long i = 0; i < 30000000; i++)
		;
}

/* Until the program ends. */
ALONE static void *sleeper(void *argument)
{
	pause();
	return argument;
}

int main(int argc, char **argv)
{
	int file = open(argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pthread_t thread;
	char line[32];

	if (file < 0 || pthread_create(&thread, NULL, sleeper, NULL) != 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < 10 && *line == 'b'; i++)
			burn();
		profshim_region_begin("io", "re\033]0;gion\n");
		for (int i = atoi(line); i > 0; i--)
			round_of(file);
		profshim_region_end("io", "re\033]0;gion\n");
		puts("done");
		fflush(stdout);
	}
	return 3;
}
