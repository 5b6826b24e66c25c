/* SPDX-License-Identifier: MIT */
/* A growing string. */
#include "common/base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uniwidth.h>

#include "common/base/xalloc.h"
#include "common/plain_text.h"

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

/*
 * UTF-8 column widths, and cleaned copies. Must not use wchar_t or wcwidth(), whose
 * answers depend on the locale.
 */

/* Terminal columns: 0 for combining marks, 2 for wide characters, else 1. Controls count
 * like the '?' that is shown instead. */
static size_t character_width(uint32_t character)
{
	int width = uc_width(character, "UTF-8");

	return width < 0 ? 1 : (size_t)width;
}

size_t utf8_width(const char *text)
{
	size_t size = strlen(text), at = 0, width = 0;

	while (at < size) {
		uint32_t character;

		at += plain_text_next(text + at, size - at, &character);
		width += character_width(character);
	}
	return width;
}

size_t utf8_prefix(const char *text, size_t width)
{
	size_t size = strlen(text), at = 0, used = 0;

	while (at < size) {
		uint32_t character;
		size_t length = plain_text_next(text + at, size - at, &character);

		used += character_width(character);
		if (used > width)
			break;
		at += length;
	}
	return at;
}

size_t utf8_suffix(const char *text, size_t width)
{
	size_t size = strlen(text), at = 0, left = utf8_width(text);

	while (at < size && left > width) {
		uint32_t character;

		at += plain_text_next(text + at, size - at, &character);
		left -= character_width(character);
	}
	return size - at;
}

static void copy(struct strbuf *buffer, const char *text, bool keep_hidden)
{
	size_t size = strlen(text), at = 0;

	while (at < size) {
		uint32_t character;
		size_t length = plain_text_next(text + at, size - at, &character);

		if (!keep_hidden && plain_text_is_hidden(character))
			strbuf_putc(buffer, '?');
		else if (character == PLAIN_TEXT_REPLACEMENT)
			strbuf_puts(buffer, "\xef\xbf\xbd");
		else
			strbuf_add(buffer, text + at, length);
		at += length;
	}
}

void utf8_clean(struct strbuf *buffer, const char *text)
{
	copy(buffer, text, false);
}

void utf8_repair(struct strbuf *buffer, const char *text)
{
	copy(buffer, text, true);
}

/* Escaping for XML. Must not trust that names are text: they come from symbol tables. */

static const char *entity(uint32_t character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case 0xfffe:
	case 0xffff:
		return "\xef\xbf\xbd";
	default:
		return NULL;
	}
}

void xml_escape(struct strbuf *buffer, const char *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0};
	const char *at;

	utf8_clean(&clean, text);
	at = strbuf_text(&clean);
	for (size_t left = clean.size; left > 0;) {
		uint32_t character;
		size_t length = plain_text_next(at, left, &character);
		const char *instead = entity(character);

		if (instead)
			strbuf_puts(buffer, instead);
		else
			strbuf_add(buffer, at, length);
		at += length;
		left -= length;
	}
}
