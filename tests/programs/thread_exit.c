/* SPDX-License-Identifier: MIT */
/* Threads that leave from the middle: pthread_exit() three calls deep, and cancelled. */
// variants: lto
// flags: -pthread
// tolerate: repaired_frames
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('leave', 'nest', 'work',
//     'wait') ORDER BY name => leave|100; nest|100; wait|10; work|100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'leave' => nest|100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after' => main|110
// expect-sql: SELECT COUNT(*) FROM threads => 111
#include "truth.h"
#include <pthread.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void leave(void)
{
	pthread_exit(NULL);
}

ALONE static void nest(void)
{
	leave();
	sum++;
}

ALONE static void *work(void *argument)
{
	nest();
	return argument;
}

ALONE static void *wait(void *argument)
{
	for (;;)
		pause();
	return argument;
}

ALONE static void after(void)
{
	sum++;
}

int main(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 100; i++) {
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
		pthread_join(thread, NULL);
		after();
	}
	for (i = 0; i < 10; i++) {
		if (pthread_create(&thread, NULL, wait, NULL))
			return 1;
		usleep(1000);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		after();
	}
	return 0;
}
