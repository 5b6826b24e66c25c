/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: eight threads take one lock for each of very many small items.
 */
// expect: L3 lock-convoy take_item
// flags: -pthread
// cpus: 2
// mild: T0 T9 W1 L2
#include "background.h"

#include <pthread.h>

#define THREADS 8

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static long items_left = 300000;

static __attribute__((noinline)) long take_item(void)
{
	long item;

	pthread_mutex_lock(&queue_lock);
	item = items_left--;
	background_sink = background_mix(background_sink, 500);
	pthread_mutex_unlock(&queue_lock);
	return item;
}

static void *run_worker(void *argument)
{
	while (take_item() > 0)
		;
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];

	background(1, 100000);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
