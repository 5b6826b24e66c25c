/* SPDX-License-Identifier: MIT */
/*
 * What this is:  lanes' steps and counters put together, damaged ones too.
 * Runs on:       tests.
 * See also:      collector/merge/marks.h
 */
#include <math.h>

#include "collector/merge/place.h"
#include "tests/unit/tests.h"
#include "collector/merge/place.h"

static struct segment_series *series;
static struct merge merge;
static const struct marks *const marks = &merge.marks;

static void forget_marks(void)
{
	intern_free(&merge.names);
	map_done(&merge.series_map);
	pool_done(&merge.pool);
	merge.marks = (struct marks){.count = 0};
}

static void add_lane(uint32_t process, uint32_t lane)
{
	struct lane_walk walk = {.merge = &merge,
				 .process_index = process,
				 .lane = lane,
				 .data = {.series = series, .series_count = 1}};

	walk.waits.late_share = 0.5;
	marks_add_lane(&walk);
}

static int begin(void **state)
{
	(void)state;
	merge.damaged_count = 0;
	series = calloc(1, sizeof(*series));
	strcpy(series->name, "loop");
	series->kind = SEGMENT_SERIES_COUNTER;
	return series ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(series);
	return 0;
}

/* As the shim would, without its extremes beyond the first five. */
static void add(double value, uint64_t ticks, int64_t live_bytes)
{
	struct segment_mark mark = {.value = value,
				    .ticks = ticks,
				    .index = series->value_count,
				    .live_bytes = live_bytes};

	series->window[mark.index % SEGMENT_SERIES_WINDOW] = mark;
	series->spans[mark.index % SEGMENT_SERIES_SPANS] =
		(struct segment_series_span){ticks, ticks, 1, value, live_bytes, 2, 10};
	series->histogram[segment_series_bucket(value)]++;
	if (series->highest_count < SEGMENT_SERIES_EXTREMES) {
		series->highest[series->highest_count++] = mark;
		series->lowest[series->lowest_count++] = mark;
	}
	if (!series->count) {
		series->first_ticks = ticks;
		series->first_live_bytes = live_bytes;
	}
	series->last_ticks = ticks;
	series->last_live_bytes = live_bytes;
	series->sum += value;
	series->count++;
	series->value_count++;
}

TEST_WITH(lanes_and_processes_add_up, begin, end)
{
	const struct marks_series *run;

	add(1, 1000, 50);
	add(2, 1010, 80);
	add(3, 1020, 90);
	add_lane(0, 0);
	add_lane(0, 1);
	add_lane(1, 2);
	marks_finish(&merge);
	assert_int_equal(merge.damaged_count, 0);
	assert_int_equal(marks->count, 3);
	assert_int_equal(marks->all[0]->count, 6);
	assert_int_equal(marks->all[0]->latest_count, 6);
	assert_int_equal(marks->all[0]->growth_bytes, 40);
	assert_int_equal(marks->all[1]->count, 3);
	run = marks->all[2];
	assert_int_equal(run->process, MARKS_ALL);
	assert_int_equal(run->count, 9);
	assert_int_equal(run->growth_bytes, 80);
	assert_true(run->sum == 18);
	assert_int_equal(run->highest_count, SEGMENT_SERIES_EXTREMES);
	assert_true(run->highest[0].mark.value == 3 && run->highest[3].mark.value == 2);
	assert_true(run->lowest[2].mark.value == 1 && run->lowest[4].mark.value == 2);
	assert_true(fabs(marks_percentile(run, 0.5) - 2) < 0.13);
	assert_true(marks_percentile(run, 1) == 3);
	assert_true(fabs(marks_percentile(run, 0) - 1) < 0.07);
	forget_marks();
}

static uint64_t ready_ns_of(const struct marks_series *of, uint64_t *ret_blocked_ns)
{
	uint64_t ready_ns = 0;

	*ret_blocked_ns = 0;
	for (size_t i = 0; i < of->span_count; i++) {
		ready_ns += of->spans[i].ready_ns;
		*ret_blocked_ns += of->spans[i].blocked_ns;
	}
	return ready_ns;
}

/* Of the process and of the run, joined or not; what is late is taken once. */
TEST_WITH(waits_of_spans_add_up, begin, end)
{
	uint64_t blocked_ns;

	for (int i = 0; i < 64; i++)
		add(i, 1000 + 10 * (uint64_t)i, 0);
	for (uint32_t lane = 0; lane < 3; lane++)
		add_lane(0, lane);
	marks_finish(&merge);
	for (size_t i = 0; i < marks->count; i++) {
		assert_int_equal(ready_ns_of(marks->all[i], &blocked_ns), 192 * (2 + 5));
		assert_int_equal(blocked_ns, 192 * 5);
	}
	forget_marks();
}

/* Many threads: neither spans nor latest values grow with them. */
TEST_WITH(results_are_bounded, begin, end)
{
	uint64_t counted = 0;

	for (int i = 0; i < 64; i++)
		add(i, 1000 + 10 * (uint64_t)i, 0);
	for (uint32_t lane = 0; lane < 100; lane++)
		add_lane(0, lane);
	marks_finish(&merge);
	assert_int_equal(marks->all[0]->latest_count, SEGMENT_SERIES_WINDOW);
	assert_int_equal(marks->all[0]->latest[SEGMENT_SERIES_WINDOW - 1].mark.ticks,
			 1630);
	assert_true(marks->all[1]->span_count <= SEGMENT_SERIES_SPANS);
	for (size_t i = 0; i < marks->all[1]->span_count; i++)
		counted += marks->all[1]->spans[i].count;
	assert_int_equal(counted, 6400);
	forget_marks();
}

static void expect_damaged(uint64_t at_least)
{
	merge.damaged_count = 0;
	add_lane(0, 0);
	marks_finish(&merge);
	assert_true(merge.damaged_count >= at_least);
	for (size_t i = 0; i < marks->count; i++)
		assert_true(isfinite(marks_percentile(marks->all[i], 0.5)));
	forget_marks();
}

static void set_name(void)
{
	memset(series->name, 0, sizeof(series->name));
	strcpy(series->name, "loop");
}

TEST_WITH(damage_is_counted, begin, end)
{
	add(1, 1000, 0);
	series->kind = 9;
	expect_damaged(1);
	series->kind = SEGMENT_SERIES_COUNTER;
	memset(series->name, 'x', sizeof(series->name));
	expect_damaged(1);
	set_name();
	series->sum = NAN;
	expect_damaged(1);
	series->sum = 1;
	series->highest[0].value = INFINITY;
	series->window[0].value = NAN;
	series->spans[0].sum = -INFINITY;
	series->last_live_bytes = INT64_MAX;
	series->first_live_bytes = INT64_MIN;
	expect_damaged(2);
	series->kind = SEGMENT_SERIES_STEP;
	series->lowest[0].value = -1;
	expect_damaged(2);
	series->value_count = UINT64_MAX;
	expect_damaged(1);
	memset(series, 0xff, sizeof(*series));
	expect_damaged(1);
	memset(series->histogram, 0xff, sizeof(series->histogram));
	series->kind = SEGMENT_SERIES_COUNTER;
	set_name();
	series->sum = 0;
	series->count = series->value_count = UINT64_MAX;
	expect_damaged(1);
}
