/* SPDX-License-Identifier: MIT */
/* profshim::region ends with its scope, left by return or by an exception, in several
 * threads. */
// variants: all
// flags: -pthread
// expect-tree:
//     main 1 +?
//       catches 10 +?
//         throws 10 +?
//           thrower 10 +?
//             raised 10 +?
//     thread_main 4
//       outer 400
//         inner 800
//           tick 800
// expect-sql: SELECT name, component, calls FROM functions WHERE component IS NOT NULL ORDER
//     BY name => inner|net|800; outer|net|400; throws|app|10
// expect-sql: SELECT COUNT(*) FROM functions f WHERE name = 'outer' AND (SELECT total_ns
//     FROM functions WHERE name = 'inner') <= total_ns => 1
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 10
// expect-trust: unended_regions => 0
// expect-trust: orphan_regions => 0
// expect-trust: orphan_exits => 0
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <stdexcept>

static volatile unsigned sum;

ALONE static void tick()
{
	sum = sum + 1;
}

ALONE static void thrower()
{
	profshim::region region("", "raised");
	throw std::runtime_error("on purpose");
}

ALONE static void catches()
{
	try {
		profshim::region region("app", "throws");
		thrower();
	} catch (const std::exception &) {
	}
}

UNTRACED void twice()
{
	for (int i = 0; i < 2; i++) {
		profshim::region region("net", "inner");
		tick();
	}
}

ALONE static void *thread_main(void *)
{
	for (int i = 0; i < 100; i++) {
		profshim::region region("net", "outer");
		twice();
	}
	return nullptr;
}

int main()
{
	pthread_t threads[4];

	for (auto &thread : threads)
		pthread_create(&thread, nullptr, thread_main, nullptr);
	for (auto &thread : threads)
		pthread_join(thread, nullptr);
	for (int i = 0; i < 10; i++)
		catches();
	return 0;
}
