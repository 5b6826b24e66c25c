/* SPDX-License-Identifier: MIT */
/* many_threads TOTAL AT_ONCE: so many threads, so many of them at a time. */
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all_here;

ALONE static void step(void)
{
	__asm__ volatile("");
}

ALONE static void *work(void *argument)
{
	void *block = malloc(opaque(100));

	keep(block);
	step();
	pthread_barrier_wait(&all_here);
	step();
	free(block);
	return argument;
}

int main(int argc, char **argv)
{
	int total = argc > 2 ? atoi(argv[1]) : 0, at_once = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t *threads = calloc((size_t)at_once, sizeof(*threads));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all_here, NULL, (unsigned int)at_once);
	for (int done = 0; done < total; done += at_once) {
		for (int i = 0; i < at_once; i++)
			if (pthread_create(&threads[i], &small, work, NULL))
				return 1;
		for (int i = 0; i < at_once; i++)
			pthread_join(threads[i], NULL);
	}
	free(threads);
	printf("done\n");
	return 0;
}
