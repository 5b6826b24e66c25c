/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that has taken every descriptor that it may have, then calls,
 *                allocates, makes threads and a child, and ends without giving any back.
 *                usage: crowded; prints its counts.
 */
#include "../programs/truth.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void *work(void *argument)
{
	for (int i = 0; i < 1000; i++)
		step();
	keep(malloc(opaque(100)));
	return argument;
}

int main(void)
{
	int taken = 0, pid, status = -1;
	pthread_t thread;

	puts("begin");
	fflush(stdout);
	while (open("/", O_RDONLY) >= 0)
		taken++;
	work(NULL);
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		work(NULL);
		_exit(4);
	}
	waitpid(pid, &status, 0);
	printf("%d taken, child %d\n", taken, WEXITSTATUS(status));
	return 5;
}
