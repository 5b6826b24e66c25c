/* SPDX-License-Identifier: MIT */
/* 64 threads that allocate, resize and free each other's blocks for some time; the books
 * must be what the program itself counts. Given a number of seconds it goes on for as long:
 * the test takes a quarter of one, a person a minute. */
// flags: -pthread
// arguments: 0.25
// expect-sql: SELECT SUM(alloc_count), SUM(free_count), SUM(live_count), SUM(live_bytes)
//     FROM allocation_sites WHERE name IN ('produce', 'resize') =>
//     $allocated|$freed|$live|$live_bytes
// expect-sql: SELECT SUM(realloc_count) FROM allocation_sites WHERE name = 'resize' =>
//     $resized
// expect-sql: SELECT COUNT(*) FROM threads => 65
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 64
#define SHELVES 1024

struct block {
	size_t size;
};

static _Atomic(struct block *) shelves[SHELVES];
static atomic_ulong allocated, resized, freed;
static atomic_int is_over;

ALONE static struct block *produce(size_t size)
{
	struct block *block = malloc(size);

	block->size = size;
	return block;
}

/* Also a realloc of nothing, which is an allocation. */
ALONE static struct block *resize(struct block *block, size_t size)
{
	block = realloc(block, size);
	block->size = size;
	return block;
}

/* Takes what lies on a shelf, and puts a new or a resized block there; another thread may
 * have put one there meanwhile. */
ALONE static void exchange(unsigned *seed, unsigned long *counts)
{
	unsigned random = *seed = *seed * 1103515245 + 12345, which;
	size_t size = sizeof(struct block) + random / 65536 % 2000;
	struct block *block;

	if (random % 4096 == 0)
		size *= 500;
	which = random / 64 % SHELVES;
	if (random / 65536 % 3 == 0) {
		block = atomic_exchange(&shelves[which], NULL);
		counts[block ? 1 : 0]++;
		block = resize(block, size);
	} else {
		counts[0]++;
		block = produce(size);
	}
	block = atomic_exchange(&shelves[which], block);
	counts[2] += block != NULL;
	free(block);
}

ALONE static void *work(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;
	unsigned long counts[3] = {0, 0, 0};

	while (!atomic_load(&is_over))
		exchange(&seed, counts);
	allocated += counts[0];
	resized += counts[1];
	freed += counts[2];
	return NULL;
}

static void wait_for(double seconds)
{
	struct timespec time = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	unsigned long live = 0, live_bytes = 0;
	pthread_t threads[THREADS];
	unsigned i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
			return 1;
	wait_for(argc > 1 ? atof(argv[1]) : 60);
	atomic_store(&is_over, 1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < SHELVES; i++) {
		live += shelves[i] != NULL;
		live_bytes += shelves[i] ? shelves[i]->size : 0;
	}
	/* a realloc of a live block is an allocation and a free */
	fprintf(stderr,
		"truth: allocated=%lu freed=%lu resized=%lu live=%lu live_bytes=%lu\n",
		allocated + resized, freed + resized, resized, live, live_bytes);
	return live != allocated - freed;
}
