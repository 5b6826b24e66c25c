/* SPDX-License-Identifier: MIT */
/*
 * Streams from their opening to their end, and what they have in their buffers then: what
 * is flushed when a stream is flushed, closed or moved, and when the process exits.
 */
#include "shim/wrap/io/stream.h"

#include "shim/wrap/begin.h"

#include <stdarg.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

/* glibc's: the list of all streams, whose lock it takes for a moment where it walks the
 * list. */
extern FILE *_IO_list_all __attribute__((weak));
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));

/* How many streams are asked, and of how many is kept what they have to write. */
#define STREAMS_MOST 65536u
#define PARTS_MOST 64u

struct waiting {
	struct io_call_part parts[PARTS_MOST];
	uint32_t count;
	int64_t bytes;
};

/* What all streams have to write, without their locks: as exit() looks at them. */
static void find_waiting(struct waiting *ret)
{
	uint32_t steps = STREAMS_MOST;

	ret->count = 0;
	ret->bytes = 0;
	if (!&_IO_list_all || !_IO_list_lock || !_IO_list_unlock)
		return;
	_IO_list_lock();
	for (const FILE *stream = _IO_list_all;
	     stream && steps && ret->count < PARTS_MOST;
	     stream = stream->_chain, steps--) {
		int64_t bytes = pending(stream);

		if (bytes <= 0 || stream->_fileno < 0)
			continue;
		ret->parts[ret->count++] = (struct io_call_part){stream->_fileno, bytes};
		ret->bytes += bytes;
	}
	_IO_list_unlock();
}

/* All streams. */
static int flush_all(uintptr_t stack, int (*flush)(FILE *))
{
	struct waiting waiting;
	int result, is_open;

	find_waiting(&waiting);
	if (!waiting.count)
		return flush(NULL);
	is_open = libc_call_begin(LIBC_CALL_fflush, stack);
	result = flush(NULL);
	if (is_open)
		io_call_end_parts(LIBC_CALL_fflush, stack, waiting.parts, waiting.count);
	return result;
}

int64_t stream_lives_exit(void)
{
	uintptr_t stack = STACK;
	struct waiting waiting;

	if (!libc_call_is_wanted)
		return 0;
	find_waiting(&waiting);
	if (!waiting.count || !libc_call_begin(LIBC_CALL_exit, stack))
		return 0;
	io_call_end_parts(LIBC_CALL_exit, stack, waiting.parts, waiting.count);
	return waiting.bytes;
}

