/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the parts that books are kept with: sharing out, mean times, errors.
 * Runs on:       tests.
 * See also:      collector/account/rate.h, weights.h; collector/merge/time_error.h
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "collector/account/rate.h"
#include "collector/account/snapshots.h"
#include "collector/account/weights.h"
#include "collector/merge/time_error.h"
#include "collector/processes/ticks.h"

static void check_parts(uint64_t total, const uint64_t *weights, size_t count,
			const uint64_t *expected)
{
	uint64_t parts[8], sum = 0;

	weights_apportion(total, weights, count, parts);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(parts[i], expected[i]);
		sum += parts[i];
	}
	assert_int_equal(sum, total);
}

static void parts_add_up(void **state)
{
	(void)state;
	check_parts(10, (uint64_t[]){3, 1}, 2, (uint64_t[]){8, 2});
	check_parts(7, (uint64_t[]){1, 1, 1}, 3, (uint64_t[]){3, 2, 2});
	check_parts(2, (uint64_t[]){0, 5, 0, 4}, 4, (uint64_t[]){0, 1, 0, 1});
	check_parts(0, (uint64_t[]){4}, 1, (uint64_t[]){0});
	check_parts(UINT64_MAX, (uint64_t[]){UINT64_MAX, UINT64_MAX}, 2,
		    (uint64_t[]){UINT64_MAX / 2 + 1, UINT64_MAX / 2});
	check_parts(UINT64_MAX, (uint64_t[]){UINT64_MAX, 1}, 2,
		    (uint64_t[]){UINT64_MAX - 1, 1});
}

/* 1000 calls of 130 ns, of which hooks are 10. In each a child, 40 by the clock, with 20
 * around it. */
static const struct rate_sums plain = {
	.calls = 1001,
	.timed_calls = 1000,
	.raw_ns = 130000 + 60000,
	.self_ns = 1000 * (130 + 60 - 40 - 10 - 20),
	.child_calls = 1000,
	.below_calls = 1000,
};
static const struct hook_cost cost = {.inner_ns = 10,
				      .outer_ns = 20,
				      .hook_error_ns = 3,
				      .split = 1.0 / 3,
				      .split_error = 0.1,
				      .window_inner_ns = 5,
				      .window_inner_error_ns = 1};

static void rate_without_windows(void **state)
{
	struct rate rate;

	(void)state;
	rate_find(&rate, &plain, &cost, 0);
	assert_true(fabs(rate.ns - 120) < 1e-9);
	assert_true(fabs(rate.error_ns - 30) < 1e-9);
	/* one pair inside, one around: a whole pair's error, and none of the split */
	assert_true(fabs(rate.hooks_ns - 3) < 1e-9);
	assert_true(fabs(rate.split_ns) < 1e-9);
}

static const struct rate_sums leaf = {
	.calls = 1000,
	.timed_calls = 1000,
	.raw_ns = 130000,
	.self_ns = 120000,
	.window_calls = 100,
	.window_ns = 100 * 60,
	.window_squares = 100 * (60.0 * 60 + 400), /* standard deviation 20 */
	.windows = 10,
};

/* 60 ns in windows, less 10 and 5. */
static void rate_in_windows(void **state)
{
	struct rate_sums sums = leaf;
	struct rate rate;

	(void)state;
	rate_find(&rate, &leaf, &cost, 0);
	assert_true(fabs(rate.ns - 45) < 1e-9);
	/* ten calls in each: (1 + 9 * 0.1) times the variance of independent ones */
	assert_true(fabs(rate.error_ns -
			 sqrt(400 * 1.9 / 100 + 0.03 * 45 * 0.03 * 45 + 1)) < 1e-9);
	sums.below_calls = 1000; /* it is not known how much of it is its own: */
	rate_find(&rate, &sums, &cost, 0);
	assert_true(fabs(rate.ns - 45) < 1e-9); /* all at most */
	sums.self_ns = 30000;
	rate_find(&rate, &sums, &cost, 0);
	assert_true(fabs(rate.ns - 30) < 1e-9);
	assert_true(fabs(rate.error_ns - 7.5) < 1e-9);
	sums = leaf;
	sums.window_calls = 29;
	rate_find(&rate, &sums, &cost, 0);
	assert_true(fabs(rate.ns - 120) < 1e-9);
}

