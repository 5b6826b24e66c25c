/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of steps and counters as a lane notes them.
 */

#include "shim/events/context.h"
#include "shim/events/events.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

static struct segment_series *series_named(const char *name)
{
	struct segment_series *all =
		(void *)((char *)lane_self->lane + lane_self->lane->series.offset);

	for (uint32_t i = 0; i < lane_self->lane->series.count; i++) {
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	}
	return NULL;
}

static uint64_t histogram_sum(const struct segment_series *series)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++)
		sum += series->histogram[i];
	return sum;
}

TEST(buckets_are_in_order_and_close)
{
	uint32_t last = SEGMENT_SERIES_SIDE;

	assert_int_equal(segment_series_bucket(0), SEGMENT_SERIES_SIDE);
	assert_int_equal(segment_series_bucket(-0.0), SEGMENT_SERIES_SIDE);
	for (double value = 1.0 / 65536; value < 2.8e14; value *= 1.07) {
		uint32_t bucket = segment_series_bucket(value);

		assert_true(bucket >= last);
		assert_int_equal(segment_series_bucket(-value),
				 2 * SEGMENT_SERIES_SIDE - bucket);
		assert_true(segment_series_bucket(value * 1.13) > bucket ||
			    bucket == SEGMENT_SERIES_BUCKETS - 1);
		last = bucket;
	}
	assert_int_equal(segment_series_bucket(1e300), SEGMENT_SERIES_BUCKETS - 1);
	assert_int_equal(segment_series_bucket(1e-300), SEGMENT_SERIES_SIDE + 1);
	assert_int_equal(segment_series_bucket(-1e300), 0);
}

/* However many: sums are exact, spans at most 64 and in order, the window the latest. */
TEST(long_series_stay_whole)
{
	const struct segment_series *series;
	const uint64_t count = 100000;
	double spans_sum = 0;
	uint64_t spans_count = 0;

	for (uint64_t i = 0; i < count; i++)
		series_counter("long", (double)(i % 1000));
	series = series_named("long");
	assert_non_null(series);
	assert_int_equal(series->count, count);
	assert_int_equal(series->value_count, count);
	assert_true(series->sum == 49950000.0);
	assert_int_equal(histogram_sum(series), count);
	for (uint32_t i = 0; i < SEGMENT_SERIES_SPANS; i++) {
		const struct segment_series_span *span = &series->spans[i];

		spans_sum += span->sum;
		spans_count += span->count;
		assert_true(span->first_ticks <= span->last_ticks);
		assert_true(!i || !span->count ||
			    span[-1].last_ticks <= span->first_ticks);
	}
	assert_int_equal(spans_count, count);
	assert_true(spans_sum == series->sum);
	for (uint64_t i = count - SEGMENT_SERIES_WINDOW; i < count; i++)
		assert_int_equal(series->window[i % SEGMENT_SERIES_WINDOW].index, i);
	for (uint32_t i = 0; i < SEGMENT_SERIES_EXTREMES; i++) {
		assert_true(series->highest[i].value == 999);
		assert_true(series->lowest[i].value == 0);
	}
}

TEST(extremes_are_the_most_extreme)
{
	static const double values[] = {3, -7, 12, 0.5, 9, 100, -1, 8, 11, 2, 50, -3};
	const struct segment_series *series;
	double high = 0, low = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		series_counter("extremes", values[i]);
	series = series_named("extremes");
	for (uint32_t i = 0; i < SEGMENT_SERIES_EXTREMES; i++) {
		high += series->highest[i].value;
		low += series->lowest[i].value;
		assert_true(values[series->highest[i].index] == series->highest[i].value);
	}
	assert_true(high == 100 + 50 + 12 + 11 + 9);
	assert_true(low == -7 - 3 - 1 + 0.5 + 2);
}

TEST(steps_begin_anew_with_a_thread)
{
	const struct segment_series *series;

	for (int i = 0; i < 3; i++)
		series_step("steps");
	context_release();
	lane_self = &lane_absent;
	assert_non_null(context_acquire());
	for (int i = 0; i < 4; i++)
		series_step("steps");
	series = series_named("steps");
	assert_int_equal(series->count, 7);
	assert_int_equal(series->value_count, 5);
	assert_true(series->sum <= (double)(series->last_ticks - series->first_ticks));
	assert_true(series->lowest[0].value >= 0);
}

/* A handler in the middle of a mark, and one that jumps out of it. */
TEST(interrupted_marks_are_counted)
{
	uint64_t lost = lane_self->lane->lost_mark_count;

	lane_self->busy[BUSY_SERIES] = 1;
	series_step("interrupted");
	series_counter("interrupted", 1);
	assert_int_equal(lane_self->lane->lost_mark_count, lost + 2);
	assert_null(series_named("interrupted"));
	lane_self->busy[BUSY_SERIES] = 0;
	series_step("interrupted");
	assert_int_equal(series_named("interrupted")->count, 1);
	series_counter("not finite", __builtin_nan(""));
	series_counter("not finite", -__builtin_inf());
	assert_int_equal(lane_self->lane->lost_mark_count, lost + 4);
}

/* Runs last: the table is full afterwards. */
TEST(names_are_bounded)
{
	uint64_t lost = lane_self->lane->lost_mark_count;
	uint32_t before = lane_self->lane->series.count;
	char name[200], longest[sizeof(name)];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	series_step(longest);
	series_step(longest);
	series_step(NULL);
	assert_int_equal(lane_self->lane->series.count, before + 2);
	for (int i = 0; i < 400; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		series_counter(name, i);
		series_counter(name, i);
	}
	assert_int_equal(lane_self->lane->series.count, SEGMENT_SERIES_LIMIT);
	assert_int_equal(series_named("name 0")->count, 2);
	assert_int_equal(lane_self->lane->lost_mark_count - lost,
			 2 * (400 - (SEGMENT_SERIES_LIMIT - before - 2)));
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(50000);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin_all, end_all)
