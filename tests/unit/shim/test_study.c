/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of calls that are kept with what was done in them: which
 * ones, and the counts of each path. Slow ones are so by far.
 */

#include "common/arrays.h"
#include "common/segment_slow.h"
#include "shim/core/clock.h"
#include "shim/lane/functions.h"
#include "shim/core/process.h"
#include "shim/events/events.h"
#include "shim/study/study.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define OUTER 0x1000ull
#define CHILD 0x2000ull
#define RARE 0x3000ull
#define MARKER 0x4000ull
#define LOOP 0x5000ull
#define MANY 0x1000000ull
/* Long against whatever comes between two calls of a busy machine. */
#define SLOW_TICKS 300000000ull

static uint64_t next_studied = 0x100000;

static void enter(uint64_t function)
{
	__cyg_profile_func_enter((void *)function, (void *)1);
}

static void leave(uint64_t function)
{
	__cyg_profile_func_exit((void *)function, (void *)1);
}

static void call(uint64_t function, int count)
{
	for (int i = 0; i < count; i++) {
		enter(function);
		leave(function);
	}
}

static void spin(uint64_t ticks)
{
	uint64_t since = clock_now();

	while (clock_now() - since < ticks)
		;
}

/* A function of its own for each test. */
static uint64_t study_new(void)
{
	uint64_t function = next_studied += 16;

	trigger_add(&(struct trigger){.function = function, .actions = TRIGGER_STUDY});
	return function;
}

static const struct segment_study *study_of(uint64_t function)
{
	const struct segment_lane *lane = lane_self->lane;
	const struct segment_study *studies = arrays_entries(lane, &lane->studies);

	for (uint32_t i = 0; i < lane->studies.count; i++)
		if (lane_self->nodes[studies[i].node].key == function)
			return &studies[i];
	fail_msg("not studied");
	return NULL;
}

static const struct segment_case *cases_of(uint64_t function)
{
	const struct segment_lane *lane = lane_self->lane;
	const struct segment_study *studies = arrays_entries(lane, &lane->studies);
	const struct segment_case *cases = arrays_entries(lane, &lane->cases);

	return cases + (study_of(function) - studies) * SEGMENT_STUDY_CASES;
}

/* The slowest but for what it waited for a CPU. */
static const struct segment_case *slowest_of(uint64_t function)
{
	const struct segment_case *cases = cases_of(function), *found = cases;

	for (uint32_t i = 1; i < SEGMENT_STUDY_CASES; i++)
		if (cases[i].serial && cases[i].own_ticks > found->own_ticks)
			found = &cases[i];
	assert_int_equal(found->serial % 2, 0);
	assert_true(found->is_slow);
	return found;
}

static uint64_t calls_in(const struct segment_case *from, uint64_t function)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < from->part_count; i++)
		if (lane_self->nodes[from->parts[i].node].key == function)
			sum += from->parts[i].call_count;
	return sum;
}

/* A lane has room for eight studies. */
static int forget_all(void **state)
{
	struct segment_lane *lane = lane_self->lane;

	(void)state;
	memset(arrays_entries(lane, &lane->cases), 0,
	       lane->cases.count * sizeof(struct segment_case));
	arrays_publish(&lane->studies, 0);
	arrays_publish(&lane->cases, 0);
	return 0;
}

TEST_WITH(test_slow_call_has_its_own, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_case *slow, *cases;

	enter(OUTER);
	for (int i = 0; i < 1000; i++) {
		enter(function);
		call(CHILD, i == 500 ? 70 : 3);
		if (i == 500) {
			call(RARE, 2);
			spin(SLOW_TICKS);
		}
		leave(function);
	}
	leave(OUTER);
	slow = slowest_of(function);
	assert_true(slow->ticks >= SLOW_TICKS);
	assert_int_equal(slow->number, 501);
	assert_int_equal(calls_in(slow, function), 1 + slow->beside_call_count);
	assert_int_equal(calls_in(slow, CHILD), 70 + 3 * slow->beside_call_count);
	assert_int_equal(calls_in(slow, RARE), 2);
	assert_int_equal(study_of(function)->call_count, 1000);
	cases = cases_of(function);
	for (uint32_t i = SEGMENT_STUDY_SLOWEST; i < SEGMENT_STUDY_CASES; i++) {
		assert_true(cases[i].serial && !cases[i].is_slow);
		assert_int_equal(calls_in(&cases[i], CHILD), 3);
		assert_int_equal(calls_in(&cases[i], function), 1);
	}
}