/* 12 functions look 4 to 6 ns longer in windows. */
static void cost_inside_windows(void **state)
{
	double longer[] = {4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 100};
	struct hook_cost measured = cost;

	(void)state;
	measured.window_inner_ns = 7;
	hook_cost_measure_inner(&measured, longer, 4);
	assert_true(measured.window_inner_ns == 7);
	hook_cost_measure_inner(&measured, longer, 12);
	assert_true(measured.window_inner_ns == 5);
	assert_true(measured.window_inner_error_ns > 0.5 &&
		    measured.window_inner_error_ns < 1);
}

/* Of ten times as many as have no effect, nine in ten are far. */
static void cost_of_many_paths(void **state)
{
	struct hook_cost far = cost;

	(void)state;
	hook_cost_of_paths(&far, 0);
	hook_cost_of_paths(&far, 65536);
	assert_true(far.inner_ns == 10 && far.outer_ns == 20 && far.hook_error_ns == 3);
	hook_cost_of_paths(&far, 655360);
	assert_true(fabs(far.inner_ns + far.outer_ns - 30 - 0.9 * 6) < 1e-9);
	assert_true(fabs(far.inner_ns - far.split * (30 + 0.9 * 6)) < 1e-9);
	assert_true(fabs(far.hook_error_ns - hypot(3, 0.9 * 6)) < 1e-9);
	far = (struct hook_cost){.inner_ns = 0}; /* nobody calibrated */
	hook_cost_of_paths(&far, 655360);
	assert_true(far.inner_ns == 0 && far.outer_ns == 0 && far.hook_error_ns == 0);
}

/* Blocks of 3 MiB at the most: two doublings above a MiB with that. */
static void cost_of_far_blocks(void **state)
{
	struct hook_cost far = {.alloc_ns = 12, .alloc_error_ns = 3}, unknown = {0};

	(void)state;
	hook_cost_heap(&far, 0);
	assert_true(far.alloc_ns == 12 && far.alloc_error_ns == 3);
	hook_cost_heap(&far, 3u << 20);
	assert_true(fabs(far.alloc_ns - 26) < 1e-9);
	assert_true(fabs(far.alloc_error_ns - hypot(3, 7)) < 1e-9);
	hook_cost_heap(&unknown, 3u << 20);
	assert_true(unknown.alloc_ns == 0 && unknown.alloc_error_ns == 0);
}

/* Code of 400 bytes: 0.04 * 2.5 * 20 ns are expected. */
static void rate_of_code(void **state)
{
	struct rate_sums sums = {.timed_calls = 1000, .raw_ns = 10000, .self_ns = -5000};
	struct hook_cost counted = cost;
	struct rate rate;

	(void)state;
	counted.counted_ns = 2.5;
	rate_find(&rate, &sums, &counted, 400); /* what was timed says nothing */
	assert_true(rate.ns > 1 && rate.ns < 2);
	assert_true(rate.error_ns > rate.ns && rate.hooks_ns < 0.3);
	sums.raw_ns = 1000000;
	sums.self_ns = 990000; /* nor does the code, of a call that takes so long */
	rate_find(&rate, &sums, &counted, 400);
	assert_true(rate.ns > 650 && rate.ns < 990);
	/* what hooks of two callees cost on these paths is known to 25 ns */
	sums.raw_ns = 200000;
	sums.self_ns = 100000;
	sums.child_calls = 2000;
	rate_find(&rate, &sums, &counted, 400);
	assert_true(rate.error_ns > 40 && rate.error_ns < 50);
	sums = leaf;
	rate_find(&rate, &sums, &counted, 400);
	assert_true(rate.ns > 40 && rate.ns < 45);
	rate_find(&rate, &(struct rate_sums){.calls = 0}, &counted, 400);
	assert_true(fabs(rate.ns - 2) < 1e-9 && rate.error_ns > 2);
}

