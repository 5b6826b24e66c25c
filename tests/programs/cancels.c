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
#include "ending_threads.h"

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