TEST_WITH(test_first_call_is_told_as_such, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_case *only;

	enter(OUTER);
	enter(function);
	call(CHILD, 5);
	leave(function);
	leave(OUTER);
	only = slowest_of(function);
	assert_int_equal(only->number, 1);
	assert_int_equal(calls_in(only, CHILD), 5);
	assert_int_equal(only->part_count, 2);
	assert_true(only->parts[0].is_first && only->parts[1].is_first);
}

TEST_WITH(test_call_in_a_call_is_a_part, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_case *slow;

	enter(OUTER);
	for (int i = 0; i < 20; i++) {
		enter(function);
		enter(CHILD);
		enter(function);
		if (i == 10)
			spin(SLOW_TICKS);
		leave(function);
		leave(CHILD);
		leave(function);
	}
	leave(OUTER);
	assert_int_equal(study_of(function)->call_count, 20);
	slow = slowest_of(function);
	assert_int_equal(slow->number, 11);
	assert_int_equal(calls_in(slow, function), 2 + 2 * slow->beside_call_count);
}

TEST_WITH(test_call_without_an_exit, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_case *slow;

	for (int i = 0; i < 20; i++) {
		enter(OUTER);
		enter(function);
		call(CHILD, i == 5 ? 9 : 1);
		if (i == 5)
			spin(SLOW_TICKS);
		else
			leave(function);
		leave(OUTER);
	}
	slow = slowest_of(function);
	assert_int_equal(slow->number, 6);
	assert_int_equal(calls_in(slow, CHILD), 9 + slow->beside_call_count);
}

TEST_WITH(test_paths_without_room_are_counted, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_case *slow;

	enter(OUTER);
	for (int i = 0; i < 20; i++) {
		enter(function);
		for (uint64_t j = 0; i == 10 && j < 2000; j++)
			call(MANY + 16 * j, 1);
		if (i == 10)
			spin(SLOW_TICKS);
		leave(function);
	}
	leave(OUTER);
	slow = slowest_of(function);
	assert_int_equal(slow->number, 11);
	assert_int_equal(slow->part_count, SEGMENT_CASE_PARTS);
	assert_int_equal(slow->part_count + slow->folded_count, 2001);
	assert_int_equal(calls_in(slow, function), 1 + slow->beside_call_count);
}

/* The frame that was open before has another mark than the one in it. */
TEST_WITH(test_found_while_it_is_open, forget_all, NULL)
{
	uint64_t function = next_studied += 16;
	uint64_t repaired;

	enter(OUTER);
	enter(function);
	trigger_add(&(struct trigger){.function = function, .actions = TRIGGER_FOUND});
	repaired = lane_self->lane->repaired_frame_count;
	enter(function);
	leave(function);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired);
	leave(function);
	leave(OUTER);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired);
	assert_int_equal(lane_self->lane->orphan_exit_count, 0);
}

/* Exits of functions that were ever only counted keep their code
 * (shim/patch/stubs.h), when all their calls have frames again, too. */
TEST_WITH(test_found_after_it_was_counted, forget_all, NULL)
{
	uint64_t function = study_new();
	const struct segment_frame *top;

	enter(OUTER);
	top = lane_self->top;
	for (int i = 0; i < 20; i++) {
		enter(function);
		call(CHILD, i == 10 ? 9 : 1);
		if (i == 10)
			spin(SLOW_TICKS);
		counted_exit((void *)function, (void *)1,
			     (uintptr_t)__builtin_frame_address(0));
		assert_ptr_equal(lane_self->top, top);
	}
	leave(OUTER);
	assert_int_equal(study_of(function)->call_count, 20);
	assert_int_equal(slowest_of(function)->number, 11);
}

static uint32_t watch_frames(const char *name)
{
	return strcmp(name, "other") != 0 ? TRIGGER_STUDY : 0;
}

