/* SPDX-License-Identifier: MIT */
/*
 * What this is:  lanes' slow calls put together, damaged ones too, and the time of their
 *                parts without the hooks.
 * Runs on:       tests.
 * See also:      collector/merge/studies.h
 */

#include "collector/merge/place.h"
#include "collector/merge/place.h"
#include "tests/unit/tests.h"

#define NODES 8u

/* Nodes 2 to 7 are the paths 1 to 6; 1 calls 2 and 3, which calls 4; 5 and 6 are others.
 * Paths have the function of their number, but 6, which is another one of function 1. */
static struct merge_path paths[] = {
	{.function = 0},
	{.function = 1},
	{.function = 2, .parent = 1},
	{.function = 3, .parent = 1},
	{.function = 4, .parent = 3},
	{.function = 5},
	{.function = 1, .parent = 5},
};
static struct node_place nodes[NODES];
static struct segment_study own[SEGMENT_STUDIES_MOST];
static struct segment_case cases[SEGMENT_CASES_MOST];

static struct segment_series series[2];

static int begin(void **state)
{
	(void)state;
	memset(series, 0, sizeof(series));
	series[0].kind = SEGMENT_SERIES_COUNTER;
	series[1].kind = SEGMENT_SERIES_STEP;
	strcpy(series[1].name, "frame");
	memset(own, 0, sizeof(own));
	memset(cases, 0, sizeof(cases));
	memset(nodes, 0, sizeof(nodes));
	for (uint32_t i = 2; i < NODES; i++)
		nodes[i] = (struct node_place){.path = i - 1, .is_placed = 1};
	own[0] = (struct segment_study){.node = 2, .call_count = 10, .reason = 2};
	return 0;
}

static struct segment_case *put_case(uint32_t place, uint32_t node, uint64_t ticks,
				     uint32_t part_count)
{
	cases[place] = (struct segment_case){.serial = 2,
					     .is_slow = place % SEGMENT_STUDY_CASES <
							SEGMENT_STUDY_SLOWEST,
					     .ticks = ticks,
					     .own_ticks = ticks,
					     .number = place + 1,
					     .node = node,
					     .part_count = part_count};
	for (uint32_t i = 0; i < part_count && i < SEGMENT_CASE_PARTS; i++)
		cases[place].parts[i] = (struct segment_case_part){
			.node = 2 + i, .call_count = 1, .ticks = i < 64 ? ticks >> i : 0};
	return &cases[place];
}

static struct merge merge = {.paths = paths};
static struct studies *const studies = &merge.studies;

static void forget_studies(void)
{
	pool_done(&merge.pool);
	merge.studies = (struct studies){.count = 0};
}

static uint64_t add_lane(uint32_t lane, uint32_t study_count)
{
	struct lane_walk walk = {.merge = &merge, .nodes = nodes, .lane = lane};

	walk.data =
		(struct read_lane_data){.studies = own,
					.cases = cases,
					.series = series,
					.series_count = 2,
					.study_count = study_count,
					.case_count = study_count * SEGMENT_STUDY_CASES,
					.node_count = NODES};
	merge.damaged_count = 0;
	studies_add_lane(&walk);
	return merge.damaged_count;
}

TEST_WITH(test_lanes_are_one_study, begin, NULL)
{

	for (uint32_t lane = 0; lane < 20; lane++) {
		own[0].reason = lane == 3 ? SEGMENT_STUDY_ASKED : SEGMENT_STUDY_FOUND;
		own[0].node = lane % 2 ? 2 : 7; /* another path of it */
		for (uint32_t i = 0; i < SEGMENT_STUDY_CASES; i++)
			put_case(i, own[0].node, 1000 * lane + i, 1);
		assert_int_equal(add_lane(lane, 1), 0);
	}
	studies_finish(studies);
	assert_int_equal(studies->count, 1);
	assert_int_equal(studies->all[0].call_count, 200);
	assert_int_equal(studies->all[0].reason, SEGMENT_STUDY_ASKED);
	assert_int_equal(studies->all[0].case_count, STUDIES_SLOWEST + STUDIES_USUAL);
	for (uint32_t i = 0; i < STUDIES_SLOWEST; i++) {
		assert_true(studies->all[0].cases[i].is_slow);
		assert_true(studies->all[0].cases[i].lane >= 18);
	}
	assert_int_equal(studies->all[0].cases[0].ticks, 19007);
	assert_false(studies->all[0].cases[STUDIES_SLOWEST].is_slow);
	forget_studies();
}

TEST_WITH(test_parts_know_who_is_above, begin, NULL)
{
	const struct studies_case *entry;

	put_case(0, 2, 800, 4);
	cases[0].parts[3].node = 7; /* below a path that is not there */
	cases[0].part_count = 4;
	assert_int_equal(add_lane(0, 1), 0);
	entry = &studies->all[0].cases[0];
	assert_int_equal(entry->part_count, 4);
	assert_int_equal(entry->parts[0].parent, STUDIES_NONE);
	assert_int_equal(entry->parts[1].parent, 0);
	assert_int_equal(entry->parts[2].parent, 0);
	assert_int_equal(entry->parts[3].parent, STUDIES_NONE);
	forget_studies();
}

