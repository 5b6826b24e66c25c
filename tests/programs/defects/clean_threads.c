/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without a defect: main computes, two threads wait for what it
 *                hands out. The functions in which they wait hold most of the run (those of
 *                pbzip2 were told).
 */
// flags: -pthread
#include "background.h"

#include <pthread.h>

#define ITEMS 60
#define WAITERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static __attribute__((noinline)) void wait_for_item(int number)
{
	pthread_mutex_lock(&lock);
	while (items <= number)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void hand_out(void)
{
	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *run_waiter(void *argument)
{
	for (int i = 0; i < ITEMS; i++)
		wait_for_item(i);
	return argument;
}

int main(void)
{
	pthread_t threads[WAITERS];

	for (int i = 0; i < WAITERS; i++)
		if (pthread_create(&threads[i], NULL, run_waiter, NULL) != 0)
			return 1;
	for (int i = 0; i < ITEMS; i++) {
		background(1, 200000);
		hand_out();
	}
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
