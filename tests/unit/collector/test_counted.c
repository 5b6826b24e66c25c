/* SPDX-License-Identifier: MIT */
/*
 * What this is:  calls that were only counted: their number on paths, their time, and
 *                from whom it is taken.
 * Runs on:       tests.
 * See also:      collector/account/counted.h
 *
 * All numbers are computed by hand from what the comments say.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/collector/check_db.h"

#define PATHS                                                                            \
	"SELECT SUBSTR(name, 1, 6), calls, self_ns, total_ns, recording FROM "           \
	"call_paths ORDER BY path_id"

static void end(struct check_one *f, struct sqlite3 *db)
{
	check_rows(db, "SELECT COUNT(*) FROM path WHERE self_ns < 0 OR self_error_ns < 0",
		   "0");
	check_end(f, db);
}

/* 10 of 100 calls were timed, for 100 ns each: 90 * 100 ns go from the caller to them. An
 * estimate without windows has a standard deviation of a quarter: 1.96 * 2250. */
static void taken_from_the_caller(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS,
		   "0x1000|1|90000|100000|exact;0x2000|100|10000|10000|counted");
	check_rows(db, "SELECT raw_self_ns, raw_total_ns FROM call_paths",
		   "99000|100000;1000|1000");
	check_rows(db, "SELECT self_error_ns, total_error_ns FROM call_paths",
		   "4410|0;4410|4410");
	check_rows(db,
		   "SELECT calls, self_ns, recording, self_error_ns, total_error_ns FROM "
		   "functions ORDER BY calls",
		   "1|90000|exact|4410|0;100|10000|counted|4410|4410");
	check_rows(db,
		   "SELECT SUBSTR(r.name, 1, 6), f.calls, r.recording, reason, since_ns, "
		   "changes, counted_calls, window_calls, site_count FROM recordings r "
		   "JOIN functions f USING (function_id)",
		   "0x2000|100|counted|budget|1000|1|90|0|2");
	check_rows(db, "SELECT calls FROM call_edges", "100");
	check_rows(db, "SELECT value FROM trust WHERE name = 'hook_calls'", "11");
	end(&f, db);
}

/* t = 1000 / 10 - 10; main has 99000 - 10 - 10 * 20, less 90 * (90 + 2). */
static void less_the_cost(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	f.run.page->inner_cost_ticks = 10;
	f.run.page->outer_cost_ticks = 20;
	f.run.page->counted_cost_ticks = 2;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|90510|99510|exact;0x2000|100|9000|9000|counted");
	end(&f, db);
}

/* Counting takes 60,000 ns below the third, which has 48,500, its caller 500: the rest is
 * taken from the second, who has the time of counted calls, too. So the calls are thought
 * to be there, and have what is left of the 600,000 ns that they should have taken. The
 * sum is less by all of the counting. */
static void counting_is_taken_from_somebody(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t root, second, third;

	(void)state;
	check_begin(&f);
	f.run.page->counted_cost_ticks = 10;
	root = make_call(&f.lane, 1, 0x1000, 1, 100000);
	second = make_call(&f.lane, root, 0x2000, 1, 50000);
	third = make_call(&f.lane, root, 0x3000, 1, 49500);
	make_call(&f.lane, second, 0x4000, 10, 1000);
	make_call(&f.lane, third, 0x5000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED), 10);
	make_count(&f.lane, make_mode(f.process, 0x5000, SEGMENT_RECORDING_COUNTED),
		   6000);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS,
		   "0x1000|1|0|39900|exact;0x2000|1|0|38900|exact;"
		   "0x3000|1|0|1000|exact;0x4000|20|2000|2000|counted;"
		   "0x5000|10|1000|1000|counted;0x5000|6000|36900|36900|counted");
	check_rows(db,
		   "SELECT SUBSTR(p.name, 1, 6), c.calls FROM call_paths c JOIN "
		   "call_paths p ON p.path_id = c.parent_path_id WHERE "
		   "SUBSTR(c.name, 1, 6) = '0x5000' ORDER BY c.path_id",
		   "0x3000|10;0x2000|6000");
	end(&f, db);
}

