/* SPDX-License-Identifier: MIT */
/* What this is:  a program with threads that locks and waits, and says how much of that a
 *                library in front of libc has seen. */
#include "../programs/truth.h"
#include <pthread.h>
#include <stdio.h>
#include <time.h>

extern int other_lock_count __attribute__((weak));
extern int other_wait_count __attribute__((weak));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

ALONE static void *idle(void *unused)
{
	const struct timespec long_time = {100, 0};

	nanosleep(&long_time, NULL);
	return unused;
}

ALONE static void lock_often(void)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

ALONE static void wait_some(void)
{
	struct timespec past = {1, 0};

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 10; i++)
		pthread_cond_timedwait(&condition, &mutex, &past);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	int before = &other_lock_count ? other_lock_count : 0;
	pthread_t thread;

	lock_often();
	pthread_create(&thread, NULL, idle, NULL);
	lock_often();
	wait_some();
	if (&other_lock_count)
		printf("other: %d %d\n", other_lock_count - before, other_wait_count);
	return 0;
}
