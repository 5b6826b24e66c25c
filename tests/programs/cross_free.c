/* SPDX-License-Identifier: MIT */
/* Eight threads that free each other's blocks at random; what is live in the end is what
 * the program itself counts. */
// flags: -pthread
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_count), SUM(live_bytes),
//     SUM(free_count) FROM allocation_sites WHERE name = 'produce' =>
//     400000|$bytes|$live|$live_bytes|$freed
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE name = 'produce' => 1
// expect-sql: SELECT SUM(cross_thread_free_count) > 0 FROM allocation_sites WHERE
//     name = 'produce' => 1
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define SHELVES 256
#define PER_THREAD 50000

struct block {
	size_t size;
};

static _Atomic(struct block *) shelves[SHELVES];
static pthread_barrier_t barrier;

ALONE static struct block *produce(size_t size)
{
	struct block *block = malloc(size);

	block->size = size;
	return block;
}

/* Every thread puts blocks onto shelves and frees what it takes off them. Which blocks
 * are left in the end differs from run to run. */
ALONE static void *work(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument, i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < PER_THREAD; i++) {
		size_t size = 16 + (seed = seed * 1103515245 + 12345) / 65536 % 500;

		free(atomic_exchange(&shelves[i * 7 % SHELVES], produce(size)));
	}
	return NULL;
}

int main(void)
{
	unsigned long bytes = 0, live = 0, live_bytes = 0;
	pthread_t threads[THREADS];
	unsigned t, i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (t = 0; t < THREADS; t++)
		if (pthread_create(&threads[t], NULL, work, (void *)(uintptr_t)t))
			return 1;
	for (t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (t = 0; t < THREADS; t++) {
		unsigned seed = t;

		for (i = 0; i < PER_THREAD; i++)
			bytes += 16 + (seed = seed * 1103515245 + 12345) / 65536 % 500;
	}
	for (i = 0; i < SHELVES; i++) {
		live += shelves[i] != NULL;
		live_bytes += shelves[i] ? shelves[i]->size : 0;
	}
	printf("bytes=%lu live=%lu freed=%lu\n", bytes, live, 8UL * PER_THREAD - live);
	fprintf(stderr, "truth: live_bytes=%lu\n", live_bytes);
	return 0;
}
