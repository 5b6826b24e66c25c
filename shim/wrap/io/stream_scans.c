/* SPDX-License-Identifier: MIT */
/*
 * Reading streams with scanf, and moving in them, see stream.h. How much scanf took says
 * nothing that it returns. So it is seen by the buffer: when that has another end, or is
 * read from farther in front, it was filled anew, with what it has now. (A call that
 * fills it twice is told with the last time only; so are few, and trust counts the rest
 * as not seen.)
 */
#include "shim/wrap/io/stream.h"

#include <stdarg.h>

#include "shim/wrap/real.h"

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

/* Writes what there is; and may fill the buffer anew: then the offset that libc believes
 * in is another one. The two have a node each, the second one without time of its own. */
#define SEEK(stream, expression)                                                         \
	({                                                                               \
		int64_t held = pending(stream), offset = stream->_offset;                \
		struct fill fill = {0};                                                  \
		int64_t read;                                                            \
                                                                                         \
		fill = held > 0 ? begin(LIBC_CALL_fflush, STACK, stream, held)           \
				: begin(LIBC_CALL_fseek, STACK, stream, 0);              \
		__typeof__(expression) result = (expression);                            \
                                                                                         \
		read = offset == stream->_offset || stream->_flags & PUTTING             \
			       ? 0                                                       \
			       : stream->_IO_read_end - stream->_IO_read_base;           \
		if (held > 0) {                                                          \
			finish(LIBC_CALL_fflush, &fill, held - pending(stream),          \
			       result != 0);                                             \
			if (read > 0)                                                    \
				fill = begin(LIBC_CALL_fseek, STACK, stream, 0);         \
		}                                                                        \
		if (held <= 0 || read > 0)                                               \
			finish(LIBC_CALL_fseek, &fill, read, result != 0);               \
		result;                                                                  \
	})

exported int fseek(FILE *stream, long by, int whence)
{
	return SEEK(stream, real_fseek(stream, by, whence));
}

exported int fseeko(FILE *stream, off_t by, int whence)
{
	return SEEK(stream, real_fseeko(stream, by, whence));
}

exported int fseeko64(FILE *stream, off64_t by, int whence)
{
	return SEEK(stream, real_fseeko64(stream, by, whence));
}

exported void rewind(FILE *stream)
{
	(void)SEEK(stream, (real_rewind(stream), 0));
}

exported int fsetpos(FILE *stream, const fpos_t *position)
{
	return SEEK(stream, real_fsetpos(stream, position));
}

exported int fsetpos64(FILE *stream, const fpos64_t *position)
{
	return SEEK(stream, real_fsetpos64(stream, position));
}