static void rate_of_nothing(void **state)
{
	static const double wild[] = {0, -1, 1e308, HUGE_VAL, -HUGE_VAL, NAN};
	struct rate rate;

	(void)state;
	rate_find(&rate, &(struct rate_sums){.calls = 0}, &cost, 0);
	assert_true(rate.ns == 0 && rate.error_ns > 0);
	for (size_t i = 0; i < 6 * 6 * 6; i++) {
		struct rate_sums sums = {.timed_calls = wild[i % 6],
					 .raw_ns = wild[i / 6 % 6],
					 .self_ns = wild[i / 36],
					 .child_calls = wild[(i + 1) % 6],
					 .below_calls = wild[(i + 4) % 6],
					 .window_calls = wild[(i + 2) % 6],
					 .window_ns = wild[i / 6 % 6],
					 .window_squares = wild[i % 6],
					 .hidden_ns = wild[(i + 3) % 6]};

		rate_find(&rate, &sums, &cost, i % 2 ? 0 : 1e18);
		assert_true(rate.ns >= 0 && rate.ns < HUGE_VAL);
		assert_true(rate.error_ns >= 0 && rate.error_ns < HUGE_VAL);
		assert_true(fabs(rate.hooks_ns) < HUGE_VAL);
		assert_true(fabs(rate.split_ns) < HUGE_VAL);
	}
}

static void errors_add_by_kind(void **state)
{
	struct time_error a = {.hooks = 30, .estimate = 100, .variance = 1600},
			  b = {.hooks = 30, .estimate = -100, .variance = 4800};

	(void)state;
	assert_int_equal(time_error_half_width(&a, 0, 1000), 220);
	/* (60, 0, 6400): 100 */
	time_error_add(&a, &b);
	assert_int_equal(time_error_half_width(&a, 0, 1000), 196);
	/* between 0 and 150 */
	assert_int_equal(time_error_half_width(&a, 100, 150), 100);
	assert_int_equal(time_error_half_width(&a, 10, 150), 140);
	a.split = NAN;
	assert_int_equal(time_error_half_width(&a, 0, 1000), 1000);
}

#define DEEP 400000u

/* A recursion of 400,000 paths that were only counted, below one with frames; and one of
 * nobody's. A walk up from each path would take minutes: more than the test may. */
static void counted_paths_take_from_the_frame_above(void **state)
{
	struct merge merge = {.path_count = DEEP};
	int64_t *most;

	(void)state;
	merge.paths = calloc(DEEP, sizeof(*merge.paths));
	assert_non_null(merge.paths);
	for (uint32_t i = 1; i < DEEP; i++)
		merge.paths[i] =
			(struct merge_path){.parent = i - 1,
					    .self_ns = 3,
					    .recording = SEGMENT_RECORDING_COUNTED};
	merge.paths[1].recording = SEGMENT_RECORDING_EXACT;
	merge.paths[DEEP - 2].recording = SEGMENT_RECORDING_EXACT;
	merge.paths[2].parent = 0;
	merge.paths[3].parent = 1;
	most = snapshots_most_self(&merge);
	assert_int_equal(most[0], 3);
	assert_int_equal(most[1], 3 * (DEEP - 4));
	assert_int_equal(most[2], 3);
	assert_int_equal(most[3], 3);
	assert_int_equal(most[DEEP - 2], 6);
	assert_int_equal(most[DEEP - 1], 3);
	free(most);
	free(merge.paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(rate_without_windows),
		cmocka_unit_test(rate_in_windows),
		cmocka_unit_test(rate_of_code),
		cmocka_unit_test(rate_of_nothing),
		cmocka_unit_test(cost_inside_windows),
		cmocka_unit_test(cost_of_many_paths),
		cmocka_unit_test(cost_of_far_blocks),
		cmocka_unit_test(errors_add_by_kind),
		cmocka_unit_test(counted_paths_take_from_the_frame_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
