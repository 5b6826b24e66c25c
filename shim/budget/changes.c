/* SPDX-License-Identifier: MIT */
/* Going through the functions that are known. */
#include "shim/budget/counting.h"

#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/frames.h"
#include "shim/lane/ways.h"
#include "shim/patch/modes.h"
#include "shim/patch/known.h"

/* Written by the one thread that changes. */
static uint32_t answers_taken;
static uint32_t is_taking; /* somebody is at it: a child has to do it all again */

void changes_forked(void)
{
	if (!is_taking)
		return;
	answers_taken = UINT32_MAX;
	is_taking = 0;
}

static int is_off(uint64_t function)
{
	enum selected selected = selected_find(function);

	if (selected == SELECTED_UNKNOWN) {
		upcalls.select_module(function);
		selected = selected_find(function);
	}
	return selected == SELECTED_OFF;
}

/* Answers only ever leave more out. */
static void settle(uint64_t function)
{
	uint32_t number = modes_find(function);

	if ((number && modes_recording(number) == SEGMENT_RECORDING_OFF) ||
	    !is_off(function))
		return;
	number = modes_set(function, SEGMENT_RECORDING_OFF, SEGMENT_REASON_ASKED);
	if (number)
		modes_keep_exits(number);
}

/* Not of an object that has gone, nor a region. */
static int is_function(uint64_t key)
{
	return key && key == (key & SEGMENT_KEY_ADDRESS_MASK) &&
	       !segment_key_is_region(key);
}

static uint64_t list_lane(const struct lane_context *lane, uint64_t *keys, uint64_t count,
			  uint64_t most)
{
	for (uint32_t i = 1; i < lane->function_next && count < most; i++) {
		if (is_function(lane->functions[i].key))
			keys[count++] = lane->functions[i].key;
	}
	return count;
}

/* Functions that are known: of the lanes, and without frames. Under the lock. */
static uint64_t list_functions(uint64_t *keys, uint64_t most)
{
	uint64_t count = 0;

	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane) {
		if (lane->functions)
			count = list_lane(lane, keys, count, most);
	}
	for (uint32_t i = 1; i < modes_count && count < most; i++) {
		if (is_function(modes_function(i)))
			keys[count++] = modes_function(i);
	}
	return count;
}

static uint64_t count_functions(void)
{
	uint64_t count = modes_count;

	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane)
		count += lane->function_next;
	return count;
}

/* Paths that are in the front tables never come to where it is asked how a function is
 * recorded. */
static void forget_fronts(struct lane_context *lane)
{
	ways_forget_front(lane, 0);
	ways_forget(lane, 0);
}

static void settle_all(void)
{
	uint64_t *keys, most, count = 0, mask;

	if (!process_lock(&mask))
		return;
	most = count_functions();
	keys = process_map((most + 1) * sizeof(*keys), 0);
	if (keys)
		count = list_functions(keys, most);
	process_unlock(&mask);
	for (uint64_t i = 0; i < count; i++)
		settle(keys[i]);
	process_unmap(keys, (most + 1) * sizeof(*keys));
	if (!process_lock(&mask))
		return;
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane)
		forget_fronts(lane);
	process_unlock(&mask);
}

/* The thread's own lane: what it was adding meanwhile. */
static void settle_lane(struct lane_context *context)
{
	for (uint32_t i = 1; i < context->function_next; i++) {
		if (is_function(context->functions[i].key))
			settle(context->functions[i].key);
	}
	forget_fronts(context);
}

/* Objects that were decided on without their answers are decided on again. 0: not now,
 * others' hooks will ask, too. */
static int forget_unanswered(void)
{
	uint64_t mask;

	if (!process_try_lock(&mask))
		return 0;
	is_taking = 1;
	selected_forget_unanswered();
	process_unlock(&mask);
	return 1;
}

int changes_begin(struct lane_context *context, uintptr_t stack)
{
	uint32_t expected = 0;

	if (!busy_take(context, BUSY_CHANGES, stack))
		return 0;
	if (__atomic_compare_exchange_n(&process->changer, &expected, context->slot, 0,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 1;
	busy_give(context, BUSY_CHANGES);
	return 0;
}

void changes_end(struct lane_context *context)
{
	/* release: who changes them next sees what has been done */
	__atomic_store_n(&process->changer, 0, __ATOMIC_RELEASE);
	busy_give(context, BUSY_CHANGES);
}

void changes_abandon(struct lane_context *context)
{
	if (__atomic_load_n(&process->changer, __ATOMIC_RELAXED) != context->slot)
		return;
	changes_forked(); /* what another one has begun is done again */
	__atomic_store_n(&process->changer, 0, __ATOMIC_RELEASE);
}

void cold changes_take_over(struct lane_context *context)
{
	uint32_t count = answers_count();

	if (context->is_vforking || !process_is_ready() ||
	    !changes_begin(context, (uintptr_t)__builtin_frame_address(0)))
		return;
	if (count != answers_taken && forget_unanswered()) {
		settle_all();
		answers_taken = count;
		is_taking = 0;
	}
	if (count == answers_taken) {
		settle_lane(context);
		context->answers_seen = count;
	}
	changes_end(context);
}
