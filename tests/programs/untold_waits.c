/* SPDX-License-Identifier: MIT */
/* A semaphore that looks as if it could be had, and then is waited for: there is no node for
 * that, and the time is the caller's; but trust says how often that may have been. Here it
 * looks so because the program has its own function for looking. */
// flags: -pthread -rdynamic
// variants: once
// expect-trust: untold_waits => 3
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE name = 'sem_wait' => 0
// expect-sql: SELECT SUM(self_ns) > 60000000 FROM call_paths WHERE name = 'take' => 1
#include "truth.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t semaphore;

int sem_getvalue(sem_t *restrict which, int *restrict ret)
{
	(void)which;
	*ret = 1;
	return 0;
}

ALONE static void take(void)
{
	sem_wait(&semaphore);
}

ALONE static void *takes(void *unused)
{
	for (int i = 0; i < 3; i++)
		take();
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	pthread_create(&thread, NULL, takes, NULL);
	for (int i = 0; i < 3; i++) {
		usleep(50000);
		sem_post(&semaphore);
	}
	pthread_join(thread, NULL);
	return 0;
}
