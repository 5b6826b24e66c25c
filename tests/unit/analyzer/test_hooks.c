/* SPDX-License-Identifier: MIT */
/* What this is: the recorder's cost from counts, of calls with and without a frame. */
#include "analyzer/rundb/hooks.h"
#include "analyzer/rundb/rundb.h"
#include "tests/unit/tests.h"

#include <math.h>
#include <sqlite3.h>

#define NEAR 1e-6

static const struct hooks budgeted = {
	.pair = {40, 5},
	.counted = {1.5, 0.2},
	.alloc = {20, 2},
	.calls = 1000,
	.counted_calls = 900,
	.allocs = 10,
	.busiest_share = 1,
};

TEST(counted_calls_cost_less)
{
	struct hooks exact = budgeted;

	assert_float_equal(hooks_total(&budgeted).ns, 100 * 40 + 900 * 1.5 + 10 * 20,
			   NEAR);
	assert_float_equal(hooks_counting(&budgeted).ns, 900 * 1.5, NEAR);
	exact.counted_calls = exact.allocs = 0;
	assert_float_equal(hooks_total(&exact).ns, 40000, NEAR);
	assert_float_equal(hooks_total(&exact).error_ns, 5000, NEAR);
}

/* Samples tell, where there are any: 3 of 10 ms, 2 of them in stubs. */
TEST(samples_come_first)
{
	struct hooks hooks = budgeted;

	hooks.has_samples = true;
	hooks.sampled = (struct hooks_cost){3e6, 1e6};
	hooks.sampled_counting = (struct hooks_cost){2e6, 8e5};
	assert_float_equal(hooks_total(&hooks).ns, 3e6, NEAR);
	assert_float_equal(hooks_total(&hooks).error_ns, 1e6, NEAR);
	assert_float_equal(hooks_counting(&hooks).ns, 2e6, NEAR);
}

/* It was measured: no error. */
TEST(what_was_left_out_was_the_hooks)
{
	struct hooks hooks = budgeted;

	hooks.left_out_ns = 7000;
	assert_float_equal(hooks_total(&hooks).ns, hooks_total(&budgeted).ns + 7000,
			   NEAR);
	assert_float_equal(hooks_total(&hooks).error_ns, hooks_total(&budgeted).error_ns,
			   NEAR);
}

TEST(errors_of_other_costs_are_their_own)
{
	assert_float_equal(hooks_total(&budgeted).error_ns,
			   sqrt(500.0 * 500 + 180.0 * 180 + 20.0 * 20), NEAR);
}

/* Two threads with the same work: half of it to all of it is in the wall. */
TEST(threads_may_or_may_not_run_side_by_side)
{
	struct hooks even = budgeted;
	struct hooks_cost all = hooks_total(&budgeted), wall;

	assert_float_equal(hooks_on_wall(&budgeted, 1e6).ns, all.ns, NEAR);
	assert_float_equal(hooks_on_wall(&budgeted, 1e6).error_ns, all.error_ns, NEAR);
	even.busiest_share = 0.5;
	wall = hooks_on_wall(&even, 1e6);
	assert_float_equal(wall.ns, 0.75 * all.ns, NEAR);
	assert_float_equal(wall.error_ns, hypot(0.75 * all.error_ns, 0.25 * all.ns),
			   NEAR);
}

/* The run computed for 40 us, half of them in hooks, and waited for 60. */
TEST(hooks_wait_for_a_cpu_like_the_program)
{
	struct hooks busy = {.pair = {20, 1}, .calls = 1000, .busiest_share = 1};
	struct hooks_cost wall;

	assert_float_equal(hooks_on_wall(&busy, 100e3).ns, 20e3, NEAR);
	busy.waited_ns = 60e3;
	wall = hooks_on_wall(&busy, 100e3);
	assert_float_equal(wall.ns, 50e3, NEAR);
	assert_float_equal(wall.error_ns, hypot(1e3, 15e3), NEAR);
	assert_float_equal(hooks_waits(&busy, 100e3), 1.5, NEAR);
	/* More than there is, as of several threads or of a damaged file. */
	busy.waited_ns = 1e9;
	assert_float_equal(hooks_on_wall(&busy, 100e3).ns, 120e3, NEAR);
	assert_float_equal(hooks_on_wall(&busy, 0).ns, 20e3, NEAR);
}

TEST(shares_end_at_all)
{
	assert_float_equal(hooks_percent((struct hooks_cost){54, 10}, 108).ns, 50, NEAR);
	assert_float_equal(hooks_percent((struct hooks_cost){54, 10}, 108).error_ns,
			   1000.0 / 108, NEAR);
	assert_float_equal(hooks_percent((struct hooks_cost){500, 10}, 100).ns, 100,
			   NEAR);
	assert_true(isnan(hooks_percent((struct hooks_cost){5, 1}, 0).ns));
}

/* Counts of a damaged file: more counted calls than there are, and less than none. */
TEST(counts_are_bounded)
{
	struct strbuf error = {0};
	struct rundb *db;
	struct hooks hooks;

	assert_int_equal(rundb_open_memory("memory.db", &db, &error), 0);
	assert_int_equal(
		sqlite3_exec(rundb_handle(db),
			     "INSERT INTO run (run_id, token, complete, inner_cost_ns, "
			     "outer_cost_ns, hook_cost_error_ns, counted_cost_ns) VALUES "
			     "(1, 'x', 1, 10, 30, -7, 1.5);"
			     "INSERT INTO function (function_id, run_id, name, calls, "
			     "total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count, "
			     "alloc_bytes, recording) VALUES "
			     "(1, 1, 'f', 10, 0, 0, 0, 0, 0, 0, 'counted');"
			     "INSERT INTO mode VALUES (1, 1, 1, 'f', 2, 2, 0, 0, 1, 99, "
			     "1, 0);"
			     "INSERT INTO mode VALUES (1, 1, NULL, 'g', 2, 2, 0, 0, 1, "
			     "5, 1, 0)",
			     NULL, NULL, NULL),
		SQLITE_OK);
	hooks_load(db, 1, &hooks);
	assert_float_equal(hooks.calls, 10, NEAR);
	assert_float_equal(hooks.counted_calls, 10, NEAR);
	assert_float_equal(hooks.pair.error_ns, 0, NEAR);
	assert_false(hooks.has_budget);
	assert_float_equal(hooks_total(&hooks).ns, 15, NEAR);
	rundb_close(db);
	strbuf_free(&error);
}
