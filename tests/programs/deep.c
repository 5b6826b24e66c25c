/* SPDX-License-Identifier: MIT */
/* A recursion 100,000 deep: every level is a call path of its own. */
// flags: -pthread
// expect-sql: SELECT calls FROM functions WHERE name = 'descend' => 100000
// expect-sql: SELECT COUNT(*), MAX(depth) FROM call_paths WHERE name = 'descend' =>
//     100000|100001
// expect-sql: SELECT depth FROM call_paths WHERE name = 'bottom' => 100002
// expect-sql: SELECT d.total_ns <= r.wall_ns FROM functions d, runs r WHERE d.name =
//     'descend' => 1
#include "truth.h"
#include <pthread.h>

static volatile unsigned sum;

ALONE static void bottom(void)
{
	sum++;
}

ALONE static void descend(unsigned levels)
{
	if (levels > 1)
		descend(levels - 1);
	else
		bottom();
	sum++;
}

static void *start(void *argument)
{
	descend(100000);
	return argument;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	/* The main thread's stack may be too small for it at -O0. */
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256u << 20);
	if (pthread_create(&thread, &attributes, start, NULL))
		return 1;
	pthread_join(thread, NULL);
	return sum == 100001 ? 0 : 1;
}