#define FLUSH(name, stream)                                                              \
	(!(stream) ? flush_all(STACK, real_##name)                                       \
	 : !pending(stream)                                                              \
		 ? real_##name(stream)                                                   \
		 : WRITE(fflush, stream, real_##name(stream), 0, result == EOF))

exported int fflush(FILE *stream)
{
	return FLUSH(fflush, stream);
}

exported int fflush_unlocked(FILE *stream)
{
	return FLUSH(fflush_unlocked, stream);
}

#define OPEN(name, path, mode)                                                           \
	IO_CALL_ENDED(                                                                   \
		fopen, real_##name(path, mode),                                          \
		io_call_end_open(call, stack, result ? result->_fileno : -1, path))

exported FILE *fopen(const char *restrict path, const char *restrict mode)
{
	return OPEN(fopen, path, mode);
}

exported FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return OPEN(fopen64, path, mode);
}

/* The stream is about to be closed. */
static struct fill begin_close(enum libc_call call, uintptr_t stack, const FILE *stream,
			       uint32_t *ret_target)
{
	struct fill fill = begin(call, stack, stream, pending(stream));

	*ret_target = fill.is_open ? io_call_target(fill.descriptor) : 0;
	descriptors_forget(fill.descriptor);
	return fill;
}

#define CLOSE(name, stream, has_failed)                                                  \
	({                                                                               \
		uintptr_t stack = STACK;                                                 \
		uint32_t target;                                                         \
		struct fill fill = {0};                                                  \
		int result;                                                              \
                                                                                         \
		if (!stream_is_null(stream))                                             \
			fill = begin_close(LIBC_CALL_##name, stack, stream, &target);    \
		result = real_##name(stream);                                            \
		if (fill.is_open)                                                        \
			io_call_end_on(LIBC_CALL_##name, stack, target,                  \
				       (has_failed) ? -1 : fill.held);                   \
		result;                                                                  \
	})

exported int fclose(FILE *stream)
{
	return CLOSE(fclose, stream, result == EOF);
}

/* Closes the stream, writing what it has, and waits for the child. */
exported int pclose(FILE *stream)
{
	return CLOSE(pclose, stream, 0);
}

#define REOPEN(name, path, mode, stream)                                                 \
	({                                                                               \
		struct fill fill = {0};                                                  \
		uint32_t target;                                                         \
		FILE *result;                                                            \
                                                                                         \
		if (!stream_is_null(stream))                                             \
			fill = begin_close(LIBC_CALL_fclose, STACK, stream, &target);    \
		result = real_##name(path, mode, stream);                                \
		if (fill.is_open)                                                        \
			io_call_end_on(LIBC_CALL_fclose, STACK, target, fill.held);      \
		result;                                                                  \
	})

/* Closes what the stream was, for the books; what it is from now on is seen when it is
 * used. */
exported FILE *freopen(const char *restrict path, const char *restrict mode,
		       FILE *restrict stream)
{
	return REOPEN(freopen, path, mode, stream);
}

exported FILE *freopen64(const char *restrict path, const char *restrict mode,
			 FILE *restrict stream)
{
	return REOPEN(freopen64, path, mode, stream);
}

/*
 * Reading streams with scanf, see stream.h. How much scanf took says
 * nothing that it returns. So it is seen by the buffer: when that has another end, or is
 * read from farther in front, it was filled anew, with what it has now. (A call that
 * fills it twice is told with the last time only; so are few, and trust counts the rest
 * as not seen.)
 */

/* What is usually scanned at once: with as much in the buffer there is no node but where
 * that did not do. */
#define USUAL_SCAN 256

struct buffer {
	const char *next, *end;
};

static inline struct buffer buffer_of(const FILE *stream)
{
	return (struct buffer){stream->_IO_read_ptr, stream->_IO_read_end};
}

static inline int64_t filled(const FILE *stream, const struct buffer *before)
{
	if (stream->_flags & PUTTING ||
	    (stream->_IO_read_end == before->end && stream->_IO_read_ptr >= before->next))
		return 0;
	return stream->_IO_read_end - stream->_IO_read_base;
}

#define SCAN(stream, expression)                                                         \
	({                                                                               \
		struct buffer before = buffer_of(stream);                                \
		int is_sure = readable(stream) < USUAL_SCAN, result;                     \
		struct fill fill = {0};                                                  \
		int64_t moved;                                                           \
                                                                                         \
		if (is_sure)                                                             \
			fill = begin(LIBC_CALL_fscanf, STACK, stream, 0);                \
		result = (expression);                                                   \
		moved = filled(stream, &before);                                         \
		if (!is_sure && unlikely(moved > 0))                                     \
			fill = begin(LIBC_CALL_fscanf, STACK, stream, 0);                \
		finish(LIBC_CALL_fscanf, &fill, moved, 0);                               \
		result;                                                                  \
	})

#define SCAN_FUNCTIONS(prefix, real_prefix)                                              \
	exported int prefix##vfscanf(FILE *restrict stream, const char *restrict format, \
				     va_list list)                                       \
	{                                                                                \
		return SCAN(stream, real_##real_prefix##vfscanf(stream, format, list));  \
	}                                                                                \
                                                                                         \
	exported int prefix##vscanf(const char *restrict format, va_list list)           \
	{                                                                                \
		return SCAN(stdin, real_##real_prefix##vscanf(format, list));            \
	}                                                                                \
                                                                                         \
	exported int prefix##fscanf(FILE *restrict stream, const char *restrict format,  \
				    ...)                                                 \
	{                                                                                \
		va_list list;                                                            \
		int scanned;                                                             \
                                                                                         \
		va_start(list, format);                                                  \
		scanned =                                                                \
			SCAN(stream, real_##real_prefix##vfscanf(stream, format, list)); \
		va_end(list);                                                            \
		return scanned;                                                          \
	}                                                                                \
                                                                                         \
	exported int prefix##scanf(const char *restrict format, ...)                     \
	{                                                                                \
		va_list list;                                                            \
		int scanned;                                                             \
                                                                                         \
		va_start(list, format);                                                  \
		scanned = SCAN(stdin, real_##real_prefix##vscanf(format, list));         \
		va_end(list);                                                            \
		return scanned;                                                          \
	}

/* The headers rename the plain ones, by the C standard that we are compiled by. */
exported int plain_vfscanf(FILE *restrict stream, const char *restrict format,
			   va_list list) __asm__("vfscanf");
exported int plain_vscanf(const char *restrict format, va_list list) __asm__("vscanf");
exported int plain_fscanf(FILE *restrict stream, const char *restrict format,
			  ...) __asm__("fscanf");
exported int plain_scanf(const char *restrict format, ...) __asm__("scanf");

/* Nobody calls these by their names. */
int __isoc99_fscanf(FILE *restrict stream, const char *restrict format, ...);
int __isoc99_scanf(const char *restrict format, ...);
int __isoc23_fscanf(FILE *restrict stream, const char *restrict format, ...);
int __isoc23_scanf(const char *restrict format, ...);

/* clang-format off */
SCAN_FUNCTIONS(plain_, )
SCAN_FUNCTIONS(__isoc99_, __isoc99_)
SCAN_FUNCTIONS(__isoc23_, __isoc23_)
/* clang-format on */
