/* SPDX-License-Identifier: MIT */
/* What keeps a hook from using a lane: the process's recording is paused, or another hook
 * is at work on a part of the lane. Runs on: traced threads, any context. Must not call
 * libc or lock. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"

/*
 * Pauses of the process's recording, which cost the hooks nothing. Runs on: traced
 * threads, any context.
 *
 * In a pause every lane has a bit set in stack_low. Then no address lies on its stack,
 * and all hooks take their slow paths, which ask here. On its first slow path after the
 * pause a lane clears the bit and counts its stack as suspended for that long (struct
 * segment_fiber).
 */

struct paused {
	uint32_t is_on;	      /* atomic */
	uint32_t key_index;   /* of the region that allocations go to; 0: not known yet */
	uint64_t since_ticks; /* of the last pause */
	uint64_t total_ticks; /* of the pauses that are over */
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

/* Writes the state into the process's slot, for readers. */
void paused_publish(void);

/* Makes the hooks of a lane take their slow paths. Any thread. */
void paused_mark(struct lane_context *context);

/* Must the lane call paused_take_up() before it goes on? Do not ask in a pause. */
static inline int paused_was(const struct lane_context *context)
{
	return unlikely(context->stack_low & PAUSED_MARK ||
			context->paused_ticks != paused.total_ticks);
}

/* Forgets the lane's open steps: its next marks begin new ones. */
void lane_forget_steps(struct segment_lane *lane);

/* Ends the pause for the lane. Called by its own thread. */
void paused_take_up(struct lane_context *context);

/*
 * Parts of a lane that only one hook at a time may work on. A handler that interrupts
 * that hook finds the part busy and does without it, or leaves a note. Runs on: the
 * lane's thread, any context.
 *
 * A handler may abandon the hook: it jumps, throws or ends the thread, often without our
 * seeing it. So a busy part holds an address of the hook's stack. A hook that is still at
 * work lies farther out on the stack than whoever interrupts it. If you find a part busy
 * with an address that does not, its hook was abandoned, and so were all others that lie
 * as far in. They are all repaired here.
 */

/* Control is, or goes on, at this address of the stack in use: repairs the parts of hooks
 * that lie farther in, which were abandoned. */
void busy_leave(struct lane_context *context, uintptr_t stack);

/* The same for all parts: the thread ends, or leaves a handler's stack for good. */
void busy_leave_all(struct lane_context *context);

/* Takes a busy part if its hook was abandoned. 0: its hook is still at work. */
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
