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
#include "shim/record/calls.h"

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

/* is_open: what the begin returned. */
static inline void libc_call_end(enum libc_call call, uintptr_t stack, int is_open)
{
	if (is_open)
		calls_end_region(SEGMENT_KEY_LIBC | (uint64_t)call, stack);
}

/* The value of an expression that calls the next one, recorded as a call of `name`. */
#define LIBC_CALL(name, expression)                                                      \
	({                                                                               \
		uintptr_t libc_call_stack = (uintptr_t)__builtin_dwarf_cfa();            \
		int libc_call_is_open =                                                  \
			libc_call_begin(LIBC_CALL_##name, libc_call_stack);              \
		__typeof__(expression) libc_call_result = (expression);                  \
                                                                                         \
		libc_call_end(LIBC_CALL_##name, libc_call_stack, libc_call_is_open);     \
		libc_call_result;                                                        \
	})
