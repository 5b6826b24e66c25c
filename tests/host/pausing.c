/* SPDX-License-Identifier: MIT */
/* Pauses of the recording: in the middle of open functions, of recursion, of threads and
 * regions, with blocks that live across them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profshim.h"

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static void *kept[200];

NOINLINE static void leaf(void)
{
	sink++;
}

NOINLINE static void calls(int count)
{
	while (count--)
		leaf();
}

/* Paused at the deepest, resumed on the way back. */
NOINLINE static void descend(int depth)
{
	leaf();
	if (depth == 5)
		profshim_pause();
	if (depth < 10)
		descend(depth + 1);
	if (depth == 8)
		profshim_resume();
	leaf();
}

NOINLINE static void sleep_paused(void)
{
	struct timespec time = {0, 300000000};

	profshim_pause();
	nanosleep(&time, NULL);
	calls(10);
	profshim_resume();
}

NOINLINE static void allocate(int first, int count)
{
	for (int i = first; i < first + count; i++)
		kept[i] = malloc(100);
}

NOINLINE static void release(int first, int count)
{
	for (int i = first; i < first + count; i++)
		free(kept[i]);
}

static void *work(void *data)
{
	for (int i = 0; i < 200000; i++)
		leaf();
	return data;
}

NOINLINE static void threads(void)
{
	pthread_t all[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&all[i], NULL, work, NULL);
	for (int i = 0; i < 500; i++) {
		profshim_pause();
		calls(100);
		profshim_resume();
	}
	for (int i = 0; i < 3; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "die")) {
		sleep_paused();
		profshim_pause();
		nanosleep(&(struct timespec){0, 300000000}, NULL);
		abort();
	}
	if (argc > 1 && !strcmp(argv[1], "threads")) {
		threads();
		return 0;
	}
	calls(1000);
	allocate(0, 50);
	profshim_pause();
	profshim_pause();
	calls(77);
	allocate(50, 50);
	release(0, 20);
	profshim_region_begin("part", "unseen");
	profshim_region_end("part", "unseen");
	profshim_step("unseen");
	profshim_resume();
	profshim_resume();
	calls(1000);
	release(20, 60);
	descend(0);
	sleep_paused();
	calls(1000);
	printf("%d\n", sink);
	return 0;
}
