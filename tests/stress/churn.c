/* SPDX-License-Identifier: MIT */
/*
 * What this is:  COUNT threads, ten at a time; each calls seven functions, allocates, and
 *                frees a block that another one left. usage: churn COUNT
 * Runs on:       tests, under the shim.
 * See also:      tests/stress/spools.py
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define AT_ONCE 10

static _Atomic(void *) shelf;

__attribute__((noinline)) static void step(volatile unsigned *sum)
{
	*sum += 1;
}

__attribute__((noinline)) static void *work(void *argument)
{
	volatile unsigned sum = 0;

	for (int i = 0; i < 7; i++)
		step(&sum);
	free(atomic_exchange(&shelf, malloc(100)));
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[AT_ONCE];
	int count = argc > 1 ? atoi(argv[1]) : 0;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int batch = 0; batch < count / AT_ONCE; batch++) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&threads[i], &attributes, work, NULL))
				return 1;
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
