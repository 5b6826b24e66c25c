/* SPDX-License-Identifier: MIT */
/*
 * What this is:  calls that were only counted: their number on paths, their time, and
 *                from whom it is taken.
 * Runs on:       tests.
 * See also:      collector/account/counted.c
 *
 * All numbers are computed by hand from what the comments say.
 */
#include <math.h>
#include <sqlite3.h>

#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define PATHS                                                                            \
	"SELECT SUBSTR(name, 1, 6), calls, self_ns, total_ns, recording FROM "           \
	"call_paths ORDER BY path_id"

static struct check_one f;
static struct sqlite3 *db;

static int begin(void **state)
{
	(void)state;
	check_begin(&f);
	return 0;
}

static int end(void **state)
{
	(void)state;
	check_rows(db, "SELECT COUNT(*) FROM path WHERE self_ns < 0 OR self_error_ns < 0",
		   "0");
	check_end(&f, db);
	return 0;
}

/* 10 of 100 calls were timed, for 100 ns each. Without samples the time of the others is
 * their caller's: how much of it, up to all of the 99,000 ns, is not known. */
TEST_WITH(stays_with_the_caller, begin, end)
{
	uint32_t node;

	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|99000|100000|exact;0x2000|100|1000|1000|counted");
	check_rows(db, "SELECT raw_self_ns, raw_total_ns FROM call_paths",
		   "99000|100000;1000|1000");
	check_rows(db, "SELECT self_error_ns, total_error_ns FROM call_paths",
		   "0|0;99000|99000");
	check_rows(db,
		   "SELECT calls, self_ns, recording, self_error_ns, total_error_ns FROM "
		   "functions ORDER BY calls",
		   "1|99000|exact|0|0;100|1000|counted|99000|99000");
	check_rows(db,
		   "SELECT SUBSTR(r.name, 1, 6), f.calls, r.recording, reason, since_ns, "
		   "changes, counted_calls, site_count FROM recordings r "
		   "JOIN functions f USING (function_id)",
		   "0x2000|100|counted|budget|1000|1|90|2");
	check_rows(db, "SELECT calls FROM call_edges", "100");
	check_rows(db, "SELECT value FROM trust WHERE name = 'hook_calls'", "11");
}

/* main has 99000 - 10 - 10 * 20, less 90 * 2. */
TEST_WITH(less_the_cost, begin, end)
{
	uint32_t node;

	f.run.page->inner_cost_ticks = 10;
	f.run.page->outer_cost_ticks = 20;
	f.run.page->counted_cost_ticks = 2;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|98610|99510|exact;0x2000|100|900|900|counted");
}

#define HOSTS                                                                            \
	"SELECT SUBSTR(p.name, 1, 6), c.calls, c.self_ns, c.inlined FROM call_paths c "  \
	"JOIN call_paths p ON p.path_id = c.parent_path_id WHERE "                       \
	"SUBSTR(c.name, 1, 6) = '0x4000' ORDER BY c.path_id"

/* Ten calls were seen, all in the third; 90 were counted in copies in the second, and one
 * that is no copy. */
TEST_WITH(copies_are_in_their_host, begin, end)
{
	uint32_t root, third, copies;

	root = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, root, 0x2000, 1, 50000);
	third = make_call(&f.lane, root, 0x3000, 1, 40000);
	copies = make_call(&f.lane, third, 0x4000, 10, 1000);
	f.lane.nodes[copies].unfinished = SEGMENT_NODE_INLINED;
	make_count(&f.lane, make_mode(f.process, 0x4000, SEGMENT_RECORDING_COUNTED), 1);
	make_count(&f.lane, make_host(f.process, 0x4000, 0x2000), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, HOSTS, "0x3000|11|1000|1;0x2000|90|0|1");
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), calls, self_ns FROM functions "
		   "ORDER BY name",
		   "0x1000|1|10000;0x2000|1|50000;0x3000|1|40000;0x4000|101|0");
	check_rows(db, "SELECT counted_calls, recording FROM recordings", "91|counted");
}