/* Nothing is left of the third's time, but of the second's: where counted calls of the
 * last function are put. Returns the node of those that were seen. */
static uint32_t two_holders(struct check_one *f, enum segment_recording recording)
{
	uint32_t root, second, third, seen;

	root = make_call(&f->lane, 1, 0x1000, 1, 51000);
	second = make_call(&f->lane, root, 0x2000, 1, 50000);
	third = make_call(&f->lane, root, 0x3000, 1, 1000);
	make_call(&f->lane, second, 0x4000, 10, 1000);
	seen = make_call(&f->lane, third, 0x5000, 10, 1000);
	make_count(&f->lane, make_mode(f->process, 0x4000, SEGMENT_RECORDING_COUNTED),
		   10);
	make_count(&f->lane, make_mode(f->process, 0x5000, recording), 100);
	return seen;
}

/* Calls of inlined copies are copies wherever they are put, and their time is in the code
 * of the function there. */
static void copies_stay_copies(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t copies;

	(void)state;
	check_begin(&f);
	copies = two_holders(&f, SEGMENT_RECORDING_COUNTED);
	f.lane.nodes[copies].unfinished = SEGMENT_NODE_INLINED;
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT SUBSTR(p.name, 1, 6), c.calls, c.self_ns, c.inlined FROM "
		   "call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id WHERE "
		   "SUBSTR(c.name, 1, 6) = '0x5000' ORDER BY c.path_id",
		   "0x3000|10|1000|1;0x2000|100|10000|1");
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), calls, self_ns FROM functions "
		   "WHERE calls > 1 OR self_ns > 40000 ORDER BY name",
		   "0x2000|1|48000;0x4000|20|2000;0x5000|110|0");
	end(&f, db);
}

#define HOSTS                                                                            \
	"SELECT SUBSTR(p.name, 1, 6), c.calls, c.self_ns, c.inlined FROM call_paths c "  \
	"JOIN call_paths p ON p.path_id = c.parent_path_id WHERE "                       \
	"SUBSTR(c.name, 1, 6) = '0x4000' ORDER BY c.path_id"

/* Ten calls were seen, all in the third; 90 were counted in copies in the second, and one
 * that is no copy. */
static void copies_are_in_their_host(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t root, third, copies;

	(void)state;
	check_begin(&f);
	root = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, root, 0x2000, 1, 50000);
	third = make_call(&f.lane, root, 0x3000, 1, 40000);
	copies = make_call(&f.lane, third, 0x4000, 10, 1000);
	f.lane.nodes[copies].unfinished = SEGMENT_NODE_INLINED;
	make_count(&f.lane, make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED), 1);
	make_count(&f.lane, make_host(f.process, 0x4000, 0x2000), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, HOSTS, "0x3000|11|1100|1;0x2000|90|9000|1");
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), calls, self_ns FROM functions "
		   "ORDER BY name",
		   "0x1000|1|10000;0x2000|1|50000;0x3000|1|40000;0x4000|101|0");
	check_rows(db, "SELECT counted_calls, recording FROM recordings", "91|counted");
	end(&f, db);
}

/* Counting 4,000 copies takes 40,000 ns as it was measured, and they would take as much
 * again. Their host has 20,000: it keeps half of it. What counting should have taken more
 * its caller is asked for, which may have the time of it; not for what the calls took. */
static void copies_leave_something(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t root, host, copies;

	(void)state;
	check_begin(&f);
	f.run.page->counted_cost_ticks = 10;
	root = make_call(&f.lane, 1, 0x1000, 1, 100000);
	host = make_call(&f.lane, root, 0x2000, 1, 20010);
	copies = make_call(&f.lane, host, 0x4000, 1, 10);
	f.lane.nodes[copies].unfinished = SEGMENT_NODE_INLINED;
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED);
	make_count(&f.lane, make_host(f.process, 0x4000, 0x2000), 4000);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), calls, self_ns FROM functions "
		   "ORDER BY name",
		   "0x1000|1|49990;0x2000|1|10010;0x4000|4001|0");
	end(&f, db);
}

