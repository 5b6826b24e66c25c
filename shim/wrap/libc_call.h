/* SPDX-License-Identifier: MIT */
/*
 * Calls of libc that wait or move data, as nodes of the call tree: for their wrappers.
 * Runs on: traced threads, any context; cancellation and jumps may leave the call, which
 * is then closed like any other frame. Does not change errno.
 *
 * Such a node is one like a region's: it has a frame, exact times, and no address.
 */
#pragma once

#include <stdint.h>

#include "common/libc/calls.h"
#include "common/segment.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"
#include "shim/lane/paused.h"
#include "shim/record/calls.h"
#include "shim/waits/stalls.h"

/* Set by the constructor; 0: PROFSHIM_WAITS=off. */
extern hidden int libc_call_is_wanted;

/* Is the calling thread's call of libc the program's, and to be recorded? */
static inline int libc_call_begin(enum libc_call call, uintptr_t stack)
{
	const struct lane_context *context = lane_self;

	if (!libc_call_is_wanted || !process_is_ready() ||
	    (context && (context->own_work != OWN_WORK_NONE || context->is_vforking)))
		return 0;
	calls_begin_region(SEGMENT_KEY_LIBC | (uint64_t)call, stack);
	return 1;
}

/* Ends the call's frame. Returns its node, 0: it had none; and its ticks. */
static inline uint32_t libc_call_finish(enum libc_call call, uintptr_t stack,
					uint64_t *ret_ticks)
{
	uint64_t key = SEGMENT_KEY_LIBC | (uint64_t)call, before = 0, blocked_ns;
	struct lane_context *context = lane_self;
	uint32_t node = 0;

	*ret_ticks = 0;
	if (unlikely(!lane_is_live(context) || paused_is_on())) {
		calls_end_region(key, stack);
		return 0;
	}
	if (likely(context->top > context->frames && context->top[-1].function == key))
		node = context->top[-1].node;
	if (likely(node))
		before = context->nodes[node].total_ticks;
	blocked_ns = context->off_cpu.blocked_ns;
	calls_end_region(key, stack);
	if (likely(node))
		*ret_ticks = context->nodes[node].total_ticks - before;
	blocked_ns = context->off_cpu.blocked_ns - blocked_ns;
	if (unlikely(blocked_ns))
		stalls_add_nap(context, node, call, *ret_ticks, blocked_ns);
	return node;
}

/* is_open: what the begin returned. */
static inline void libc_call_end(enum libc_call call, uintptr_t stack, int is_open)
{
	uint64_t ticks;

	if (is_open)
		libc_call_finish(call, stack, &ticks);
}

/* The same of one whose waits are in books of their own. */
static inline void libc_call_end_booked(enum libc_call call, uintptr_t stack, int is_open)
{
	if (is_open)
		calls_end_region(SEGMENT_KEY_LIBC | (uint64_t)call, stack);
}

/* The value of an expression that calls the next one, recorded as a call of `name`. */
#define LIBC_CALL(name, expression) LIBC_CALL_ENDED(name, libc_call_end, expression)

/* The same of one that waits for another thread, see waits/locks.h. */
#define LIBC_CALL_BOOKED(name, expression)                                               \
	LIBC_CALL_ENDED(name, libc_call_end_booked, expression)

#define LIBC_CALL_ENDED(name, end, expression)                                           \
	({                                                                               \
		uintptr_t libc_call_stack = (uintptr_t)__builtin_dwarf_cfa();            \
		int libc_call_is_open =                                                  \
			libc_call_begin(LIBC_CALL_##name, libc_call_stack);              \
		__typeof__(expression) libc_call_result = (expression);                  \
                                                                                         \
		end(LIBC_CALL_##name, libc_call_stack, libc_call_is_open);               \
		libc_call_result;                                                        \
	})
