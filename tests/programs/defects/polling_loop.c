/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: main() looks every 2 ms whether a thread has finished, instead of
 *                waiting for it.
 */
// expect: W2 polling-loop wait_for_worker
// flags: -pthread
#include "background.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static atomic_bool is_done;

static void *run_worker(void *unused)
{
	(void)unused;
	background(60, 200000);
	is_done = true;
	return NULL;
}

static __attribute__((noinline)) void wait_for_worker(void)
{
	while (!is_done)
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

int main(void)
{
	pthread_t worker;

	if (pthread_create(&worker, NULL, run_worker, NULL) != 0)
		return 1;
	wait_for_worker();
	pthread_join(worker, NULL);
	return 0;
}