/* A host that was never seen, a number that is none, a host without the function's own
 * entry: the calls are all there, where the function's are. */
TEST_WITH(wild_hosts, begin, end)
{
	uint32_t root;

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
}

/* 10 calls on paths with 3 and 1 of those that are known; 4 of a thread that is in the
 * first only. */
TEST_WITH(paths_share_calls, begin, end)
{
	struct make_lane second;
	uint32_t a, b, node, number;

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
		   "14;4");
	check_rows(db,
		   "SELECT l.path_id, lane_id, l.calls FROM path_lane l JOIN call_paths "
		   "USING (path_id) WHERE name LIKE '0x2000%' ORDER BY 1, 2",
		   "3|1|11;3|2|3;4|1|3;4|2|1");
}

static void calls_on_path_count(const char *expected)
{
	check_rows(db,
		   "SELECT depth, calls, self_ns, recording FROM call_paths WHERE name "
		   "LIKE '0x2000%' ORDER BY path_id",
		   expected);
}

/* A child in which the function was never timed: as in its parent. */
TEST_WITH(as_in_another_process, begin, end)
{
	struct segment_process *child;
	struct make_lane lane;
	uint32_t node, slot;

	child = make_process(&f.file, 101, MAKE_START + 500, CHECK_END, &slot);
	child->forked_from_slot = f.process_slot;
	make_lane(&lane, &f.file, child, slot);
	node = make_call(&f.lane, 1, 0x1000, 1, 10000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED);
	make_call(&lane, 1, 0x1000, 1, 10000);
	make_count(&lane, make_mode(child, 0x2000, SEGMENT_RECORDING_COUNTED), 20);
	db = check_ingest(&f.run, NULL);
	calls_on_path_count("2|30|1000|counted");
	check_rows(db, "SELECT self_ns FROM call_paths WHERE depth = 1", "19000");
	check_rows(db, "SELECT COUNT(*) FROM recordings", "2");
}

/* Never timed at all: a root of its own, its time is not known. */
TEST_WITH(nowhere, begin, end)
{
	make_call(&f.lane, 1, 0x1000, 1, 10000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 20);
	make_mode(f.process, 0x1000, SEGMENT_RECORDING_OFF);
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_OFF);
	db = check_ingest(&f.run, NULL);
	calls_on_path_count("1|20|0|counted");
	check_rows(db, "SELECT self_error_ns FROM functions WHERE recording = 'counted'",
		   "10000"); /* all that was recorded */
	check_rows(db, "SELECT recording FROM functions WHERE name LIKE '0x1000%'",
		   "off");
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), recording, function_id IS NULL FROM "
		   "recordings",
		   "0x2000|counted|0;0x1000|off|0;0x4000|off|1");
}

/* Counting should have taken more than the caller has: no call takes nothing, so it was
 * less than that. */
TEST_WITH(counting_is_not_all, begin, end)
{
	uint32_t node;

	f.run.page->counted_cost_ticks = 25;
	node = make_call(&f.lane, 1, 0x1000, 1, 2000);
	make_call(&f.lane, node, 0x2000, 10, 1000);
	make_count(&f.lane, make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED), 90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "0x1000|1|200|1200|exact;0x2000|100|1000|1000|counted");
	check_rows(db, "SELECT self_error_ns FROM functions WHERE recording = 'counted'",
		   "200"); /* no more than there is */
}

/* 40 allocations, of which so many had to look for their stacks, for 100 ns each time
 * that it was timed. */
static void record_stacks_found(uint64_t slow_count)
{
	uint32_t node;

	make_call(&f.lane, 1, 0x1000, 1, 100000);
	node = make_return(&f.lane, 2, 0x1010);
	make_site(f.process, &f.lane, node, 40, 400, 0, 0);
	f.lane.lane->slow_stack_count = slow_count;
	f.lane.lane->timed_stack_count = 2;
	f.lane.lane->timed_stack_ticks = 200;
	db = check_ingest(&f.run, NULL);
}