static const struct segment_study *study_of_steps(const char *name)
{
	const struct segment_lane *lane = lane_self->lane;
	const struct segment_study *studies = arrays_entries(lane, &lane->studies);
	const struct segment_series *series = arrays_entries(lane, &lane->series);

	for (uint32_t i = 0; i < lane->studies.count; i++)
		if (studies[i].series &&
		    strcmp(series[studies[i].series - 1].name, name) == 0)
			return &studies[i];
	fail_msg("not studied");
	return NULL;
}

static const struct segment_case *cases_of_study(const struct segment_study *study)
{
	const struct segment_lane *lane = lane_self->lane;
	const struct segment_study *studies = arrays_entries(lane, &lane->studies);
	const struct segment_case *cases = arrays_entries(lane, &lane->cases);

	return cases + (study - studies) * SEGMENT_STUDY_CASES;
}

/* A mark in a function of its own is below what was open at both marks. */
static void mark_frame(void)
{
	enter(MARKER);
	series_step("frame");
	series_step("other");
	leave(MARKER);
}

TEST_WITH(test_steps, forget_all, NULL)
{
	const struct segment_study *study;
	const struct segment_case *slow = NULL, *cases;

	enter(LOOP);
	for (int i = 0; i <= 20; i++) {
		mark_frame();
		call(CHILD, i == 10 ? 9 : 3);
		if (i == 10)
			spin(SLOW_TICKS);
	}
	leave(LOOP);
	study = study_of_steps("frame");
	assert_int_equal(study->call_count, 20);
	assert_int_equal(lane_self->nodes[study->node].key, MARKER);
	cases = cases_of_study(study);
	for (uint32_t i = 0; i < SEGMENT_STUDY_SLOWEST; i++)
		if (cases[i].serial && (!slow || cases[i].own_ticks > slow->own_ticks))
			slow = &cases[i];
	assert_non_null(slow);
	assert_int_equal(slow->number, 11);
	assert_int_equal(lane_self->nodes[slow->node].key, LOOP);
	assert_int_equal(slow->parts[0].node, slow->node);
	assert_int_equal(slow->parts[0].call_count, 1 + slow->beside_call_count);
	assert_true(slow->parts[0].ticks >= SLOW_TICKS);
	assert_int_equal(calls_in(slow, CHILD), 9 + 3 * slow->beside_call_count);
	for (uint32_t i = SEGMENT_STUDY_SLOWEST; i < SEGMENT_STUDY_CASES; i++) {
		if (!cases[i].serial)
			continue;
		assert_int_equal(calls_in(&cases[i], CHILD), 3);
		assert_int_equal(calls_in(&cases[i], MARKER), 1);
	}
}

static uint64_t ticks_in(const struct segment_case *from, uint64_t function)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < from->part_count; i++)
		if (lane_self->nodes[from->parts[i].node].key == function)
			sum += from->parts[i].ticks;
	return sum;
}

/* What is open at a mark has in each step what it took in it. */
TEST_WITH(test_open_calls_are_shared_out, forget_all, NULL)
{
	const struct segment_case *cases;

	enter(LOOP);
	series_step("shot");
	enter(CHILD);
	spin(SLOW_TICKS / 16);
	series_step("shot"); /* in the middle of CHILD */
	spin(SLOW_TICKS / 16);
	leave(CHILD);
	series_step("shot");
	leave(LOOP);
	assert_int_equal(study_of_steps("shot")->call_count, 2);
	cases = cases_of_study(study_of_steps("shot"));
	for (int i = 0; i < 2; i++) {
		assert_true(cases[i].serial);
		assert_true(ticks_in(&cases[i], CHILD) >= SLOW_TICKS / 16);
		assert_true(ticks_in(&cases[i], CHILD) <= cases[i].ticks);
	}
}

TEST_WITH(test_a_handler_in_between_waits_for_nothing, forget_all, NULL)
{
	uint64_t function = study_new();

	enter(OUTER);
	call(function, 1);
	lane_self->busy[BUSY_STUDY] = 1;
	call(function, 1);
	assert_int_equal(study_of(function)->call_count, 1);
	lane_self->busy[BUSY_STUDY] = 0;
	call(function, 1);
	assert_int_equal(study_of(function)->call_count, 2);
	leave(OUTER);
}

static int begin(void **state)
{
	(void)state;
	fixture_begin(1 << 20);
	upcalls.leave_call = study_leave;
	upcalls.watch_mark = watch_frames;
	return 0;
}

static int end(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin, end)
