/* SPDX-License-Identifier: MIT */
/* Reading and writing streams, and moving in them, see stream.h. */
#undef _FILE_OFFSET_BITS /* both names of some are defined */
#include <features.h>
/* Or <stdio.h> has bodies for some of these, and clang ignores what is said of ours. */
#undef __USE_EXTERN_INLINES
#include "shim/wrap/io/stream.h"

#include <stdarg.h>
#include <string.h>

#include "shim/wrap/real.h"

/* A line of printf's that is longer may reach the kernel without a node. */
#define USUAL_LINE 256

/* In bytes, so that a part of an item at the end of the file counts, as libc does it. */
#define READ_ITEMS_OF(size, count, stream, overflows, items, bytes)                      \
	({                                                                               \
		size_t all = (size) * (count);                                           \
                                                                                         \
		!all || readable(stream) >= all || (overflows) ? (items) : ({            \
			size_t got = READ(fread, stream, bytes, result, 0);              \
			got == all ? (count) : got / (size);                             \
		});                                                                      \
	})

#define READ_ITEMS(name, to, size, count, stream)                                        \
	READ_ITEMS_OF(size, count, stream, 0, real_##name(to, size, count, stream),      \
		      real_##name(to, 1, all, stream))
/* These end the program when more is asked for than there is room. */
#define READ_CHECKED(name, to, room_bytes, size, count, stream)                          \
	READ_ITEMS_OF(size, count, stream, all / (size) != (count),                      \
		      real_##name(to, room_bytes, size, count, stream),                  \
		      real_##name(to, room_bytes, 1, all, stream))

#define WRITE_ITEMS(name, from, size, count, stream)                                     \
	((size) * (count) <= room(stream)                                                \
		 ? real_##name(from, size, count, stream)                                \
		 : WRITE(fwrite, stream, real_##name(from, size, count, stream),         \
			 result * (size), result < (count)))

/* Is the whole line in the buffer, or as much of it as is wanted? */
static inline int has_line(const FILE *stream, int end, size_t most)
{
	size_t there = readable(stream);

	return there >= most || (there && memchr(stream->_IO_read_ptr, end, there));
}

static inline size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

#define GET_LINE_OF(size, stream, expression)                                            \
	((size) <= 1 || has_line(stream, '\n', (size_t)(size)-1)                         \
		 ? (expression)                                                          \
		 : READ(fgets, stream, expression, length_of(result), 0))
#define GET_LINE(name, to, size, stream)                                                 \
	GET_LINE_OF(size, stream, real_##name(to, size, stream))
#define GET_CHECKED_LINE(name, to, room_bytes, size, stream)                             \
	GET_LINE_OF(size, stream, real_##name(to, room_bytes, size, stream))

#define GET_UNTIL(end, stream, expression)                                               \
	(has_line(stream, end, SIZE_MAX)                                                 \
		 ? (expression)                                                          \
		 : READ(getline, stream, expression, result > 0 ? result : 0, 0))
#define GET_LONG_LINE(name, line, size, stream)                                          \
	GET_UNTIL('\n', stream, real_##name(line, size, stream))
#define GET_DELIM(name, line, size, end, stream)                                         \
	GET_UNTIL(end, stream, real_##name(line, size, end, stream))

#define GET_ONE_OF(name, stream, ...)                                                    \
	(likely(readable(stream))                                                        \
		 ? real_##name(__VA_ARGS__)                                              \
		 : READ(getc, stream, real_##name(__VA_ARGS__), result != EOF, 0))

#define GET_ONE(name, stream) GET_ONE_OF(name, stream, stream)

exported int(getchar)(void)
{
	return GET_ONE_OF(getchar, stdin);
}

exported int(getchar_unlocked)(void)
{
	return GET_ONE_OF(getchar_unlocked, stdin);
}

#define PUT_TEXT_OF(name, length, stream, ...)                                           \
	({                                                                               \
		size_t put = length;                                                     \
                                                                                         \
		put <= room(stream) ? real_##name(__VA_ARGS__)                           \
				    : WRITE(fputs, stream, real_##name(__VA_ARGS__),     \
					    result < 0 ? 0 : put, result < 0);           \
	})

#define PUT_TEXT(name, text, stream) PUT_TEXT_OF(name, strlen(text), stream, text, stream)

exported int puts(const char *text)
{
	return PUT_TEXT_OF(puts, strlen(text) + 1, stdout, text);
}

#define PUT_ONE_OF(name, stream, ...)                                                    \
	(likely(room(stream)) ? real_##name(__VA_ARGS__)                                 \
			      : WRITE(putc, stream, real_##name(__VA_ARGS__),            \
				      result != EOF, result == EOF))

#define PUT_ONE(name, byte, stream) PUT_ONE_OF(name, stream, byte, stream)
#define PUT_ONE_OUT(name, byte) PUT_ONE_OF(name, stdout, byte)

/* What inlined putc_unlocked() calls when the buffer is full. EOF only flushes it. */
exported int __overflow(FILE *stream, int byte)
{
	return WRITE(putc, stream, real___overflow(stream, byte),
		     byte != EOF && result != EOF, result == EOF);
}

/* How long the text is, only the call says. */
#define PRINT(stream, expression)                                                        \
	({                                                                               \
		struct fill fill = {0};                                                  \
		int before = room(stream) < USUAL_LINE, result;                          \
		int64_t moved;                                                           \
                                                                                         \
		if (before)                                                              \
			fill = begin(LIBC_CALL_fprintf, STACK, stream, pending(stream)); \
		else                                                                     \
			fill.held = pending(stream);                                     \
		result = (expression);                                                   \
		moved = (result > 0 ? result : 0) + fill.held - pending(stream);         \
		if (!before && unlikely(moved > 0))                                      \
			fill = begin(LIBC_CALL_fprintf, STACK, stream, 0);               \
		finish(LIBC_CALL_fprintf, &fill, moved, result < 0);                     \
		result;                                                                  \
	})

#define PRINT_LIST(name, stream, ...) PRINT(stream, real_##name(stream, __VA_ARGS__))
#define PRINT_LIST_OUT(name, ...) PRINT(stdout, real_##name(__VA_ARGS__))

#define WITH_LIST(last, expression)                                                      \
	({                                                                               \
		va_list list;                                                            \
		int printed;                                                             \
                                                                                         \
		va_start(list, last);                                                    \
		printed = (expression);                                                  \
		va_end(list);                                                            \
		printed;                                                                 \
	})

exported int fprintf(FILE *restrict stream, const char *restrict format, ...)
{
	return WITH_LIST(format, PRINT(stream, real_vfprintf(stream, format, list)));
}

exported int printf(const char *restrict format, ...)
{
	return WITH_LIST(format, PRINT(stdout, real_vprintf(format, list)));
}

exported int __fprintf_chk(FILE *restrict stream, int flag, const char *restrict format,
			   ...)
{
	return WITH_LIST(format,
			 PRINT(stream, real___vfprintf_chk(stream, flag, format, list)));
}

exported int __printf_chk(int flag, const char *restrict format, ...)
{
	return WITH_LIST(format, PRINT(stdout, real___vprintf_chk(flag, format, list)));
}

/* To a descriptor, through a buffer of the call's own. */
#define PRINT_TO(descriptor, expression) IO_CALL(dprintf, descriptor, IO_NEXT, expression)

#define PRINT_LIST_TO(name, descriptor, ...)                                             \
	PRINT_TO(descriptor, real_##name(descriptor, __VA_ARGS__))

exported int dprintf(int descriptor, const char *restrict format, ...)
{
	return WITH_LIST(format,
			 PRINT_TO(descriptor, real_vdprintf(descriptor, format, list)));
}

int __dprintf_chk(int descriptor, int flag, const char *restrict format, ...);

exported int __dprintf_chk(int descriptor, int flag, const char *restrict format, ...)
{
	return WITH_LIST(format,
			 PRINT_TO(descriptor,
				  real___vdprintf_chk(descriptor, flag, format, list)));
}

/* Writes what there is; and may fill the buffer anew: then the offset that libc believes
 * in is another one. The two have a node each, the second one without time of its own. */
#define SEEK_BY(stream, expression)                                                      \
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

#define SEEK(name, stream, ...) SEEK_BY(stream, real_##name(stream, __VA_ARGS__))

exported void rewind(FILE *stream)
{
	(void)SEEK_BY(stream, (real_rewind(stream), 0));
}

#define WRAPPED_STREAM WRAPPER_ROW

#include "shim/wrap/wrapped.def"