/* A host that was never seen, a number that is none, a host without the function's own
 * entry: the calls are all there, where the function's are. */
static void wild_hosts(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t root;

	(void)state;
	check_begin(&f);
	root = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, root, 0x4000, 10, 1000);
	make_call(&f.lane, root, 0x5000, 10, 1000);
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED);
	make_count(&f.lane, make_host(f.process, 0x4000, 0x9000), 10);
	make_count(&f.lane, make_host(f.process, 0x4000, UINT64_MAX), 20);
	make_count(&f.lane, make_host(f.process, 0x4000, 0x4000), 30);
	make_count(&f.lane, make_host(f.process, 0x5000, 0x1000), 40);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), calls FROM functions WHERE calls > 1 "
		   "ORDER BY name",
		   "0x4000|70;0x5000|50");
	end(&f, db);
}

/* The calls of a function recorded in windows are recorded so wherever they are put. */
static void windows_stay_windows(void **state)
{
	struct check_one f;
	struct sqlite3 *db;

	(void)state;
	check_begin(&f);
	two_holders(&f, SEGMENT_RECORDING_WINDOWS);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT c.calls, c.recording FROM call_paths c JOIN call_paths p ON "
		   "p.path_id = c.parent_path_id WHERE SUBSTR(c.name, 1, 6) = '0x5000' "
		   "ORDER BY SUBSTR(p.name, 1, 6)",
		   "100|windows;10|windows");
	end(&f, db);
}

/* Calls took 250 ns before and 50 ns in the windows, which are like those between. */
static void windows_are_the_sample(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node, number;

	(void)state;
	check_begin(&f);
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 40, 4000);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_WINDOWS);
	make_count(&f.lane, number, 100);
	make_window(&f.lane, number, 30, 1500, 30 * 2500.0);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|91000|100000|exact;0x2000|140|9000|9000|windows");
	/* all alike: what is left is that windows are not quite like the rest */
	check_rows(db, "SELECT self_error_ns FROM functions", "294;294");
	check_rows(db, "SELECT counted_calls, window_calls FROM recordings", "100|30");
	end(&f, db);
}

/* 10 calls on paths with 3 and 1 of those that are known; 4 of a thread that is in the
 * first only. */
static void paths_share_calls(void **state)
{
	struct check_one f;
	struct make_lane second;
	struct sqlite3 *db;
	uint32_t a, b, node, number;

	(void)state;
	check_begin(&f);
	make_lane(&second, &f.file, f.process, f.process_slot);
	a = make_call(&f.lane, 1, 0x1000, 1, 10000);
	b = make_call(&f.lane, 1, 0x3000, 1, 10000);
	make_call(&f.lane, a, 0x2000, 3, 0);
	make_call(&f.lane, b, 0x2000, 1, 0);
	node = make_call(&second, 1, 0x1000, 1, 10000);
	(void)node;
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED);
	make_count(&f.lane, number, 10);
	make_count(&second, number, 4); /* it has no path itself: as the process */
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT p.calls FROM call_paths p WHERE name LIKE '0x2000%' ORDER BY "
		   "path_id",
		   "15;3");
	check_rows(db,
		   "SELECT l.path_id, lane_id, l.calls FROM path_lane l JOIN call_paths "
		   "USING (path_id) WHERE name LIKE '0x2000%' ORDER BY 1, 2",
		   "3|1|11;3|2|4;4|1|3;4|2|0");
	end(&f, db);
}

static void calls_on_path_count(struct sqlite3 *db, const char *expected)
{
	check_rows(db,
		   "SELECT depth, calls, self_ns, recording FROM call_paths WHERE name "
		   "LIKE '0x2000%' ORDER BY path_id",
		   expected);
}

