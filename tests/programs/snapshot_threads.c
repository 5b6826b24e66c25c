/* SPDX-License-Identifier: MIT */
/* Eight threads exchange blocks while snapshots are taken from inside and outside: the
 * books of every snapshot balance (tests/programs/invariants.py). */
// flags: -pthread
// settings: PROFSHIM_SNAPSHOT_EVERY=10ms
// expect-sql: SELECT COUNT(*) FROM snapshots WHERE taken_by = 'call' => 40
// expect-sql: SELECT COUNT(*) > 0 FROM snapshots WHERE taken_by = 'interval' => 1
// expect-sql: SELECT COUNT(DISTINCT label) FROM snapshots WHERE taken_by = 'call' => 40
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name LIKE
//     'make_%' => $blocks|$blocks
// expect-sql: SELECT COUNT(*) > 0 FROM snapshot_frees WHERE born_id > 0 => 1
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 8
#define PLACES 512

static _Atomic(void *) places[PLACES];
static atomic_int is_over;
static atomic_long blocks;

ALONE static void *make_small(unsigned int seed)
{
	void *block = malloc(opaque(16 + seed % 500));

	keep(block);
	return block;
}

ALONE static void *make_zeroed(unsigned int seed)
{
	void *block = calloc(1, opaque(16 + seed % 300));

	keep(block);
	return block;
}

ALONE static void exchange(unsigned int seed)
{
	void *block = seed & 1 ? make_small(seed >> 1) : make_zeroed(seed >> 1);

	free(atomic_exchange(&places[(seed >> 10) % PLACES], block));
}

static void *run(void *argument)
{
	unsigned int seed = (unsigned int)(long)argument;
	long made = 0;

	for (; !atomic_load(&is_over); made++) {
		seed = seed * 1103515245u + 12345u;
		exchange(seed >> 4);
	}
	atomic_fetch_add(&blocks, made);
	return NULL;
}

int main(void)
{
	struct timespec pause = {0, 10000000};
	pthread_t threads[THREADS];
	char label[32];
	long i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	for (i = 0; i < 40; i++) {
		nanosleep(&pause, NULL);
		snprintf(label, sizeof(label), "call %ld", i);
		profshim_snapshot(label);
	}
	atomic_store(&is_over, 1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < PLACES; i++)
		free(atomic_exchange(&places[i], NULL));
	fprintf(stderr, "truth: blocks=%ld\n", atomic_load(&blocks));
	return 0;
}
