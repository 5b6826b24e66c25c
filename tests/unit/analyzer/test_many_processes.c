/* SPDX-License-Identifier: MIT */
/* What this is: reports on a run of many processes: twice as many are no more than
 * about twice the work for SQLite, which counts its steps. */
#include "analyzer/reports/report.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/tree/calltree.h"
#include "tests/unit/tests.h"

#include <sqlite3.h>

extern const struct report report_bottlenecks, report_export, report_timeline;

static int64_t step_count;

static int add_steps(unsigned type, void *context, void *statement, void *time)
{
	(void)type, (void)context, (void)time;
	step_count += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
	return 0;
}

/* Each process has two threads, that compute in turns and wait for a lock of theirs. */
static void fill(struct rundb *db, int processes)
{
	char sql[4096];

	snprintf(
		sql, sizeof(sql),
		"INSERT INTO run (run_id, token, complete, wall_ns, cpu_count) "
		"VALUES (1, 'a', 1, 1000000000, 2);"
		"INSERT INTO function (function_id, run_id, name, calls, total_ns, "
		"self_ns, raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, "
		"recording) VALUES (1, 1, 'work', 1, 1, 1, 1, 1, 0, 0, 'exact');"
		"INSERT INTO path (path_id, run_id, depth, function_id, kind, calls, "
		"total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, "
		"live_bytes, at_peak_bytes) VALUES (1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, "
		"0, 0);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
		"WHERE i < %d) INSERT INTO process (process_id, run_id, pid, started_ns, "
		"wall_ns, complete) SELECT i, 1, i, 0, 1000000000, 1 FROM n;"
		"INSERT INTO lane SELECT process_id, 1, process_id FROM process;"
		"INSERT INTO path_lane (path_id, lane_id, calls, total_ns, self_ns, "
		"alloc_count, alloc_bytes) SELECT 1, lane_id, 1, 500000000, 500000000, "
		"0, 0 FROM lane;"
		"INSERT INTO thread (run_id, process_id, lane_id, tid, started_ns, "
		"wall_ns, cpu_ns, ready_ns, blocked_ns) SELECT 1, process_id, lane_id, "
		"2 * process_id + value, 0, 1000000000, 500000000, 0, 500000000 "
		"FROM lane, (SELECT 0 AS value UNION SELECT 1);"
		"INSERT INTO lock (run_id, lock_id, process_id, name, named_by, kind, "
		"address, lock_count, wait_count, wait_ns, max_wait_ns, hold_count, "
		"hold_ns, max_hold_ns, block_offset) SELECT 1, process_id, process_id, "
		"'mutex', 'path', 'mutex', 1, 100, 100, 400000000, 4000000, 100, "
		"400000000, 4000000, 0 FROM process;"
		"INSERT INTO lock_wait (run_id, lock_id, waiter_lane_id, waiter_path_id, "
		"holder_path_id, taken_path_id, wait_count, wait_ns, max_wait_ns) "
		"SELECT 1, lane_id, lane_id, 1, 1, 1, 100, 400000000, 4000000 FROM lane;"
		"INSERT INTO stall (run_id, process_id, lane_id, started_ns, wait_ns, "
		"kind, lock_id, waiter_path_id) SELECT 1, lane_id, lane_id, 1000, "
		"4000000, 'mutex', lane_id, 1 FROM lane;"
		"INSERT INTO span (run_id, process_id, lane_id, kind, path_id, "
		"started_ns, "
		"duration_ns, call_ns) SELECT 1, lane_id, lane_id, 1, 1, 1000, 4000000, "
		"4000000 FROM lane;"
		"INSERT INTO trust (run_id, name, value) VALUES (1, 'switches_by_rseq', "
		"1), (1, 'span_floor_ns', 10000);",
		processes);
	assert_int_equal(sqlite3_exec(rundb_handle(db), sql, NULL, NULL, NULL),
			 SQLITE_OK);
}

static int64_t steps_of(const struct report *report, int processes)
{
	const struct report_options options = {
		.limit = -1, .min_share = -1, .profile = true, .timeline = true};
	struct report_input input = {.run_id = 1, .options = &options};
	struct doc doc;

	assert_int_equal(rundb_open_memory("memory.db", &input.db, &input.error), 0);
	fill(input.db, processes);
	sqlite3_trace_v2(rundb_handle(input.db), SQLITE_TRACE_PROFILE, add_steps, NULL);
	step_count = 0;
	doc_init(&doc, report->name);
	assert_int_equal(report->build(&input, &doc), STATUS_OK);
	doc_free(&doc);
	calltree_free(input.tree);
	rundb_close(input.db);
	strbuf_free(&input.error);
	return step_count;
}

TEST(twice_the_processes_are_twice_the_work)
{
	const struct report *const reports[] = {&report_bottlenecks, &report_timeline,
						&report_export};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		int64_t few = steps_of(reports[i], 1000),
			many = steps_of(reports[i], 2000);

		print_message("%s: %lld and %lld steps\n", reports[i]->name,
			      (long long)few, (long long)many);
		assert_true(few > 1000);
		assert_true(many < 3 * few);
	}
}
