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
#include "ending_threads.h"

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
