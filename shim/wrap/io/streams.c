/* SPDX-License-Identifier: MIT */
/*
 * What stdio reads and writes: inside of libc, where no wrapper sees it. But a stream's
 * buffer tells. Whether a call can do with what is in the buffer, or with the room in it,
 * is seen before it: then the next function is called and nothing else is done. And what
 * the others moved follows from what they returned and how much more or less is in the
 * buffer. (Of fgets that is what strlen() says; of a stream that several threads use at
 * one time the sums may be off, by what is in its buffer at most.)
 */
#include "shim/wrap/io/io_call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shim/io/descriptors.h"
#include "shim/wrap/real.h"

#undef fread_unlocked
#undef fwrite_unlocked

/* Of _flags; glibc's, and part of what inlined code of programs relies on. */
#define UNBUFFERED 0x2
#define LINE_BUFFERED 0x200
#define PUTTING 0x800

/* A line of printf's that is longer may reach the kernel without a node. */
#define USUAL_LINE 256

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

/* In bytes, so that a part of an item at the end of the file counts, as libc does it. */
#define READ_ITEMS(name, to, size, count, stream)                                        \
	({                                                                               \
		size_t all = (size) * (count);                                           \
                                                                                         \
		!all || readable(stream) >= all                                          \
			? real_##name(to, size, count, stream)                           \
			: ({                                                             \
				  size_t got = READ(fread, stream,                       \
						    real_##name(to, 1, all, stream),     \
						    result, 0);                          \
				  got == all ? (count) : got / (size);                   \
			  });                                                            \
	})

exported size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
	return READ_ITEMS(fread, to, size, count, stream);
}

exported size_t fread_unlocked(void *restrict to, size_t size, size_t count,
			       FILE *restrict stream)
{
	return READ_ITEMS(fread_unlocked, to, size, count, stream);
}

#define WRITE_ITEMS(name, from, size, count, stream)                                     \
	((size) * (count) <= room(stream)                                                \
		 ? real_##name(from, size, count, stream)                                \
		 : WRITE(fwrite, stream, real_##name(from, size, count, stream),         \
			 result * (size), result < (count)))

exported size_t fwrite(const void *restrict from, size_t size, size_t count,
		       FILE *restrict stream)
{
	return WRITE_ITEMS(fwrite, from, size, count, stream);
}

exported size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count,
				FILE *restrict stream)
{
	return WRITE_ITEMS(fwrite_unlocked, from, size, count, stream);
}

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

#define GET_LINE(name, to, size, stream)                                                 \
	((size) <= 1 || has_line(stream, '\n', (size_t)(size)-1)                         \
		 ? real_##name(to, size, stream)                                         \
		 : READ(fgets, stream, real_##name(to, size, stream), length_of(result), \
			0))

exported char *fgets(char *restrict to, int size, FILE *restrict stream)
{
	return GET_LINE(fgets, to, size, stream);
}

exported char *fgets_unlocked(char *restrict to, int size, FILE *restrict stream)
{
	return GET_LINE(fgets_unlocked, to, size, stream);
}

#define GET_DELIM(name, line, size, end, stream, ...)                                    \
	(has_line(stream, end, SIZE_MAX)                                                 \
		 ? real_##name(__VA_ARGS__)                                              \
		 : READ(getline, stream, real_##name(__VA_ARGS__),                       \
			result > 0 ? result : 0, 0))

exported ssize_t getline(char **restrict line, size_t *restrict size,
			 FILE *restrict stream)
{
	return GET_DELIM(getline, line, size, '\n', stream, line, size, stream);
}

exported ssize_t getdelim(char **restrict line, size_t *restrict size, int end,
			  FILE *restrict stream)
{
	return GET_DELIM(getdelim, line, size, end, stream, line, size, end, stream);
}

exported ssize_t __getdelim(char **restrict line, size_t *restrict size, int end,
			    FILE *restrict stream)
{
	return GET_DELIM(__getdelim, line, size, end, stream, line, size, end, stream);
}

