/* SPDX-License-Identifier: MIT */
/* A child is killed at any instruction: what it had counted is there, but for the calls
 * it was about to make when it died: usage: killed. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "tally.h"

#define THREADS 3

enum { STEP, DEEPER };

static volatile unsigned int sink;

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 7;
}

APART static unsigned int deeper(unsigned int n)
{
	TALLY(DEEPER);
	return n ? deeper(n - 1) + step(n) : 1;
}

static void *work(void *argument)
{
	for (;;)
		sink += deeper(5);
	return argument;
}

int main(void)
{
	struct timespec pause = {0, 1000000};
	pthread_t thread;
	pid_t child;

	tally_begin();
	child = fork();
	if (child == 0) {
		for (int i = 1; i < THREADS; i++) {
			if (pthread_create(&thread, NULL, work, NULL))
				_exit(1);
		}
		work(NULL);
	}
	while (__atomic_load_n(&tallies[STEP], __ATOMIC_RELAXED) < 500000)
		nanosleep(&pause, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	puts("killed");
	fflush(stdout);
	TALLY_SAY(step, STEP);
	TALLY_SAY(deeper, DEEPER);
	return 0;
}
