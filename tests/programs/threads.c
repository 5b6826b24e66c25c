/* SPDX-License-Identifier: MIT */
/* Eight threads at the same time; thread i makes (i + 1) * 10,000 calls. */
// flags: -pthread
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 360000
// expect-sql: SELECT calls FROM functions WHERE name = 'work' => 8
// expect-sql: SELECT COUNT(*), COUNT(DISTINCT tid) FROM threads => 9|9
// expect-sql: SELECT COUNT(*) FROM threads WHERE name LIKE 'worker-_' => 8
// expect-sql: SELECT t.name, SUM(l.calls) FROM path_lane l JOIN threads t USING
//     (lane_id) JOIN call_paths p USING (path_id) WHERE p.name = 'step' GROUP BY t.name
//     => worker-0|10000; worker-1|20000; worker-2|30000; worker-3|40000; worker-4|50000;
//     worker-5|60000; worker-6|70000; worker-7|80000
// expect-sql: SELECT COUNT(*), depth, calls FROM call_paths WHERE name = 'step' =>
//     1|2|360000
#include "truth.h"
#include <pthread.h>
#include <stdio.h>

#define THREADS 8

static pthread_barrier_t barrier;

ALONE static void step(volatile unsigned *sum)
{
	*sum += 1;
}

ALONE static void *work(void *argument)
{
	unsigned index = (unsigned)(uintptr_t)argument, i;
	volatile unsigned sum = 0;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", index);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < (index + 1) * 10000; i++)
		step(&sum);
	pthread_barrier_wait(&barrier);
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
