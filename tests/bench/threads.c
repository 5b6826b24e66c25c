/* SPDX-License-Identifier: MIT */
/* What this is:  the leaf loop in several threads at a time; prints CPU time per call,
 *                which stays comparable when there are more threads than processors.
 *                usage: threads COUNT THREADS */
#include "loop.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
static unsigned long count;

ALONE static void leaf(void)
{
	__asm__ volatile("");
}

static void *work(void *argument)
{
	unsigned long i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < count; i++)
		leaf();
	return argument;
}

int main(int argc, char **argv)
{
	unsigned int thread_count = argc > 2 ? (unsigned int)atoi(argv[2]) : 1, i;
	pthread_t threads[64];
	double start;

	count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	if (thread_count < 1 || thread_count > 64)
		return 2;
	pthread_barrier_init(&barrier, NULL, thread_count + 1);
	for (i = 0; i < thread_count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	print_cost(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start, count * thread_count);
	return 0;
}
