/* SPDX-License-Identifier: MIT */
/* pthread_exit() and cancellation in C++: a forced unwinding runs destructors, and
 * catch(...) blocks, which must throw on. gcc runs the exit hooks on the way; under clang
 * each function left is a repaired frame. The tree is exact under both. */
// variants: lto
// flags: -pthread
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 180
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       after 40
//     leaver 20
//       leave_deep*3 20
//         leave_deep 20 +?
//       Guard::~Guard 20
//         allocate 20 +20
//       after 20
//     waiter 20
//       wait_deep 20
//         wait_deep 20
//           wait_deep 20
//         Guard::~Guard 20
//           allocate 20 +20
#include "truth.h"
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

static volatile int sum, is_ready;

ALONE static void allocate()
{
	void *block = malloc(opaque(40));

	keep(block);
	free(block);
}

struct Guard {
	ALONE ~Guard();
};

Guard::~Guard()
{
	allocate();
}

ALONE static void after()
{
	sum = sum + 1;
}

ALONE static void leave_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels > 0)
		leave_deep(levels - 1);
	else
		pthread_exit(nullptr);
	sum = sum + 1;
}

ALONE static void *leaver(void *argument)
{
	try {
		Guard guard;

		leave_deep(3);
	} catch (...) {
		after();
		throw;
	}
	return argument;
}

ALONE static void wait_deep(int levels)
{
	if (levels < 0)
		return;
	if (levels == 2) {
		Guard guard;

		wait_deep(levels - 1);
	} else if (levels > 0) {
		wait_deep(levels - 1);
	} else {
		is_ready = 1;
		for (;;)
			pause();
	}
	sum = sum + 1;
}

ALONE static void *waiter(void *argument)
{
	wait_deep(2);
	return argument;
}

int main()
{
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		if (pthread_create(&thread, nullptr, leaver, nullptr))
			return 1;
		pthread_join(thread, nullptr);
		after();
		is_ready = 0;
		if (pthread_create(&thread, nullptr, waiter, nullptr))
			return 1;
		while (!is_ready)
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
		after();
	}
	return 0;
}
