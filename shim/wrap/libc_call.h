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
#include "shim/events/events.h"

/* Set by the constructor; 0: PROFSHIM_WAITS=off. */
extern hidden int libc_call_is_wanted;

/* Begins it as a call of the program's. 0: it is the recorder's own, or of a process that
 * is not recorded. */
hidden int libc_call_open(enum libc_call call, uintptr_t stack);

#define LIBC_CALL_UNRECORDED UINT32_MAX

/* Ends it, and books it as a nap when it was one. Returns its node, 0: none, with its
 * ticks; or that there is nothing to book. */
hidden uint32_t libc_call_close(enum libc_call call, uintptr_t stack,
				uint64_t *ret_ticks);

/* Is the calling thread's call of libc the program's, and to be recorded? */
static inline int libc_call_begin(enum libc_call call, uintptr_t stack)
{
	return libc_call_is_wanted && libc_call_open(call, stack);
}

/* is_open: what the begin returned. */
static inline void libc_call_end(enum libc_call call, uintptr_t stack, int is_open)
{
	uint64_t ticks;

	if (is_open)
		libc_call_close(call, stack, &ticks);
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

/*
 * The body of a wrapper whose parameters are called a, b, c and so on: `shape` is a macro
 * that is given the function's name and these, and has its value.
 */
#define WRAPPER(shape, name, type, ...)                                                  \
	WRAPPER_OF(WRAPPER_CALL(shape, name, WRAPPER_COUNTED(ARGUMENTS_, __VA_ARGS__)),  \
		   name, type, __VA_ARGS__)
/* The same, as a row of wrapped.def has it. */
#define WRAPPER_ROW(name, shape, type, ...) WRAPPER(shape, name, type, __VA_ARGS__)
/* One whose value is an expression of a, b, c and so on. */
#define WRAPPER_OF(value, name, type, ...)                                               \
	exported type(name)(WRAPPER_COUNTED(PARAMETERS_, __VA_ARGS__)(__VA_ARGS__))      \
	{                                                                                \
		return value;                                                            \
	}

#define WRAPPER_COUNTED(kind, ...)                                                       \
	WRAPPER_CHOOSE(kind, WRAPPER_EIGHTH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0))
#define WRAPPER_EIGHTH(a, b, c, d, e, f, g, count, ...) count
#define WRAPPER_CHOOSE(kind, count) WRAPPER_JOIN(kind, count)
#define WRAPPER_JOIN(left, right) left##right
#define WRAPPER_CALL(shape, ...) shape(__VA_ARGS__)
#define PARAMETERS_1(A) A a
#define PARAMETERS_2(A, B) A a, B b
#define PARAMETERS_3(A, B, C) A a, B b, C c
#define PARAMETERS_4(A, B, C, D) A a, B b, C c, D d
#define PARAMETERS_5(A, B, C, D, E) A a, B b, C c, D d, E e
#define PARAMETERS_6(A, B, C, D, E, F) A a, B b, C c, D d, E e, F f
#define PARAMETERS_7(A, B, C, D, E, F, G) A a, B b, C c, D d, E e, F f, G g
#define ARGUMENTS_1 a
#define ARGUMENTS_2 a, b
#define ARGUMENTS_3 a, b, c
#define ARGUMENTS_4 a, b, c, d
#define ARGUMENTS_5 a, b, c, d, e
#define ARGUMENTS_6 a, b, c, d, e, f
#define ARGUMENTS_7 a, b, c, d, e, f, g