/* A child in which the function was never timed: as in its parent. */
static void as_in_another_process(void **state)
{
	struct check_one f;
	struct segment_process *child;
	struct make_lane lane;
	struct sqlite3 *db;
	uint32_t node, slot;

	(void)state;
	check_begin(&f);
	child = make_process(&f.file, 101, MAKE_START + 500, CHECK_END, &slot);
	child->forked_from_slot = f.process_slot;
	make_lane(&lane, &f.file, child, slot);
	node = make_call(&f.lane, 1, 0x1000, 1, 10000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED);
	make_call(&lane, 1, 0x1000, 1, 10000);
	make_count(&lane, make_mode(child, 0x2000, SEGMENT_RECORDING_COUNTED), 20);
	db = check_ingest(&f.run, NULL);
	calls_on_path_count(db, "2|30|3000|counted");
	check_rows(db, "SELECT self_ns FROM call_paths WHERE depth = 1", "17000");
	check_rows(db, "SELECT COUNT(*) FROM recordings", "2");
	end(&f, db);
}

/* Never timed at all: a root of its own, its time is not known. */
static void nowhere(void **state)
{
	struct check_one f;
	struct sqlite3 *db;

	(void)state;
	check_begin(&f);
	make_call(&f.lane, 1, 0x1000, 1, 10000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 20);
	make_mode(f.process, 0x1000, SEGMENT_RECORDING_OFF);
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_OFF);
	db = check_ingest(&f.run, NULL);
	calls_on_path_count(db, "1|20|0|counted");
	check_rows(db, "SELECT self_error_ns FROM functions WHERE recording = 'counted'",
		   "392");
	check_rows(db, "SELECT recording FROM functions WHERE name LIKE '0x1000%'",
		   "off");
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), recording, function_id IS NULL FROM "
		   "recordings",
		   "0x2000|counted|0;0x1000|off|0;0x4000|off|1");
	end(&f, db);
}

/* More than the caller has: what counting took comes first, and is nobody's. */
static void not_more_than_there_is(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	f.run.page->counted_cost_ticks = 25; /* a fifth of what is asked for */
	node = make_call(&f.lane, 1, 0x1000, 1, 2000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|0|1000|exact;0x2000|100|1000|1000|counted");
	check_rows(db, "SELECT value FROM trust WHERE name = 'refused_estimates'", "1");
	check_rows(db, "SELECT self_error_ns FROM functions WHERE recording = 'counted'",
		   "1000"); /* no more than there is */
	end(&f, db);
}

/*
 * main calls b 100 times, which calls d 200 times. b had 10 timed calls; in them d was
 * called 20 times, of which 5 were timed, so 15 * 100 ns of what b has are d's. b takes
 * (9500 - 1500) / 10 = 800 ns itself.
 */
static void hidden_below_windows(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	node = make_call(&f.lane, 1, 0x1000, 1, 200000);
	node = make_call(&f.lane, node, 0x3000, 10, 10000);
	make_call(&f.lane, node, 0x2000, 5, 500);
	make_count(&f.lane, make_mode(f.process, 0x3000, SEGMENT_RECORDING_WINDOWS), 90);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 195);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS,
		   "0x1000|1|100000|200000|exact;0x3000|100|80000|100000|windows;"
		   "0x2000|200|20000|20000|counted");
	check_rows(db, "SELECT total_error_ns FROM call_paths WHERE depth = 1", "0");
	end(&f, db);
}

/*
 * 40 windows in which a call takes 65 and 67 ticks and 26 between: 40 more than a counted
 * one, which takes 2. By the calibration an exact one takes 30, so one in a window takes
 * 12 more, of which 4 are inside. Of the 100 calls of 0x2000 40 are in windows: its
 * caller has 100 * 20 + 40 * 8 to its account, its own calls 10 each and 40 times 4.
 */
static void cost_in_windows(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node, number;

	(void)state;
	check_begin(&f);
	f.run.page->inner_cost_ticks = 10;
	f.run.page->outer_cost_ticks = 20;
	f.run.page->counted_cost_ticks = 2;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 100, 10000);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_WINDOWS);
	make_window(&f.lane, number, 40, 4000, 400000);
	for (uint32_t i = 0; i < 38; i++)
		make_pair(&f.lane, i % 2 ? 6500 : 6700, 100, 2600, 100);
	make_pair(&f.lane, 4000000, 100, 2600, 100); /* preempted */
	make_pair(&f.lane, 6600, 100, 3000000, 100);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT hook_cost_ns, counted_cost_ns, ROUND(window_cost_ns, 6), "
		   "window_cost_error_ns BETWEEN 0.5 AND 2, cost_pairs FROM runs",
		   "30.0|2.0|12.0|1|40");
	/* 90000 - 10 - 2000 - 320; 10000 - 1000 - 160 */
	check_rows(db, "SELECT self_ns FROM call_paths", "87670;8840");
	end(&f, db);
}