/* 2000 ns are nobody's. */
TEST_WITH(finding_stacks_is_nobodys, begin, end)
{
	record_stacks_found(20);
	check_rows(db, "SELECT SUM(self_ns), SUM(raw_self_ns) FROM functions",
		   "98000|100000");
}

TEST_WITH(more_stacks_than_allocations_are_not_believed, begin, end)
{
	record_stacks_found(UINT64_MAX);
	check_rows(db, "SELECT SUM(self_ns) FROM functions", "96000");
}

/* A cold state that is hardly slower than the warm one was not seen: it does not make the
 * cost exact. */
TEST_WITH(cold_as_warm, begin, end)
{
	f.run.page->inner_cost_ticks = f.run.page->outer_cost_ticks = 10;
	f.run.page->cold_inner_cost_ticks = 10.0000001;
	f.run.page->cold_outer_cost_ticks = 10;
	make_call(&f.lane, 1, 0x1000, 1, 100000);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT hook_cost_error_ns > 0.15 * hook_cost_ns FROM runs", "1");
}

/* Whatever a process says of its modes, nothing is lost, negative or out of bounds. */
TEST(wild_numbers)
{
	struct segment_mode *modes;
	uint32_t node, number;

	begin(state);
	f.run.page->counted_cost_ticks = NAN;
	f.run.page->cold_inner_cost_ticks = INFINITY;
	f.run.page->overhead_percent = NAN;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 40, 4000);
	make_call(&f.lane, node, 0x3000, UINT64_MAX, UINT64_MAX);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED);
	make_count(&f.lane, number, UINT64_MAX);
	number = make_mode(f.process, 0x3000, 77);
	make_count(&f.lane, number, UINT64_MAX);
	make_count(&f.lane, make_mode(f.process, UINT64_MAX, 3), 7);
	make_count(&f.lane, make_mode(f.process, SEGMENT_KEY_REGION | 5, 1), 7);
	make_count(&f.lane, make_mode(f.process, 0, 2), 7);
	make_count(&f.lane, 60, 7); /* of no mode */
	modes = (void *)((char *)f.process + f.process->modes.offset);
	modes[1].since_ticks = UINT64_MAX;
	modes[1].reason = modes[1].change_count = UINT32_MAX;
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

TEST_WITH(trust_of_modes, begin, end)
{
	uint32_t node, number;

	f.process->counters[SEGMENT_COUNTER_PATCHED_SITES] = 6;
	f.process->counters[SEGMENT_COUNTER_EARLY_SITES] = 1;
	f.process->counters[SEGMENT_COUNTER_MODE_CHANGES] = 4;
	f.lane.lane->left_out_ticks = 5000;
	node = make_call(&f.lane, 1, 0x1000, 1, 100000);
	make_call(&f.lane, node, 0x2000, 40, 4000);
	make_call(&f.lane, node, 0x3000, 10, 1000);
	number = make_mode(f.process, 0x2000, SEGMENT_RECORDING_COUNTED);
	make_count(&f.lane, number, 100);
	make_count(&f.lane, make_mode(f.process, 0x3000, SEGMENT_RECORDING_COUNTED), 9);
	make_mode(f.process, 0x4000, SEGMENT_RECORDING_OFF);
	make_mode(f.process, 0x5000, SEGMENT_RECORDING_COUNTED);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT name, value FROM trust WHERE name IN ('counted_calls', "
		   "'sampled_functions', "
		   "'stopped_functions', 'counted_functions', "
		   "'off_functions', 'patched_sites', 'early_sites', 'mode_changes', "
		   "'left_out_ns') ORDER BY name",
		   "counted_calls|109;counted_functions|2;early_sites|1;"
		   "left_out_ns|5000;mode_changes|4;off_functions|1;patched_sites|6;"
		   "sampled_functions|0;"
		   "stopped_functions|3");
}
