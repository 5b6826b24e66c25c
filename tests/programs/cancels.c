/* SPDX-License-Identifier: MIT */
/* Threads cancelled while they wait and while they compute, and threads that leave by
 * pthread_exit(), with cleanup handlers that call and allocate. Without -fexceptions
 * glibc runs the handlers without unwinding, on top of the functions that are being left;
 * so calls and allocations are exact, and the place in the tree is not told. */
// variants: lto
// flags: -pthread
// tolerate: repaired_frames
// expect-trust: orphan_exits => 0
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('waiter', 'wait_deep',
//     'spinner', 'spin', 'leaver', 'leave_deep', 'clean', 'clean_more', 'on_thread_end')
//     ORDER BY name => clean|60; clean_more|60; leave_deep|80; leaver|20; on_thread_end|60;
//     spin|20; spinner|20; wait_deep|80; waiter|20
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'clean_more' => 60|2400
// expect-sql: SELECT DISTINCT p.name FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE c.name = 'clean_more' => clean
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE name IN ('waiter', 'spinner',
//     'leaver') AND depth = 1 => 3
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after' => main|60
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sum;
static volatile int is_ready;
static pthread_key_t key;

ALONE static void clean_more(void)
{
	void *block = malloc(opaque(40));

	keep(block);
	free(block);
}

ALONE static void clean(void *argument)
{
	(void)argument;
	clean_more();
}

ALONE static void after(void)
{
	sum++;
}

ALONE static void on_thread_end(void *value)
{
	(void)value;
	sum++;
}

ALONE static void wait_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels > 0) {
		wait_deep(levels - 1);
	} else {
		is_ready = 1;
		for (;;)
			pause();
	}
	sum++;
}

ALONE static void *waiter(void *argument)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	wait_deep(3);
	pthread_cleanup_pop(0);
	return argument;
}

/* Asynchronous cancellation may come between any two instructions, so nothing that holds
 * a lock may be called; hooks may. */
ALONE static void spin(void)
{
	is_ready = 1;
	for (;;)
		sum++;
}

ALONE static void *spinner(void *argument)
{
	pthread_setspecific(key, &key);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, NULL);
	spin();
	pthread_cleanup_pop(0);
	return argument;
}

ALONE static void leave_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels > 0)
		leave_deep(levels - 1);
	else
		pthread_exit(NULL);
	sum++;
}

ALONE static void *leaver(void *argument)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(clean, NULL);
	leave_deep(3);
	pthread_cleanup_pop(0);
	return argument;
}

UNTRACED int run(void *(*start)(void *), int cancel)
{
	pthread_t thread;

	is_ready = 0;
	if (pthread_create(&thread, NULL, start, NULL))
		return 1;
	while (cancel && !is_ready)
		usleep(100);
	if (cancel)
		pthread_cancel(thread);
	return pthread_join(thread, NULL);
}

int main(void)
{
	int i;

	pthread_key_create(&key, on_thread_end);
	for (i = 0; i < 20; i++) {
		if (run(waiter, 1))
			return 1;
		after();
		if (run(spinner, 1))
			return 1;
		after();
		if (run(leaver, 0))
			return 1;
		after();
	}
	return 0;
}
