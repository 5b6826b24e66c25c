/* SPDX-License-Identifier: MIT */
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
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/lane/lane.h"

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
