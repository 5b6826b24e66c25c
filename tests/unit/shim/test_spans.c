/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of what a lane keeps of long calls and steps.
 */

#include "shim/lane/spans.h"
#include "shim/events/context.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define SPANS 100000u
#define SHORT 1000u
#define LONG 1000000u
#define LONG_EACH 1000u

static struct segment_span *all_spans(void)
{
	return (void *)((char *)lane_self->lane + lane_self->lane->spans.offset);
}

static void begin(void)
{
	context_acquire();
	lane_self->lane->spans.count = 0;
	lane_self->lane->thinned_span_count = lane_self->lane->lost_span_count = 0;
	lane_self->lane->span_complete_ticks = 1;
	lane_self->spans.floor_ticks = lane_self->span_ticks = 1;
}

/* One after the other; each is as long as length_of says. */
static void keep_all(uint64_t (*length_of)(uint64_t))
{
	uint64_t now = 1000;

	for (uint64_t i = 0; i < SPANS; i++) {
		uint64_t ticks = length_of(i);

		spans_keep_step(lane_self,
				&(struct segment_span){.begin_ticks = now,
						       .end_ticks = now + ticks,
						       .ticks = ticks});
		now += ticks;
	}
}

static uint64_t mixed(uint64_t i)
{
	return i % LONG_EACH ? SHORT + i * 7919 % SHORT : LONG + i;
}

static uint64_t equal(uint64_t i)
{
	(void)i;
	return SHORT;
}

/* Spans in each of 64 equal parts of the time, at least. */
static uint32_t fewest_of_a_part(void)
{
	const struct segment_span *all = all_spans();
	uint32_t count = lane_self->lane->spans.count, counts[64] = {0};
	uint64_t first = all[0].end_ticks, last = all[count - 1].end_ticks;
	uint32_t fewest = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		counts[(all[i].end_ticks - first) * 64 / (last - first + 1)]++;
	for (int i = 0; i < 64; i++)
		if (counts[i] < fewest)
			fewest = counts[i];
	return fewest;
}

TEST(the_longest_and_an_even_picture_stay)
{
	const struct segment_lane *lane;
	uint32_t long_count = 0;

	begin();
	keep_all(mixed);
	lane = lane_self->lane;
	assert_in_range(lane->spans.count, lane->spans.capacity / 4,
			lane->spans.capacity);
	for (uint32_t i = 0; i < lane->spans.count; i++) {
		long_count += all_spans()[i].ticks >= LONG;
		assert_true(!i ||
			    all_spans()[i].end_ticks > all_spans()[i - 1].end_ticks);
	}
	assert_int_equal(long_count, SPANS / LONG_EACH);
	assert_in_range(fewest_of_a_part(), 4, SEGMENT_SPAN_LIMIT);
	assert_int_equal(lane->thinned_span_count, SPANS - lane->spans.count);
	assert_int_equal(lane->lost_span_count, 0);
}

TEST(those_alike_are_thinned_evenly)
{
	begin();
	keep_all(equal);
	assert_in_range(lane_self->lane->spans.count, lane_self->lane->spans.capacity / 4,
			lane_self->lane->spans.capacity);
	assert_in_range(fewest_of_a_part(), 4, SEGMENT_SPAN_LIMIT);
}

/* All that are as long as that are there. */
TEST(what_is_complete_is_told)
{
	const struct segment_lane *lane;
	uint64_t complete, there = 0, were = 0;

	begin();
	lane_self->spans.interval_ticks = UINT64_MAX / 2; /* the time is no matter */
	keep_all(mixed);
	lane = lane_self->lane;
	complete = lane->span_complete_ticks;
	for (uint64_t i = 0; i < SPANS; i++)
		were += mixed(i) >= complete;
	for (uint32_t i = 0; i < lane->spans.count; i++)
		there += all_spans()[i].ticks >= complete;
	assert_int_equal(there, were);
}

TEST(too_many_raise_the_threshold)
{
	begin();
	keep_all(equal);
	assert_true(lane_self->span_ticks > 1);
	assert_true(lane_self->lane->span_complete_ticks >= lane_self->span_ticks);
	spans_look(lane_self, lane_self->spans.interval_ticks + (1ull << 40));
	assert_int_equal(lane_self->span_ticks, 1);
}

/* What is kept is a part of what the thread computes: of a wait nothing is. */
TEST(waits_do_not_lower_the_threshold)
{
	uint64_t raised, now;

	begin();
	keep_all(equal);
	raised = lane_self->span_ticks;
	assert_true(raised > 1);
	lane_self->off_cpu.blocked_ns += 1000000000;
	now = lane_self->spans.interval_ticks +
	      (uint64_t)process_facts.run->ticks_per_second;
	spans_look(lane_self, now);
	assert_int_equal(lane_self->span_ticks, raised);
	lane_self->off_cpu.blocked_ns = 0;
	spans_look(lane_self, now);
	assert_true(lane_self->span_ticks < raised);
}

TEST(handlers_that_come_between_are_counted)
{
	begin();
	lane_self->busy[BUSY_SPANS] = (uintptr_t)__builtin_frame_address(0);
	keep_all(equal);
	lane_self->busy[BUSY_SPANS] = 0;
	assert_int_equal(lane_self->lane->spans.count, 0);
	assert_int_equal(lane_self->lane->lost_span_count, SPANS);
	assert_int_equal(lane_self->lane->span_complete_ticks, SHORT + 1);
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