#define GET_ONE(name, stream, ...)                                                       \
	(likely(readable(stream))                                                        \
		 ? real_##name(__VA_ARGS__)                                              \
		 : READ(getc, stream, real_##name(__VA_ARGS__), result != EOF, 0))

exported int fgetc(FILE *stream)
{
	return GET_ONE(fgetc, stream, stream);
}

exported int(getc)(FILE *stream)
{
	return GET_ONE(getc, stream, stream);
}

/* What inlined getc_unlocked() calls when the buffer is empty. */
exported int __uflow(FILE *stream)
{
	return GET_ONE(__uflow, stream, stream);
}

#define PUT_TEXT(name, text, length, stream, ...)                                        \
	({                                                                               \
		size_t put = length;                                                     \
                                                                                         \
		put <= room(stream) ? real_##name(__VA_ARGS__)                           \
				    : WRITE(fputs, stream, real_##name(__VA_ARGS__),     \
					    result < 0 ? 0 : put, result < 0);           \
	})

exported int fputs(const char *restrict text, FILE *restrict stream)
{
	return PUT_TEXT(fputs, text, strlen(text), stream, text, stream);
}

exported int fputs_unlocked(const char *restrict text, FILE *restrict stream)
{
	return PUT_TEXT(fputs_unlocked, text, strlen(text), stream, text, stream);
}

exported int puts(const char *text)
{
	return PUT_TEXT(puts, text, strlen(text) + 1, stdout, text);
}

#define PUT_ONE(name, stream, ...)                                                       \
	(likely(room(stream)) ? real_##name(__VA_ARGS__)                                 \
			      : WRITE(putc, stream, real_##name(__VA_ARGS__),            \
				      result != EOF, result == EOF))

exported int fputc(int byte, FILE *stream)
{
	return PUT_ONE(fputc, stream, byte, stream);
}

exported int(putc)(int byte, FILE *stream)
{
	return PUT_ONE(putc, stream, byte, stream);
}

exported int(putchar)(int byte)
{
	return PUT_ONE(putchar, stdout, byte);
}

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

exported int vfprintf(FILE *restrict stream, const char *restrict format, va_list list)
{
	return PRINT(stream, real_vfprintf(stream, format, list));
}

exported int vprintf(const char *restrict format, va_list list)
{
	return PRINT(stdout, real_vprintf(format, list));
}

exported int __vfprintf_chk(FILE *restrict stream, int flag, const char *restrict format,
			    va_list list)
{
	return PRINT(stream, real___vfprintf_chk(stream, flag, format, list));
}

exported int __vprintf_chk(int flag, const char *restrict format, va_list list)
{
	return PRINT(stdout, real___vprintf_chk(flag, format, list));
}

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

/* NULL is all streams, of which there is no list: what that writes is not known. */
exported int fflush(FILE *stream)
{
	if (!stream || !pending(stream))
		return real_fflush(stream);
	return WRITE(fflush, stream, real_fflush(stream), 0, result == EOF);
}

exported int fflush_unlocked(FILE *stream)
{
	if (!stream || !pending(stream))
		return real_fflush_unlocked(stream);
	return WRITE(fflush, stream, real_fflush_unlocked(stream), 0, result == EOF);
}

#define OPEN(name, path, mode)                                                           \
	({                                                                               \
		uintptr_t stack = STACK;                                                 \
		int is_open = libc_call_begin(LIBC_CALL_fopen, stack);                   \
		FILE *result = real_##name(path, mode);                                  \
                                                                                         \
		if (is_open)                                                             \
			io_call_end_open(LIBC_CALL_fopen, stack,                         \
					 result ? result->_fileno : -1, path);           \
		result;                                                                  \
	})

exported FILE *fopen(const char *restrict path, const char *restrict mode)
{
	return OPEN(fopen, path, mode);
}

exported FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return OPEN(fopen64, path, mode);
}

/* The headers say that these are never given NULL; programs do it all the same. */
static int is_null(const void *argument)
{
	__asm__("" : "+r"(argument));
	return !argument;
}

exported int fclose(FILE *stream)
{
	uintptr_t stack = STACK;
	uint32_t target = 0;
	struct fill fill;
	int result;

	if (is_null(stream))
		return real_fclose(stream);
	fill = begin(LIBC_CALL_fclose, stack, stream, pending(stream));
	if (fill.is_open)
		target = io_call_target(fill.descriptor);
	descriptors_forget(fill.descriptor);
	result = real_fclose(stream);
	if (fill.is_open)
		io_call_end_on(LIBC_CALL_fclose, stack, target,
			       result == EOF ? -1 : fill.held);
	return result;
}

/* These close descriptors inside of libc. */
exported int pclose(FILE *stream)
{
	if (!is_null(stream))
		descriptors_forget(stream->_fileno);
	return real_pclose(stream);
}

exported FILE *freopen(const char *restrict path, const char *restrict mode,
		       FILE *restrict stream)
{
	if (!is_null(stream))
		descriptors_forget(stream->_fileno);
	return real_freopen(path, mode, stream);
}

exported FILE *freopen64(const char *restrict path, const char *restrict mode,
			 FILE *restrict stream)
{
	if (!is_null(stream))
		descriptors_forget(stream->_fileno);
	return real_freopen64(path, mode, stream);
}