/* Of 40 allocations 20 had to look for their stacks, which took 100 ns each time that it
 * was timed: 2000 ns are nobody's. More than there were allocations is not believed. */
static void finding_stacks_is_nobodys(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	make_call(&f.lane, 1, 0x1000, 1, 100000);
	node = make_return(&f.lane, 2, 0x1010);
	make_site(f.process, &f.lane, node, 40, 400, 0, 0);
	f.lane.lane->slow_stack_count = 20;
	f.lane.lane->timed_stack_count = 2;
	f.lane.lane->timed_stack_ticks = 200;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT SUM(self_ns), SUM(raw_self_ns) FROM functions",
		   "98000|100000");
	end(&f, db);
	check_begin(&f);
	make_call(&f.lane, 1, 0x1000, 1, 100000);
	node = make_return(&f.lane, 2, 0x1010);
	make_site(f.process, &f.lane, node, 40, 400, 0, 0);
	f.lane.lane->slow_stack_count = UINT64_MAX;
	f.lane.lane->timed_stack_count = 2;
	f.lane.lane->timed_stack_ticks = 200;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT SUM(self_ns) FROM functions", "96000");
	end(&f, db);
}

/* A function was timed below the first thread's main(), and counted in a second thread,
 * which main() is not in: there it is below who has time of counted calls. */
static void not_in_other_threads(void **state)
{
	struct make_lane second;
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node;

	(void)state;
	check_begin(&f);
	make_lane(&second, &f.file, f.process, f.process_slot);
	make_call(&f.lane, make_call(&f.lane, 1, 0x1000, 1, 100000), 0x5000, 10, 1000);
	node = make_call(&second, 1, 0x2000, 1, 100000);
	make_call(&second, node, 0x4000, 10, 1000);
	make_count(&second, make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED), 10);
	make_count(&second, make_mode(f.process, 0x5000, SEGMENT_RECORDING_COUNTED), 100);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT SUBSTR(p.name, 1, 6), c.calls FROM call_paths c JOIN "
		   "call_paths p ON p.path_id = c.parent_path_id WHERE "
		   "SUBSTR(c.name, 1, 6) = '0x5000' ORDER BY p.name",
		   "0x1000|10;0x2000|100");
	check_rows(db, "SELECT SUM(self_ns) FROM functions", "200000");
	end(&f, db);
}

/* A cold state that is hardly slower than the warm one was not seen: it does not make the
 * cost exact. */
static void cold_as_warm(void **state)
{
	struct check_one f;
	struct sqlite3 *db;

	(void)state;
	check_begin(&f);
	f.run.page->inner_cost_ticks = f.run.page->outer_cost_ticks = 10;
	f.run.page->cold_inner_cost_ticks = 10.0000001;
	f.run.page->cold_outer_cost_ticks = 10;
	make_call(&f.lane, 1, 0x1000, 1, 100000);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT hook_cost_error_ns > 0.15 * hook_cost_ns FROM runs", "1");
	end(&f, db);
}

