/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: four times as many threads compute as there are CPUs. What others
 *                leave of the CPUs is the machine's: the part that it must have had is not
 *                asked for here, but in made recordings.
 */
// expect: R4 too-many-threads
// rules: {"rules": {"R4": {"limits": {"had": 0}}, "R3": {"limits": {"had": 0}}}}
// flags: -pthread
#include "background.h"

#include <pthread.h>
#include <unistd.h>

#define WORKERS_MOST 256

static void *run_worker(void *unused)
{
	(void)unused;
	background(20, 100000);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS_MOST];
	long workers = 4 * sysconf(_SC_NPROCESSORS_ONLN);

	if (workers > WORKERS_MOST)
		workers = WORKERS_MOST;
	for (long i = 0; i < workers; i++)
		if (pthread_create(&threads[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (long i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
