/* SPDX-License-Identifier: MIT */
/* Phases to choose from: what is called before, in and after those that matter. */
#include <pthread.h>
#include <stdio.h>

#include "profshim.h"

#define NOINLINE __attribute__((noinline))

static volatile int sink;

NOINLINE static void leaf(void)
{
	sink++;
}

NOINLINE static void begin_all(void)
{
	for (int i = 0; i < 100; i++)
		leaf();
}

/* Calls itself: the inner one ends nothing. */
NOINLINE static void serve(int depth)
{
	for (int i = 0; i < 10; i++)
		leaf();
	if (depth)
		serve(depth - 1);
	leaf();
}

NOINLINE static void end_all(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}

NOINLINE static void *other(void *data)
{
	leaf();
	return data;
}

int main(void)
{
	pthread_t thread;

	begin_all();
	for (int i = 0; i < 20; i++) {
		serve(1);
		leaf();
	}
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	profshim_step("load");
	leaf();
	for (int i = 0; i < 5; i++) {
		profshim_step("frame");
		leaf();
	}
	profshim_step("load");
	leaf();
	end_all();
	printf("%d\n", sink);
	return 0;
}
