/* SPDX-License-Identifier: MIT */
/* What keeps the hooks from a lane: the process's recording is paused, or another hook
 * is at work on a part of it. Runs on: traced threads, any context. Must not call libc
 * or lock. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"

/*
 * Whether the process's recording is paused, and how its lanes take part in that without
 * costing the hooks anything. Runs on: traced threads, any context.
 *
 * While it is, the stack in use of every lane has a bit set in the address it begins at,
 * so that no address lies on it and all hooks take their slow paths, which ask here. A
 * lane learns that the pause is over on its first slow path, and takes the bit out: its
 * stack was suspended for that long (struct segment_fiber).
 */

struct paused {
	uint32_t is_on;	      /* atomic */
	uint32_t key_index;   /* of the name that allocations go to, 0: not known yet */
	uint64_t since_ticks; /* of the last pause */
	uint64_t total_ticks; /* of those that are over */
};

extern hidden struct paused paused;

static inline int paused_is_on(void)
{
	return unlikely(__atomic_load_n(&paused.is_on, __ATOMIC_RELAXED));
}

#define PAUSED_MARK (1ull << 63)

static inline uintptr_t paused_stack_low(const struct lane_context *context)
{
	return context->stack_low & ~PAUSED_MARK;
}

/* True when the address lies on the stack in use, paused or not. */
static inline int paused_holds(const struct lane_context *context, uintptr_t stack)
{
	return stack - 1 - paused_stack_low(context) < context->stack_size;
}

/* Time stands still in a pause. */
static inline uint64_t paused_clock(void)
{
	return paused_is_on() ? __atomic_load_n(&paused.since_ticks, __ATOMIC_RELAXED)
			      : clock_now();
}

/* Writes into the process's slot what a reader has to know. */
void paused_publish(void);

/* Has the hooks of a lane take their slow paths. Any thread. */
void paused_mark(struct lane_context *context);

/* Is there something to do before the lane's thread goes on? Not in a pause. */
static inline int paused_was(const struct lane_context *context)
{
	return unlikely(context->stack_low & PAUSED_MARK ||
			context->paused_ticks != paused.total_ticks);
}

/* No step of the lane is open: its next marks begin one. */
void lane_forget_steps(struct segment_lane *lane);

/* Does it: the lane's own thread. */
void paused_take_up(struct lane_context *context);

/*
 * What of a lane only one hook at a time is at work on. A handler that interrupts it
 * there finds it busy, and goes without, or leaves a note. Runs on: the lane's thread,
 * any context.
 *
 * A hook may be left in the middle: its handler jumps, throws or ends the thread, and of
 * many ways to do that nobody tells us. So a part is busy with an address of the hook's
 * stack. What is at work interrupts what lies farther out on its stack. Who finds a part
 * busy with an address that does not, is after it: the hook has been left, and so have
 * all that lie as far in. They are put in order then, all of them here.
 */

/* Control is at this address of the stack in use, or goes on there: hooks that lie as far
 * in have been left. */
void busy_leave(struct lane_context *context, uintptr_t stack);

/* The thread ends, or goes on on another stack than that of a handler, for good: all have
 * been. */
void busy_leave_all(struct lane_context *context);

/* Takes a part that is busy, if it was left. 0: it is somebody's. */
int busy_take_left(struct lane_context *context, enum lane_part part, uintptr_t stack);

/* Takes a part for the hook at this address of the stack. 0: it is busy. */
static inline int busy_take(struct lane_context *context, enum lane_part part,
			    uintptr_t stack)
{
	if (unlikely(context->busy[part]) && !busy_take_left(context, part, stack))
		return 0;
	context->busy[part] = stack;
	__asm__ volatile("" : : : "memory");
	return 1;
}

static inline void busy_give(struct lane_context *context, enum lane_part part)
{
	__asm__ volatile("" : : : "memory");
	context->busy[part] = 0;
}
