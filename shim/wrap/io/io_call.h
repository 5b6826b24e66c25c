/* SPDX-License-Identifier: MIT */
/*
 * Calls of libc on descriptors, recorded with what they moved: for their wrappers, which
 * include this first. The real call is made with the program's own arguments, and what is
 * done after it keeps errno.
 *
 * glibc's headers rename functions to those with 64 bits where they are told that offsets
 * have them. Here both are defined, so they must not be told.
 */
#pragma once

#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <stdint.h>
#include <sys/types.h>

#include "common/attributes.h"
#include "shim/wrap/libc_call.h"

/* Where the data was: behind that of the call before it, or where the call said. */
#define IO_NEXT INT64_MIN

/* The call has begun, and will write: who waits for that, waits for this thread. */
hidden void io_call_send(enum libc_call call, int descriptor);

/* These are the two ends of a pair of sockets. */
hidden void io_call_pair(const int *ends);

/* Ends the call, which returned `moved` (bytes; negative: it failed). at: its offset, or
 * IO_NEXT. */
hidden void io_call_end(enum libc_call call, uintptr_t stack, int descriptor,
			int64_t moved, int64_t at);

/* The same of one that copies from another descriptor, and its offset there. */
hidden void io_call_end_copy(enum libc_call call, uintptr_t stack, int to, int64_t to_at,
			     int from, int64_t from_at, int64_t moved);

/* The same of one that moved what several descriptors had waiting for it. */
struct io_call_part {
	int descriptor;
	int64_t bytes;
};

hidden void io_call_end_parts(enum libc_call call, uintptr_t stack,
			      const struct io_call_part *parts, uint32_t count);

/* The same of a call on this target, whose descriptor is closed by now. */
hidden void io_call_end_on(enum libc_call call, uintptr_t stack, uint32_t target,
			   int64_t moved);

/* What a descriptor leads to, before it is closed. */
hidden uint32_t io_call_target(int descriptor);

/* What one that is about to be closed has led to, if that is known: it is nothing of that
 * any more. */
hidden uint32_t io_call_leave(int descriptor);

/* The same of one that names a path and opens nothing. */
hidden void io_call_end_path(enum libc_call call, uintptr_t stack, int64_t result);

/* The same of one that has opened a descriptor at this path; or negative. */
hidden void io_call_end_open(enum libc_call call, uintptr_t stack, int descriptor,
			     const char *path);

/* The value of an expression that calls the next one. end: an expression that books it,
 * with `result`, `stack` and the call's number in it. */
#define IO_CALL_ENDED(name, expression, end)                                             \
	({                                                                               \
		const enum libc_call call = LIBC_CALL_##name;                            \
		uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();                      \
		int is_open = libc_call_begin(call, stack);                              \
		__typeof__(expression) result = (expression);                            \
                                                                                         \
		if (is_open)                                                             \
			end;                                                             \
		result;                                                                  \
	})

/* moved: an expression with `result` in it. */
#define IO_CALL_MOVED(name, descriptor, at, expression, moved)                           \
	IO_CALL_ENDED(name, expression,                                                  \
		      io_call_end(call, stack, descriptor, (int64_t)(moved), at))

/* Of one that returns how many bytes it moved. */
#define IO_CALL(name, descriptor, at, expression)                                        \
	IO_CALL_MOVED(name, descriptor, at, expression, result)

/* Of one that returns 0 or -1. */
#define IO_CALL_PATH(name, expression)                                                   \
	IO_CALL_ENDED(name, expression, io_call_end_path(call, stack, (int64_t)result))

#define IO_CALL_OPEN(name, path, expression)                                             \
	IO_CALL_ENDED(name, expression, io_call_end_open(call, stack, result, path))
