/* SPDX-License-Identifier: MIT */
/* Eight threads with barriers between the phases: the peak and everybody's share of it
 * are known. */
// flags: -pthread
// expect-sql: SELECT SUM(at_peak_bytes), SUM(at_peak_count), SUM(peak_bytes) FROM
//     allocation_sites WHERE name = 'first_wave' => 800000|800|800000
// expect-sql: SELECT SUM(at_peak_bytes), SUM(alloc_bytes), SUM(live_bytes) FROM
//     allocation_sites WHERE name = 'second_wave' => 4000000|4000000|0
// expect-sql: SELECT SUM(at_peak_bytes), SUM(alloc_bytes), SUM(live_bytes) FROM
//     allocation_sites WHERE name = 'third_wave' => 0|400000|400000
// expect-sql: SELECT SUM(cross_thread_free_count), SUM(free_count) FROM allocation_sites
//     WHERE name = 'first_wave' => 800|800
// expect-sql: SELECT SUM(cross_thread_free_count), SUM(free_count) FROM allocation_sites
//     WHERE name = 'second_wave' => 0|400
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>

#define THREADS 8

static pthread_barrier_t barrier;
static void *first[THREADS][100];

ALONE static void first_wave(void **blocks)
{
	int i;

	for (i = 0; i < 100; i++)
		blocks[i] = malloc(1000);
}

ALONE static void second_wave(void **blocks)
{
	int i;

	for (i = 0; i < 50; i++)
		blocks[i] = malloc(10000);
}

ALONE static void third_wave(void)
{
	int i;

	for (i = 0; i < 50; i++)
		keep(malloc(1000));
}

ALONE static void free_all(void **blocks, int count)
{
	while (count > 0)
		free(blocks[--count]);
}

static void *work(void *argument)
{
	unsigned index = (unsigned)(uintptr_t)argument;
	void *second[50];

	first_wave(first[index]);
	pthread_barrier_wait(&barrier);
	second_wave(second);
	pthread_barrier_wait(&barrier);
	free_all(second, 50);
	free_all(first[(index + 1) % THREADS], 100);
	pthread_barrier_wait(&barrier);
	third_wave();
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
