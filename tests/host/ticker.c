/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that counts its own calls and allocations in a file that it
 *                shares with the test, so that the count survives whatever kills it.
 *                usage: ticker FILE THREADS [CALLS]; without CALLS it never ends.
 */
#include "../programs/truth.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREAD_LIMIT 64

/* One line per thread: nobody else writes there. */
struct count {
	volatile uint64_t ticks, blocks;
	uint64_t padding[6];
};

static struct count *counts;
static uint64_t limit;

ALONE static void tick(struct count *count)
{
	count->ticks++;
}

ALONE static void block(struct count *count)
{
	void *memory = malloc(opaque(48));

	count->blocks++;
	keep(memory);
	free(memory);
}

ALONE static void *work(void *argument)
{
	struct count *count = argument;
	uint64_t i;

	for (i = 0; limit == 0 || i < limit; i++) {
		tick(count);
		if (i % 16 == 0)
			block(count);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int thread_count, file, i;
	pthread_t threads[THREAD_LIMIT];

	if (argc < 3)
		return 2;
	thread_count = atoi(argv[2]);
	limit = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || thread_count > THREAD_LIMIT ||
	    ftruncate(file, THREAD_LIMIT * sizeof(*counts)))
		return 1;
	counts = mmap(NULL, THREAD_LIMIT * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED, file, 0);
	close(file);
	if (counts == MAP_FAILED)
		return 1;
	for (i = 1; i < thread_count; i++)
		if (pthread_create(&threads[i], NULL, work, &counts[i]))
			return 1;
	work(&counts[0]);
	for (i = 1; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