/* What no call held lies below the lane's root, which is no path. */
TEST_WITH(test_steps_have_a_name, begin, NULL)
{
	const struct studies_case *entry;

	own[0].series = 2;
	own[0].node = 1;
	put_case(0, 1, 800, 2);
	cases[0].parts[0].node = 1;
	cases[0].parts[1].node = 7;
	put_case(1, 2, 700, 2);
	assert_int_equal(add_lane(0, 1), 0);
	own[0].node = 2;
	assert_int_equal(add_lane(1, 1), 0);
	assert_int_equal(studies->count, 1);
	assert_string_equal(studies->all[0].step, "frame");
	assert_int_equal(studies->all[0].case_count, 4);
	entry = &studies->all[0].cases[0];
	assert_int_equal(entry->path, 0);
	assert_int_equal(entry->part_count, 2);
	assert_int_equal(entry->parts[0].parent, STUDIES_NONE);
	assert_int_equal(entry->parts[1].parent, 0);
	assert_int_equal(studies->all[0].cases[1].path, 1);
	forget_studies();
}

TEST_WITH(test_damaged_steps_are_counted, begin, NULL)
{

	own[0].series = 1; /* a counter */
	assert_int_equal(add_lane(0, 1), 1);
	own[0].series = 3; /* none */
	assert_int_equal(add_lane(0, 1), 1);
	own[0].series = 0;
	own[0].node = 1; /* the root is no function */
	assert_int_equal(add_lane(0, 1), 1);
	assert_int_equal(studies->count, 0);
	own[0].series = 2;
	series[1].name[0] = '\0';
	put_case(0, 2, 700, 1);
	put_case(1, 2, 700, 1);
	cases[1].parts[0].node = 1; /* the root below a path */
	assert_int_equal(add_lane(0, 1), 0);
	assert_string_equal(studies->all[0].step, "[no name]");
	assert_int_equal(studies->all[0].cases[1].folded_count, 1);
	forget_studies();
}

TEST_WITH(test_what_is_folded_has_no_time_of_its_own, begin, NULL)
{
	const struct studies_case *entry;

	put_case(0, 2, 800, 2);
	cases[0].parts[1].node = 5;
	cases[0].parts[1].alloc_bytes = 7;
	nodes[5] = (struct node_place){.path = 1, .is_placed = 1, .is_folded = 1};
	assert_int_equal(add_lane(0, 1), 0);
	entry = &studies->all[0].cases[0];
	assert_int_equal(entry->part_count, 1);
	assert_int_equal(entry->parts[0].call_count, 1);
	assert_int_equal(entry->parts[0].ticks, 800);
	assert_int_equal(entry->parts[0].alloc_bytes, 7);
	forget_studies();
}

TEST_WITH(test_damaged_ones_are_counted, begin, NULL)
{

	put_case(0, 2, 800, SEGMENT_CASE_PARTS + 1);
	put_case(1, NODES, 800, 1);
	put_case(2, 1, 800, 1);		    /* the lane's root */
	put_case(3, 2, 800, 1)->serial = 3; /* half written */
	put_case(4, 2, 800, 1)->serial = 0;
	put_case(5, 2, 800, 1)->own_ticks = 900;
	put_case(6, 2, 800, 1)->parts[0].node = UINT32_MAX;
	own[1] = (struct segment_study){.node = NODES};
	own[2] = (struct segment_study){.node = 0};
	assert_int_equal(add_lane(0, 3), 6);
	assert_int_equal(studies->count, 1);
	assert_int_equal(studies->all[0].case_count, 1);
	assert_int_equal(studies->all[0].cases[0].folded_count, 1);
	assert_int_equal(studies->all[0].cases[0].part_count, 0);
	own[0].call_count = UINT64_MAX;
	add_lane(1, 1);
	assert_int_equal(studies->all[0].call_count, UINT64_MAX);
	studies_finish(studies);
	forget_studies();
}

TEST_WITH(test_hooks_are_taken_off, begin, NULL)
{
	/* in 1 ten calls of 2, which allocate once, and one of 3 */
	struct studies_part parts[] = {
		{.path = 1, .parent = STUDIES_NONE, .call_count = 1, .ticks = 10000},
		{.path = 2,
		 .parent = 0,
		 .call_count = 10,
		 .ticks = 2000,
		 .alloc_count = 1},
		{.path = 3, .parent = 0, .call_count = 1, .ticks = 1},
	};
	struct studies_case entry = {.parts = parts, .part_count = 3};
	struct studies_cost cost = {
		.ns_per_tick = 0.5, .inner_ns = 6, .outer_ns = 10, .alloc_ns = 40};
	double total[3], self[3];

	studies_times(&entry, &cost, total, self);
	assert_true(total[1] == 1000 - 10 * 6 - 40);
	assert_true(self[1] == total[1]);
	assert_true(total[2] == 0);
	assert_true(total[0] == 5000 - 6 - (10 * 16 + 40) - 16);
	assert_true(self[0] == total[0] - total[1]);
}
