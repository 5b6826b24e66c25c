/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: four threads compute, nearly all of the time under one lock.
 */
// expect: L1 contended-lock add_result
// rules: {"rules": {"L1": {"limits": {"run_share": 0.001}}}}
// flags: -pthread
// cpus: 2
// mild: T0 T1 T9 W1
#include "background.h"
#include "fair_lock.h"

#define THREADS 4

static pthread_mutex_t results_lock;

static __attribute__((noinline)) void add_result(void)
{
	pthread_mutex_lock(&results_lock);
	background(1, 20000);
	pthread_mutex_unlock(&results_lock);
}

static void *run_worker(void *argument)
{
	for (int i = 0; i < 60; i++) {
		add_result();
		background(1, 2000);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS];

	make_fair(&results_lock);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
