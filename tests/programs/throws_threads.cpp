/* SPDX-License-Identifier: MIT */
/* Exceptions that travel between threads in an exception_ptr, many threads that throw at
 * once, thread_local objects' destructors, and one thrown while a thread ends. */
// variants: lto
// flags: -pthread
// flags[gcc]: -finstrument-functions-exclude-file-list=/usr/include
// tree-without: ^std::|^__gnu_cxx::|^TLS wrapper|^__tls_init|^_GLOBAL__|^__tcf|^__static_init
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 2720
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       wait_and_rethrow 80
//         rethrow 80 +80
//         after 80
//     start 80 +?
//       Local::Local 80
//       thrower*2 80
//         thrower 80 +80
//       catcher 800
//         thrower*2 800
//           thrower 800 +800
//         after 800
//     Local::~Local 80
#include "truth.h"
#include <exception>
#include <pthread.h>

static volatile int sum;
static std::exception_ptr carried[8];

struct Local {
	ALONE Local();
	ALONE ~Local();
	int used = 0;
};

Local::Local()
{
	sum = sum + 1;
}

/* After the thread's function has returned. */
Local::~Local()
{
	sum = sum + 1;
}

static thread_local Local local;

ALONE static void after()
{
	sum = sum + 1;
}

ALONE static void thrower(int levels)
{
	if (levels == 0)
		throw levels;
	thrower(levels - 1);
	sum = sum + 1;
}

ALONE static void catcher()
{
	try {
		thrower(2);
	} catch (int) {
		after();
	}
}

ALONE static void *start(void *place)
{
	local.used = 1;
	for (int i = 0; i < 10; i++)
		catcher();
	try {
		thrower(2);
	} catch (...) {
		*static_cast<std::exception_ptr *>(place) = std::current_exception();
	}
	return nullptr;
}

ALONE static void rethrow(int i)
{
	std::rethrow_exception(carried[i]);
}

ALONE static void wait_and_rethrow(pthread_t thread, int i)
{
	pthread_join(thread, nullptr);
	try {
		rethrow(i);
	} catch (int number) {
		sum = sum + number;
	}
	carried[i] = nullptr;
	after();
}

int main()
{
	pthread_t threads[8];

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 8; i++)
			if (pthread_create(&threads[i], nullptr, start, &carried[i]))
				return 1;
		for (int i = 0; i < 8; i++)
			wait_and_rethrow(threads[i], i);
	}
	return 0;
}
