/* SPDX-License-Identifier: MIT */
/*
 * Begin and end of pauses. Whoever changes the state holds the process lock. A lane that
 * is not in the list yet finds the state when it settles; one that settles at the same
 * time marks itself, or is marked: it stores its stack before it asks, and is in the list
 * before the state changes.
 */
#include "shim/record/pause.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/paused.h"
#include "shim/record/context.h"
#include "shim/record/frame_hooks.h"

void pause_begin(void)
{
	uint64_t mask;

	if (!process_is_ready() || paused_is_on() || !process_lock(&mask))
		return;
	if (!paused.is_on) {
		paused.since_ticks = clock_now();
		__atomic_store_n(&paused.is_on, 1, __ATOMIC_SEQ_CST);
		for (struct lane_context *lane = process->lanes; lane;
		     lane = lane->next_lane)
			paused_mark(lane);
		process_count(SEGMENT_COUNTER_PAUSES, 1);
		paused_publish();
	}
	process_unlock(&mask);
}

void pause_end(void)
{
	uint64_t mask;

	if (!process_is_ready() || !paused_is_on() || !process_lock(&mask))
		return;
	if (paused.is_on) {
		paused.total_ticks += clock_now() - paused.since_ticks;
		__atomic_store_n(&paused.is_on, 0, __ATOMIC_SEQ_CST);
		paused_publish();
	}
	process_unlock(&mask);
}

void pause_leave(uint64_t function, uint64_t call_site, uintptr_t stack)
{
	struct lane_context *context = lane_own();
	struct segment_frame *frame;

	if (!context)
		return;
	if (unlikely(!paused_holds(context, stack)))
		context = context_settle(stack);
	frame = context ? context->top - 1 : NULL;
	/* calls in the pause lie deeper on the stack than an open one of the function */
	if (!frame || frame->function != function ||
	    segment_frame_caller(frame) != call_site || stack < frame->stack_pointer ||
	    segment_frame_is_inherited(frame))
		return;
	frame_pop(context, frame, frame->node, paused_clock() - context->clock_offset);
}

void pause_begin_region(void)
{
	struct lane_context *context = lane_own();

	if (context)
		context->paused_region_count++;
}

int pause_end_region(void)
{
	struct lane_context *context = lane_own();

	if (!context || !context->paused_region_count)
		return 0;
	context->paused_region_count--;
	return 1;
}
