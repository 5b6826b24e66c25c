/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that holds more and more blocks, for snapshots from outside.
 *                usage: snapper STEPS MS own|none [fork]: a step every MS milliseconds;
 *                own: it handles SIGUSR2 itself; fork: a child takes as many steps.
 */
#include "profshim.h"
#include "truth.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int number)
{
	(void)number;
	handled++;
}

ALONE static void *hold(size_t size)
{
	void *block = malloc(opaque(size));

	keep(block);
	return block;
}

ALONE static void step(long milliseconds)
{
	struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};

	hold(100);
	while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
		;
}

int main(int argc, char **argv)
{
	long steps = strtol(argv[1], NULL, 10), milliseconds = strtol(argv[2], NULL, 10);
	pid_t child = 0;

	if (!strcmp(argv[3], "own"))
		signal(SIGUSR2, handle);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (argc > 4)
		child = fork();
	if (argc > 4 && child == 0)
		profshim_snapshot("child");
	while (steps-- > 0)
		step(milliseconds);
	if (child > 0)
		waitpid(child, NULL, 0);
	if (argc <= 4 || child > 0)
		printf("handled %d\n", (int)handled);
	return 0;
}
