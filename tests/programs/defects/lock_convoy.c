/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: eight threads take one lock for each of many small items.
 */
// expect: L3 lock-convoy take_item
// rules: {"rules": {"L3": {"limits": {"run_share": 0.001}}}}
// flags: -pthread
// mild: T0 T9
// starved: L4
#include "background.h"
#include "fair_lock.h"

#define THREADS 8

static pthread_mutex_t queue_lock;
static pthread_barrier_t are_all_there; /* or the first takes all before others begin */
static long items_left = 10000;

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
	pthread_barrier_wait(&are_all_there);
	while (take_item() > 0)
		;
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];

	make_fair(&queue_lock);
	pthread_barrier_init(&are_all_there, NULL, THREADS);
	background(1, 100000);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
