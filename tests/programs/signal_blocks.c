/* SPDX-License-Identifier: MIT */
/* A signal handler that allocates and calls: raised, where it is an ordinary call; and
 * sent 1,000 times a second into a loop that calls functions but does not allocate, so
 * that malloc is safe there. */
// variants: all
// expect-sql: SELECT calls FROM functions WHERE name = 'handle' => $handled
// expect-sql: SELECT SUM(alloc_count), SUM(free_count), SUM(alloc_bytes) FROM
//     allocation_sites WHERE name = 'handle' => $handled|$handled|$bytes
// expect-sql: SELECT SUM(alloc_count), SUM(live_count) FROM allocation_sites WHERE name =
//     'raises' => 100|0
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => $steps
#include "truth.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile unsigned long handled, steps;

ALONE static void handle(int signal)
{
	int before = errno;
	void *block = malloc(opaque(50));

	keep(block);
	free(block);
	handled++;
	if (errno != before)
		abort();
	(void)signal;
}

ALONE static void raises(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		void *block = malloc(opaque(20));

		raise(SIGUSR1);
		keep(block);
		free(block);
	}
}

ALONE static void step(void)
{
	steps++;
}

/* Until enough have come, or for some seconds where timers are slow. */
ALONE static void loop(void)
{
	unsigned long most = 400000000;

	while (handled < 300 && most--)
		step();
}

int main(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};

	signal(SIGUSR1, handle);
	signal(SIGALRM, handle);
	raises();
	setitimer(ITIMER_REAL, &timer, NULL);
	loop();
	setitimer(ITIMER_REAL, &none, NULL);
	fprintf(stderr, "truth: handled=%lu bytes=%lu steps=%lu\n", handled, handled * 50,
		steps);
	return 0;
}
