/* SPDX-License-Identifier: MIT */
/*
 * What this is:  waits without a defect: a thread sleeps while another one works, which
 *                sleeps now and then, briefly.
 */
// flags: -pthread
#include "background.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *run_watcher(void *unused)
{
	(void)unused;
	for (;;)
		usleep(200000);
	return NULL;
}

static __attribute__((noinline)) void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

int main(void)
{
	pthread_t watcher;

	if (pthread_create(&watcher, NULL, run_watcher, NULL) != 0)
		return 1;
	for (int i = 0; i < 10; i++) {
		background(6, 200000);
		rest();
	}
	return 0;
}
