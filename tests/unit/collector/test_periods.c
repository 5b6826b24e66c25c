/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what a sample from outside stands for, when its event's period is drawn
 *                anew: the kernel tells the one that the event began with.
 * Runs on:       tests.
 * See also:      collector/watch/outside.h
 */
#include "collector/watch/outside.h"
#include "tests/unit/tests.h"

enum { FIRST = 900000, DRAWN = 700000 };

static struct outside_events events_of_two_threads(void)
{
	static uint64_t ids[] = {5, 8};
	static int32_t tids[] = {100, 101};

	return (struct outside_events){
		.ids = ids, .tids = tids, .count = 2, .period_ns = FIRST};
}

static uint64_t period_of(const struct outside_events *events, uint64_t id, int32_t tid)
{
	return events_period(events, &(struct outside_record){
					     .id = id, .tid = tid, .period_ns = FIRST});
}

TEST(a_new_period_counts)
{
	struct outside_events events = events_of_two_threads();

	assert_int_equal(period_of(&events, 8, 101), FIRST);
	events.count = 0; /* the kernel is not asked for events that are none of ours */
	events_change_period(&events, DRAWN);
	events.count = 2;
	assert_int_equal(period_of(&events, 5, 100), DRAWN);
	assert_int_equal(period_of(&events, 8, 101), DRAWN);
}

/* A thread that one of them began has what its event inherited, by the same id. */
TEST(a_new_thread_keeps_its_own)
{
	struct outside_events events = events_of_two_threads();

	events.period_ns = DRAWN;
	assert_int_equal(period_of(&events, 5, 102), FIRST);
}
