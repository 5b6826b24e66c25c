/* SPDX-License-Identifier: MIT */
/*
 * What stdio reads and writes: inside of libc, where no wrapper sees it. But a stream's
 * buffer tells. Whether a call can do with what is in the buffer, or with the room in it,
 * is seen before it: then the next function is called and nothing else is done. And what
 * the others moved follows from what they returned and how much more or less is in the
 * buffer. (Of fgets that is what strlen() says; of a stream that several threads use at
 * one time the sums may be off, by what is in its buffer at most.)
 */
#pragma once

#include "shim/wrap/io/io_call.h"

#include <stdint.h>
#include <stdio.h>

#undef fread_unlocked
#undef getc_unlocked
#undef putc_unlocked
#undef fwrite_unlocked

/* Of _flags; glibc's, and part of what inlined code of programs relies on. */
#define UNBUFFERED 0x2
#define LINE_BUFFERED 0x200
#define PUTTING 0x800

struct fill {
	uintptr_t stack;
	int64_t held; /* bytes in the buffer */
	int descriptor;
	int is_open;
};

static inline size_t readable(const FILE *stream)
{
	return stream->_flags & PUTTING
		       ? 0
		       : (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
}

static inline int64_t pending(const FILE *stream)
{
	return stream->_flags & PUTTING ? stream->_IO_write_ptr - stream->_IO_write_base
					: 0;
}

/* Room for what is certain to stay in the buffer. */
static inline size_t room(const FILE *stream)
{
	if ((stream->_flags & (UNBUFFERED | LINE_BUFFERED | PUTTING)) != PUTTING)
		return 0;
	return (size_t)(stream->_IO_buf_end - stream->_IO_write_ptr);
}

/* Streams of a user's own functions (fopencookie) and of memory have no descriptor. */
static inline struct fill begin(enum libc_call call, uintptr_t stack, const FILE *stream,
				int64_t held)
{
	struct fill fill = {stack, held, stream->_fileno, 0};

	if (fill.descriptor >= 0)
		fill.is_open = libc_call_begin(call, stack);
	return fill;
}

/* moved: less than 0 only where somebody else used the stream meanwhile. */
static inline void finish(enum libc_call call, const struct fill *fill, int64_t moved,
			  int has_failed)
{
	if (moved <= 0)
		moved = has_failed ? -1 : 0;
	if (fill->is_open)
		io_call_end(call, fill->stack, fill->descriptor, moved, IO_NEXT);
}

#define STACK ((uintptr_t)__builtin_dwarf_cfa())

/* result: the value of the call. took: what it has taken out of the buffer. */
#define READ(name, stream, expression, took, has_failed)                                 \
	({                                                                               \
		struct fill fill = begin(LIBC_CALL_##name, STACK, stream,                \
					 (int64_t)readable(stream));                     \
		__typeof__(expression) result = (expression);                            \
                                                                                         \
		finish(LIBC_CALL_##name, &fill,                                          \
		       (int64_t)(took) + (int64_t)readable(stream) - fill.held,          \
		       has_failed);                                                      \
		result;                                                                  \
	})

/* put: what it has put into the buffer. */
#define WRITE(name, stream, expression, put, has_failed)                                 \
	({                                                                               \
		struct fill fill =                                                       \
			begin(LIBC_CALL_##name, STACK, stream, pending(stream));         \
		__typeof__(expression) result = (expression);                            \
                                                                                         \
		finish(LIBC_CALL_##name, &fill,                                          \
		       (int64_t)(put) + fill.held - pending(stream), has_failed);        \
		result;                                                                  \
	})

/* The headers say that a stream or a path is never NULL; programs do it all the same. */
static inline int stream_is_null(const void *argument)
{
	__asm__("" : "+r"(argument));
	return !argument;
}
