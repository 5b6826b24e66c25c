/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 column widths, and cleaned copies. Must not use wchar_t or wcwidth(), whose
 * answers depend on the locale.
 */
#include "common/base/utf8.h"

#include "common/plain_text.h"

#include <stdbool.h>
#include <string.h>
#include <uniwidth.h>

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
