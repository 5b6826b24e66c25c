/* SPDX-License-Identifier: MIT */
/*
 * What this is:  not a defect but a limit: even work on more threads than there are CPUs. What
 *                others leave of the CPUs is the machine's: the part that it must have had is
 *                not asked for here, but in made recordings.
 */
// expect: R2 cpu-high
// rules: {"rules": {"R2": {"limits": {"had": 0}}, "R3": {"limits": {"had": 0}}}}
// flags: -pthread
#include "background.h"

#include <pthread.h>
#include <sched.h>

#define WORKERS_MOST 256

static void *run_worker(void *argument)
{
	const int *rounds = argument;

	background(*rounds, 50000);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS_MOST];
	cpu_set_t cpus;
	int rounds = 80, workers = 2;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		workers = CPU_COUNT(&cpus) + 1;
	if (workers > WORKERS_MOST)
		workers = WORKERS_MOST;
	for (int i = 0; i < workers; i++)
		if (pthread_create(&threads[i], NULL, run_worker, &rounds) != 0)
			return 1;
	for (int i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
