/* SPDX-License-Identifier: MIT */
/* Destructors of thread-specific values: they run when the thread has all but ended,
 * call instrumented functions, free what the thread had and allocate anew. */
// flags: -pthread
// expect-sql: SELECT calls FROM functions WHERE name = 'work' => 20
// expect-sql: SELECT calls FROM functions WHERE name = 'forget' => 40
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 60
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name
//     = 'work' => 20|20
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count),
//     SUM(live_bytes) FROM allocation_sites WHERE name = 'forget' => 20|640|20|0
// expect-sql: SELECT COUNT(*) FROM threads => 21
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static __thread int rounds;

ALONE static void step(int *count)
{
	*count += 1;
	keep(count);
}

/* The first round leaves a new value behind, so that there is a second one. */
ALONE static void forget(void *value)
{
	void *next;

	step(&rounds);
	free(value);
	if (rounds > 2)
		return;
	next = malloc(32);
	pthread_setspecific(key, next);
}

ALONE static void *work(void *argument)
{
	pthread_setspecific(key, malloc(16));
	step(&rounds);
	return argument;
}

int main(void)
{
	pthread_t thread;
	int i;

	pthread_key_create(&key, forget);
	for (i = 0; i < 20; i++) {
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
