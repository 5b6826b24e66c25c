/* SPDX-License-Identifier: MIT */
/* Cancelled and left threads of C with -fexceptions: cleanup handlers run in landing pads
 * while the stack is unwound, so their place in the tree is exact. gcc runs exit hooks on
 * the way; under clang each function left is a repaired frame, and the
 * thread's first function, which has no landing pad of its own after the last one, is seen
 * to be left when the thread has ended. */
// variants: lto
// flags: -pthread -fexceptions
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 200
// expect-trust: orphan_exits => 0
// expect-tree[gcc]:
//     main 1 +?
//       after 40
//     waiter 20
//       wait_deep*4 20
//       clean 20
//         clean_more 20 +20
//     leaver 20
//       leave_deep*3 20
//         leave_deep 20 +?
//       clean 20
//         clean_more 20 +20
//     on_thread_end 40
// expect-tree[clang]:
//     main 1 +?
//       after 40
//     waiter 20
//       wait_deep*4 20
//       clean 20
//         clean_more 20 +20
//       on_thread_end 20
//     leaver 20
//       leave_deep*3 20
//         leave_deep 20 +?
//       clean 20
//         clean_more 20 +20
//       on_thread_end 20
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
	if (levels > 0)
		wait_deep(levels - 1);
	if (levels == 0) {
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

ALONE static void leave_deep(int levels)
{
	if (levels > 0)
		leave_deep(levels - 1);
	if (levels == 0)
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
		if (run(leaver, 0))
			return 1;
		after();
	}
	return 0;
}
