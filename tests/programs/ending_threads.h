/* SPDX-License-Identifier: MIT */
/* Threads that are cancelled or leave in the depth of their functions, with a cleanup
 * handler that calls and allocates, and a value that ends with the thread. */
#pragma once

#include "truth.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sum;
static volatile int is_ready;
static pthread_key_t key;

ALONE static void clean_more(void)
{
	void *block = malloc(opaque(40));

	keep(block);
	free(block);
}

ALONE static void clean(void *argument)
{
	(void)argument;
	clean_more();
}

ALONE static void after(void)
{
	sum++;
}

ALONE static void on_thread_end(void *value)
{
	(void)value;
	sum++;
}

ALONE static void wait_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels > 0) {
		wait_deep(levels - 1);
	} else {
		is_ready = 1;
		for (;;)
			pause();
	}
	sum++;
}

ALONE static void *waiter(void *argument)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	wait_deep(3);
	pthread_cleanup_pop(0);
	return argument;
}

ALONE static void leave_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels > 0)
		leave_deep(levels - 1);
	else
		pthread_exit(NULL);
	sum++;
}

ALONE static void *leaver(void *argument)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	leave_deep(3);
	pthread_cleanup_pop(0);
	return argument;
}

UNTRACED int run(void *(*start)(void *), int cancel)
{
	pthread_t thread;

	is_ready = 0;
	if (pthread_create(&thread, NULL, start, NULL))
		return 1;
	while (cancel && !is_ready)
		usleep(100);
	if (cancel)
		pthread_cancel(thread);
	return pthread_join(thread, NULL);
}
