/* SPDX-License-Identifier: MIT */
/* Reading and writing streams, see stream.h. */
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

/* These end the program when more is asked for than there is room. */
#define READ_CHECKED(name, to, room_bytes, size, count, stream)                          \
	({                                                                               \
		size_t all = (size) * (count);                                           \
                                                                                         \
		!all || readable(stream) >= all || all / (size) != (count)               \
			? real_##name(to, room_bytes, size, count, stream)               \
			: ({                                                             \
				  size_t got = READ(                                     \
					  fread, stream,                                 \
					  real_##name(to, room_bytes, 1, all, stream),   \
					  result, 0);                                    \
				  got == all ? (count) : got / (size);                   \
			  });                                                            \
	})

exported size_t __fread_chk(void *restrict to, size_t room_bytes, size_t size,
			    size_t count, FILE *restrict stream)
{
	return READ_CHECKED(__fread_chk, to, room_bytes, size, count, stream);
}

exported size_t __fread_unlocked_chk(void *restrict to, size_t room_bytes, size_t size,
				     size_t count, FILE *restrict stream)
{
	return READ_CHECKED(__fread_unlocked_chk, to, room_bytes, size, count, stream);
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

exported char *__fgets_chk(char *restrict to, size_t room_bytes, int size,
			   FILE *restrict stream)
{
	return size <= 1 || has_line(stream, '\n', (size_t)size - 1)
		       ? real___fgets_chk(to, room_bytes, size, stream)
		       : READ(fgets, stream,
			      real___fgets_chk(to, room_bytes, size, stream),
			      length_of(result), 0);
}

exported char *__fgets_unlocked_chk(char *restrict to, size_t room_bytes, int size,
				    FILE *restrict stream)
{
	return size <= 1 || has_line(stream, '\n', (size_t)size - 1)
		       ? real___fgets_unlocked_chk(to, room_bytes, size, stream)
		       : READ(fgets, stream,
			      real___fgets_unlocked_chk(to, room_bytes, size, stream),
			      length_of(result), 0);
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

exported int(getchar)(void)
{
	return GET_ONE(getchar, stdin);
}

exported int(getc_unlocked)(FILE *stream)
{
	return GET_ONE(getc_unlocked, stream, stream);
}

exported int(fgetc_unlocked)(FILE *stream)
{
	return GET_ONE(fgetc_unlocked, stream, stream);
}

exported int(getchar_unlocked)(void)
{
	return GET_ONE(getchar_unlocked, stdin);
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

exported int(putc_unlocked)(int byte, FILE *stream)
{
	return PUT_ONE(putc_unlocked, stream, byte, stream);
}

exported int(fputc_unlocked)(int byte, FILE *stream)
{
	return PUT_ONE(fputc_unlocked, stream, byte, stream);
}

exported int(putchar_unlocked)(int byte)
{
	return PUT_ONE(putchar_unlocked, stdout, byte);
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

/* To a descriptor, through a buffer of the call's own. */
#define PRINT_TO(descriptor, expression) IO_CALL(dprintf, descriptor, IO_NEXT, expression)

exported int vdprintf(int descriptor, const char *restrict format, va_list list)
{
	return PRINT_TO(descriptor, real_vdprintf(descriptor, format, list));
}

exported int __vdprintf_chk(int descriptor, int flag, const char *restrict format,
			    va_list list)
{
	return PRINT_TO(descriptor, real___vdprintf_chk(descriptor, flag, format, list));
}

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
