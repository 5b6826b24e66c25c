/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the parts that books are kept with: sharing out, costs, errors.
 * Runs on:       tests.
 * See also:      collector/account/weights.h; collector/merge/time_error.h
 */
#include <math.h>

#include "collector/account/account.h"
#include "collector/account/weights.h"
#include "collector/merge/hook_cost.h"
#include "collector/processes/ticks.h"
#include "common/poisson.h"
#include "tests/unit/tests.h"

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

TEST(parts_add_up)
{
	check_parts(10, (uint64_t[]){3, 1}, 2, (uint64_t[]){8, 2});
	check_parts(7, (uint64_t[]){1, 1, 1}, 3, (uint64_t[]){3, 2, 2});
	check_parts(2, (uint64_t[]){0, 5, 0, 4}, 4, (uint64_t[]){0, 1, 0, 1});
	check_parts(0, (uint64_t[]){4}, 1, (uint64_t[]){0});
	check_parts(UINT64_MAX, (uint64_t[]){UINT64_MAX, UINT64_MAX}, 2,
		    (uint64_t[]){UINT64_MAX / 2 + 1, UINT64_MAX / 2});
	check_parts(UINT64_MAX, (uint64_t[]){UINT64_MAX, 1}, 2,
		    (uint64_t[]){UINT64_MAX - 1, 1});
}

static const struct hook_cost cost = {
	.inner_ns = 10, .outer_ns = 20, .hook_error_ns = 3, .split = 1.0 / 3};

/* Of ten times as many as have no effect, nine in ten are far. */
TEST(cost_of_many_paths)
{
	struct hook_cost far = cost;

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
TEST(cost_of_far_blocks)
{
	struct hook_cost far = {.alloc_ns = 12, .alloc_error_ns = 3}, unknown = {0};

	hook_cost_heap(&far, 0);
	assert_true(far.alloc_ns == 12 && far.alloc_error_ns == 3);
	hook_cost_heap(&far, 3u << 20);
	assert_true(fabs(far.alloc_ns - 26) < 1e-9);
	assert_true(fabs(far.alloc_error_ns - hypot(3, 7)) < 1e-9);
	hook_cost_heap(&unknown, 3u << 20);
	assert_true(unknown.alloc_ns == 0 && unknown.alloc_error_ns == 0);
}

TEST(errors_add_by_kind)
{
	struct time_error a = {.hooks = 30, .placed = 100, .variance = 1600},
			  b = {.hooks = 30, .placed = -100, .variance = 4800};

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

/* Of samples that stand for 10 ns each, by Byar: none, 1 and 100 may be 3.7, 5.6 and
 * 121.6. */
TEST(few_samples_say_less)
{
	struct time_error none = {.grain = 10}, one = {.grain = 10, .samples = 100},
			  hundred = {.grain = 10, .samples = 10000};

	assert_int_equal(time_error_half_width(&none, 0, 1000), 37);
	assert_int_equal(time_error_half_width(&one, 10, 1000), 46);
	assert_int_equal(time_error_half_width(&hundred, 1000, 100000), 217);
	assert_true(fabs(poisson_low(100) - 81.36) < 0.01);
	assert_true(poisson_low(0) == 0);
}

/* Two parts of a time that is known, and one that is chance. */
TEST(a_divided_time_is_known)
{
	struct time_error one = {.variance = 100}, other = {.variance = 2500};

	time_error_doubt(&one, &other, 500);
	assert_int_equal(time_error_half_width(&one, 0, 10000), 501);
	assert_int_equal(time_error_half_width(&other, 0, 10000), 98);
	time_error_add(&other, &one);
	assert_int_equal(time_error_total_half_width(&other, 0, 10000), 100);
}

#define DEEP 400000u

/* A recursion of 400,000 paths that were only counted, below one with frames; and one of
 * nobody's. A walk up from each path would take minutes: more than the test may. */
TEST(counted_paths_take_from_the_frame_above)
{
	struct merge merge = {.path_count = DEEP};
	int64_t *most;

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
