/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: of four threads one has eight times as much to do.
 */
// expect: T11 thread-imbalance run_worker
// flags: -pthread
// cpus: 2
#include "background.h"

#include <pthread.h>

#define WORKERS 4

static void *run_worker(void *argument)
{
	const int *rounds = argument;

	background(*rounds, 50000);
	return NULL;
}

int main(void)
{
	int rounds[WORKERS] = {160, 20, 20, 20};
	pthread_t threads[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, run_worker, &rounds[i]) != 0)
			return 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