/* Whatever a process says of its modes, nothing is lost, negative or out of bounds. */
static void wild_numbers(void **state)
{
	struct check_one f;
	struct segment_mode *modes;
	struct sqlite3 *db;
	uint32_t node, number;

	(void)state;
	check_begin(&f);
	f.run.page->counted_cost_ticks = NAN;
	f.run.page->cold_inner_cost_ticks = INFINITY;
	f.run.page->alloc_cost_ticks = -1;
	f.run.page->overhead_percent = NAN;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 40, 4000);
	make_call(&f.lane, node, 0x3000, UINT64_MAX, UINT64_MAX);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_WINDOWS);
	make_count(&f.lane, number, UINT64_MAX);
	make_window(&f.lane, number, 40, UINT64_MAX, NAN);
	number = make_mode(f.process, 0x3000, 77);
	make_count(&f.lane, number, UINT64_MAX);
	make_window(&f.lane, number, UINT64_MAX, 0, -1);
	make_count(&f.lane, make_mode(f.process, UINT64_MAX, 3), 7);
	make_count(&f.lane, make_mode(f.process, SEGMENT_KEY_REGION | 5, 1), 7);
	make_count(&f.lane, make_mode(f.process, 0, 2), 7);
	make_count(&f.lane, 60, 7); /* of no mode */
	modes = (void *)((char *)f.process + f.process->modes.offset);
	modes[1].since_ticks = UINT64_MAX;
	modes[1].reason = modes[1].change_count = UINT32_MAX;
	for (uint32_t i = 0; i < 100; i++)
		make_pair(&f.lane, UINT32_MAX, i % 3, 0, UINT32_MAX);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT COUNT(*) FROM path WHERE self_ns < 0 OR total_ns < 0",
		   "0");
	check_rows(db, "SELECT COUNT(*), COUNT(overhead_percent) FROM runs", "1|0");
	check_rows(db, "SELECT value > 3 FROM trust WHERE name = 'damaged_segments'",
		   "1");
	sqlite3_close(db);
	make_file_free(&f.file);
	make_run_free(&f.run);
}

static void trust_of_modes(void **state)
{
	struct check_one f;
	struct sqlite3 *db;
	uint32_t node, number;

	(void)state;
	check_begin(&f);
	f.process->counters[SEGMENT_COUNTER_PATCHED_SITES] = 6;
	f.process->counters[SEGMENT_COUNTER_EARLY_SITES] = 1;
	f.process->counters[SEGMENT_COUNTER_MODE_CHANGES] = 4;
	f.lane.lane->cut_frame_count = 2;
	f.lane.lane->left_out_ticks = 5000;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 40, 4000);
	make_call(&f.lane, node, 0x3000, 10, 1000);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_WINDOWS);
	make_count(&f.lane, number, 100);
	make_window(&f.lane, number, 30, 1500, 0);
	make_count(&f.lane, make_mode(f.process, 0x3000, SEGMENT_RECORDING_COUNTED), 9);
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_OFF);
	make_mode(f.process, 0x5000, SEGMENT_RECORDING_COUNTED);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT name, value FROM trust WHERE name IN ('counted_calls', "
		   "'window_calls', 'window_count', 'sampled_functions', "
		   "'stopped_functions', 'counted_functions', 'windows_functions', "
		   "'off_functions', 'patched_sites', 'early_sites', 'mode_changes', "
		   "'cut_frames', 'left_out_ns') ORDER BY name",
		   "counted_calls|109;counted_functions|1;cut_frames|2;early_sites|1;"
		   "left_out_ns|5000;mode_changes|4;off_functions|1;patched_sites|6;"
		   "sampled_functions|1;"
		   "stopped_functions|2;window_calls|30;window_count|1;"
		   "windows_functions|1");
	end(&f, db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_from_the_caller),
		cmocka_unit_test(less_the_cost),
		cmocka_unit_test(counting_is_taken_from_somebody),
		cmocka_unit_test(copies_stay_copies),
		cmocka_unit_test(copies_are_in_their_host),
		cmocka_unit_test(copies_leave_something),
		cmocka_unit_test(wild_hosts),
		cmocka_unit_test(windows_stay_windows),
		cmocka_unit_test(windows_are_the_sample),
		cmocka_unit_test(paths_share_calls),
		cmocka_unit_test(as_in_another_process),
		cmocka_unit_test(nowhere),
		cmocka_unit_test(not_more_than_there_is),
		cmocka_unit_test(hidden_below_windows),
		cmocka_unit_test(cost_in_windows),
		cmocka_unit_test(finding_stacks_is_nobodys),
		cmocka_unit_test(not_in_other_threads),
		cmocka_unit_test(cold_as_warm),
		cmocka_unit_test(wild_numbers),
		cmocka_unit_test(trust_of_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
