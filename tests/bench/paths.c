/* SPDX-License-Identifier: MIT */
/* What this is:  8 threads with 103,496 call paths, on each of which there is a call in
 *                every round; a pause between two rounds. Prints "ready" after the first
 *                ones, then for each line of its input the CPU time of a round since the
 *                line before. Ends with its input. */
#include "loop.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define THREADS 8
#define LEVELS 6
#define PAUSE_NS 50000000

/* Calls at each level: 12,936 paths below each thread's function. */
static const int calls_at[LEVELS] = {6, 5, 5, 5, 4, 3};

typedef void function(int level);
static function *const functions[LEVELS][6];

UNTRACED void call_all(int level)
{
	for (int i = 0; level < LEVELS && i < calls_at[level]; i++)
		functions[level][i](level + 1);
}

#define FUNCTION(name)                                                                   \
	ALONE static void name(int level)                                                \
	{                                                                                \
		call_all(level);                                                         \
	}
#define FUNCTIONS_OF(name)                                                               \
	FUNCTION(name##_a)                                                               \
	FUNCTION(name##_b)                                                               \
	FUNCTION(name##_c)                                                               \
	FUNCTION(name##_d)                                                               \
	FUNCTION(name##_e)                                                               \
	FUNCTION(name##_f)
#define NAMES_OF(name)                                                                   \
	{                                                                                \
		name##_a, name##_b, name##_c, name##_d, name##_e, name##_f               \
	}

FUNCTIONS_OF(first)
FUNCTIONS_OF(second)
FUNCTIONS_OF(third)
FUNCTIONS_OF(fourth)
FUNCTIONS_OF(fifth)
FUNCTIONS_OF(sixth)
static function *const functions[LEVELS][6] = {NAMES_OF(first), NAMES_OF(second),
					       NAMES_OF(third), NAMES_OF(fourth),
					       NAMES_OF(fifth), NAMES_OF(sixth)};

/* Each thread has a root of its own, so no path is another's. */
FUNCTION(root_a)
FUNCTION(root_b)
FUNCTION(root_c)
FUNCTION(root_d)
FUNCTION(root_e)
FUNCTION(root_f)
FUNCTION(root_g)
FUNCTION(root_h)
static function *const roots[THREADS] = {root_a, root_b, root_c, root_d,
					 root_e, root_f, root_g, root_h};

static _Atomic unsigned long rounds, cpu_ns;
static pthread_barrier_t first_rounds;

static void *work(void *argument)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	function *root = *(function *const *)argument;

	root(0);
	pthread_barrier_wait(&first_rounds);
	for (;;) {
		double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);

		root(0);
		start = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
		atomic_fetch_add(&cpu_ns, (unsigned long)(start * 1e9));
		atomic_fetch_add(&rounds, 1);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int key;

	pthread_barrier_init(&first_rounds, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, (void *)&roots[i]))
			return 1;
	pthread_barrier_wait(&first_rounds);
	puts("ready");
	fflush(stdout);
	while ((key = getchar()) != EOF) {
		unsigned long count = atomic_exchange(&rounds, 0);
		unsigned long ns = atomic_exchange(&cpu_ns, 0);

		if (key != '\n')
			continue;
		printf("ns=%.0f\n", count ? (double)ns / (double)count : 0);
		fflush(stdout);
	}
	return 0;
}
