/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a reader and a writer with room for one item between them: while
 *                one works the other one sleeps.
 */
// expect: L4 taking-turns
// flags: -pthread
// cpus: 2
// mild: T0 T9 W1 L1 L2
#include "background.h"

#include <pthread.h>
#include <stdbool.h>

#define ITEMS 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_full;

static __attribute__((noinline)) void wait_until(bool full)
{
	pthread_mutex_lock(&lock);
	while (is_full != full)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) void set(bool full)
{
	pthread_mutex_lock(&lock);
	is_full = full;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *run_writer(void *argument)
{
	for (int i = 0; i < ITEMS; i++) {
		wait_until(true);
		background(1, 20000);
		set(false);
	}
	return argument;
}

static void *run_reader(void *argument)
{
	for (int i = 0; i < ITEMS; i++) {
		wait_until(false);
		background(1, 20000);
		set(true);
	}
	return argument;
}

int main(void)
{
	pthread_t reader, writer;

	if (pthread_create(&reader, NULL, run_reader, NULL) != 0 ||
	    pthread_create(&writer, NULL, run_writer, NULL) != 0)
		return 1;
	pthread_join(reader, NULL);
	pthread_join(writer, NULL);
	return 0;
}
