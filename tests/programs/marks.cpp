/* SPDX-License-Identifier: MIT */
/* Steps, regions and counters together in C++, with known counts: nested guards, guards
 * and plain regions that an exception leaves, regions that never end and end twice, a
 * thread of its own, a value that is no number. */
// variants: all
// flags: -pthread
// tolerate: repaired_frames
// expect-tree:
//     main 1 +?
//       frames 1 +?
//         frame 100 +?
//           send 200 +?
//             write_bytes 200 +?
//       rescues 5 +?
//         guarded 5 +?
//           guard 5 +?
//             plain 5 +?
//       forgets 4
//         forgotten 4
//           inside 4
//       twice 3
//         once 3
//     work 1
//       job 50
// expect-sql: SELECT name, component, calls FROM functions WHERE component IS NOT NULL ORDER
//     BY name => forgotten|app|4; frame|app|100; guard|app|5; inside|app|4; job|pool|50; once|app|3; plain|app|5; send|net|200
// expect-sql: SELECT name, step_count, timed_count FROM step_totals WHERE process_id IS NULL
//     ORDER BY name => frame|100|99; job|50|49
// expect-sql: SELECT name, counter_count, sum, min, max FROM counter_totals WHERE process_id
//     IS NULL ORDER BY name => left|50|1225|0|49; length|100|4950|0|99
// expect-trust: unended_regions => 13
// expect-trust: orphan_regions => 8
// expect-trust: orphan_exits => 0
// expect-trust: lost_marks => 1
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <stdexcept>

static volatile unsigned sum;

ALONE static void write_bytes()
{
	sum = sum + 1;
}

ALONE static void frames()
{
	for (int i = 0; i < 100; i++) {
		profshim_step("frame");
		profshim_counter("length", i);
		profshim::region frame("app", "frame");
		for (int j = 0; j < 2; j++) {
			profshim::region send("net", "send");
			write_bytes();
		}
	}
}

/* The guard ends itself; the plain region inside is ended with it. */
ALONE static void guarded()
{
	profshim::region guard("app", "guard");

	profshim_region_begin("app", "plain");
	throw std::runtime_error("on purpose");
}

ALONE static void rescues()
{
	try {
		guarded();
	} catch (const std::exception &) {
	}
	profshim_region_end("app", "plain");
}

ALONE static void forgets()
{
	profshim_region_begin("app", "forgotten");
	profshim_region_begin("app", "inside");
	sum = sum + 1;
}

ALONE static void twice()
{
	profshim_region_begin("app", "once");
	profshim_region_end("app", "once");
	profshim_region_end("app", "once");
}

ALONE static void *work(void *unused)
{
	for (int i = 0; i < 50; i++) {
		profshim_step("job");
		profshim::region job("pool", "job");
		profshim_counter("left", i);
	}
	return unused;
}

int main()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, work, nullptr);
	frames();
	for (int i = 0; i < 5; i++)
		rescues();
	for (int i = 0; i < 4; i++)
		forgets();
	for (int i = 0; i < 3; i++)
		twice();
	profshim_counter("length", __builtin_nan(""));
	pthread_join(thread, nullptr);
	return 0;
}
