/* SPDX-License-Identifier: MIT */
/* A thousand short threads, ten at a time; every one calls and allocates. */
// flags: -pthread
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 7000
// expect-sql: SELECT calls FROM functions WHERE name = 'work' => 1000
// expect-sql: SELECT COUNT(*) FROM threads => 1001
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count),
//     SUM(live_count) FROM allocation_sites WHERE name = 'work' => 1000|100000|1000|0
// expect-sql: SELECT COUNT(*) FROM threads WHERE wall_ns IS NULL OR wall_ns < 0 => 0
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>

#define AT_ONCE 10

ALONE static void step(volatile unsigned *sum)
{
	*sum += 1;
}

ALONE static void *work(void *argument)
{
	volatile unsigned sum = 0;
	void *block = malloc(100);
	int i;

	keep(block);
	for (i = 0; i < 7; i++)
		step(&sum);
	free(block);
	return argument;
}

int main(void)
{
	pthread_t threads[AT_ONCE];
	int batch, i;

	for (batch = 0; batch < 100; batch++) {
		for (i = 0; i < AT_ONCE; i++)
			if (pthread_create(&threads[i], NULL, work, NULL))
				return 1;
		for (i = 0; i < AT_ONCE; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
