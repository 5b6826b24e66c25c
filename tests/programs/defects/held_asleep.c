/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a thread keeps a lock while it waits for an answer, and the others
 *                wait with it.
 */
// expect: L2 lock-held-asleep look_up
// flags: -pthread
// mild: T0 T1 T9 W1 L3
#include "background.h"

#include <pthread.h>
#include <unistd.h>

/* Each waits at least once, however few turns of the lock there are on a busy machine, and
 * sleeps for far longer than it may wait for a CPU. */
#define THREADS 16

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void ask_server(void)
{
	usleep(20000);
}

static __attribute__((noinline)) void look_up(void)
{
	pthread_mutex_lock(&cache_lock);
	ask_server();
	pthread_mutex_unlock(&cache_lock);
}

static void *run_worker(void *argument)
{
	for (int i = 0; i < 3; i++) {
		look_up();
		background(1, 2000);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
