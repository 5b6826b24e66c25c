/* SPDX-License-Identifier: MIT */
/* A growing string. */
#include "common/base/strbuf.h"

#include "common/base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct strbuf *buffer, size_t more)
{
	size_t wanted = buffer->size + more + 1;

	if (wanted <= buffer->capacity)
		return;
	if (wanted < 2 * buffer->capacity)
		wanted = 2 * buffer->capacity;
	if (wanted < 64)
		wanted = 64;
	buffer->data = xreallocarray(buffer->data, wanted, 1);
	buffer->capacity = wanted;
}

void strbuf_add(struct strbuf *buffer, const char *text, size_t size)
{
	reserve(buffer, size);
	if (size)
		memcpy(buffer->data + buffer->size, text, size);
	buffer->size += size;
	buffer->data[buffer->size] = '\0';
}

void strbuf_puts(struct strbuf *buffer, const char *text)
{
	strbuf_add(buffer, text, strlen(text));
}

void strbuf_putc(struct strbuf *buffer, char c)
{
	strbuf_add(buffer, &c, 1);
}

void strbuf_put_leb128(struct strbuf *buffer, uint64_t value)
{
	for (; value > 127; value >>= 7)
		strbuf_putc(buffer, (char)(value | 128));
	strbuf_putc(buffer, (char)value);
}

void strbuf_repeat(struct strbuf *buffer, char c, size_t count)
{
	reserve(buffer, count);
	memset(buffer->data + buffer->size, c, count);
	buffer->size += count;
	buffer->data[buffer->size] = '\0';
}

void strbuf_printf(struct strbuf *buffer, const char *format, ...)
{
	va_list arguments, again;
	int size;

	va_start(arguments, format);
	va_copy(again, arguments);
	size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (size > 0) {
		reserve(buffer, (size_t)size);
		vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
		buffer->size += (size_t)size;
	}
	va_end(again);
}

const char *strbuf_text(const struct strbuf *buffer)
{
	return buffer->data ? buffer->data : "";
}

void strbuf_reset(struct strbuf *buffer)
{
	strbuf_truncate(buffer, 0);
}

void strbuf_truncate(struct strbuf *buffer, size_t size)
{
	if (size >= buffer->size)
		return;
	buffer->size = size;
	buffer->data[size] = '\0';
}

void strbuf_free(struct strbuf *buffer)
{
	free(buffer->data);
	*buffer = (struct strbuf){0};
}
