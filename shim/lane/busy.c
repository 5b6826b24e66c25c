/* SPDX-License-Identifier: MIT */
/* Lanes in a pause, and hooks that were abandoned. Runs on: as busy.h says. */
#include "shim/lane/busy.h"

#include <stddef.h>

#include "common/arrays.h"
#include "common/segment_recording.h"
#include "shim/core/process.h"

struct paused paused;

void paused_publish(void)
{
	struct segment_process *segment = process->segment;

	segment->paused_ticks = paused.total_ticks;
	/* release: a reader that sees no pause sees its ticks */
	__atomic_store_n(&segment->paused_since_ticks,
			 paused.is_on ? paused.since_ticks : 0, __ATOMIC_RELEASE);
}

void paused_mark(struct lane_context *context)
{
	if (context->stack_size == UINTPTR_MAX) /* find out its stack again */
		context->stack_size = 0;
	__atomic_fetch_or(&context->stack_low, PAUSED_MARK, __ATOMIC_SEQ_CST);
	/* stubs take their slow path, too */
	__atomic_store_n(&context->counts, NULL, __ATOMIC_RELAXED);
}

void lane_forget_steps(struct segment_lane *lane)
{
	struct segment_series *series = arrays_entries(lane, &lane->series);

	for (uint32_t i = 0; i < lane->series.count; i++)
		series[i].open_ticks = 0;
}

void paused_take_up(struct lane_context *context)
{
	uint64_t total = __atomic_load_n(&paused.total_ticks, __ATOMIC_RELAXED);
	struct fiber_clock *clock = context->fiber->clock;
	struct segment_lane *lane = context->lane;

	__atomic_fetch_and(&context->stack_low, ~PAUSED_MARK, __ATOMIC_SEQ_CST);
	clock->suspended_ticks += total - context->paused_ticks;
	context->paused_ticks = lane->paused_ticks = total;
	context->clock_offset = clock->suspended_ticks;
	context->paused_region_count = 0;
	lane_forget_steps(lane); /* they would include the pause */
	if (lane->counts.count) {
		struct segment_count *counts = arrays_entries(lane, &lane->counts);

		context->counts = &counts->call_count;
	}
	/* the next pause may have begun in between */
	if (__atomic_load_n(&paused.is_on, __ATOMIC_SEQ_CST))
		paused_mark(context);
}

static void put_in_order(struct lane_context *context, uint32_t part)
{
	context->busy[part] = 0;
	upcalls.put_in_order(context, part);
}

/* A hook's address may be the stack pointer of its caller before the call. */
cold void busy_leave(struct lane_context *context, uintptr_t stack)
{
	for (uint32_t part = 0; part < LANE_PARTS; part++) {
		uintptr_t at = context->busy[part];

		if (at && at <= stack && paused_holds(context, at))
			put_in_order(context, part);
	}
}

cold void busy_leave_all(struct lane_context *context)
{
	for (uint32_t part = 0; part < LANE_PARTS; part++)
		if (context->busy[part])
			put_in_order(context, part);
}

cold int busy_take_left(struct lane_context *context, enum lane_part part,
			uintptr_t stack)
{
	if (paused_holds(context, stack))
		busy_leave(context, stack);
	return !context->busy[part];
}
