/* SPDX-License-Identifier: MIT */
/*
 * What this is:  UTF-8 column widths, and cleaned copies.
 * Runs on:       prof-analyze, any thread.
 * Must not:      use wchar_t or wcwidth(), whose answers depend on the locale.
 * See also:      common/plain_text.h, which decodes and knows what is hidden.
 */
#include "analyzer/base/utf8.h"

#include "common/plain_text.h"

#include <stdbool.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

unsigned utf8_character_width(uint32_t character)
{
	static const struct range zero[] = {
		{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x064b, 0x065f},
		{0x0900, 0x0902}, {0x093c, 0x093c}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
		{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},
		{0x2060, 0x2064}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
		{0xfeff, 0xfeff},
	};
	static const struct range wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0x33ff},
		{0x3400, 0x4dbf},   {0x4e00, 0x9fff},	{0xa000, 0xa4cf},
		{0xa960, 0xa97f},   {0xac00, 0xd7a3},	{0xf900, 0xfaff},
		{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};

	if (character < 0x300)
		return 1;
	if (in_ranges(character, zero, sizeof(zero) / sizeof(zero[0])))
		return 0;
	return in_ranges(character, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

size_t utf8_width(const char *text)
{
	size_t size = strlen(text), at = 0, width = 0;

	while (at < size) {
		uint32_t character;

		at += plain_text_next(text + at, size - at, &character);
		width += utf8_character_width(character);
	}
	return width;
}

size_t utf8_prefix(const char *text, size_t width)
{
	size_t size = strlen(text), at = 0, used = 0;

	while (at < size) {
		uint32_t character;
		size_t length = plain_text_next(text + at, size - at, &character);

		used += utf8_character_width(character);
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
		left -= utf8_character_width(character);
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

size_t utf8_next(const char *text, size_t size, uint32_t *ret_character)
{
	return plain_text_next(text, size, ret_character);
}

bool utf8_is_hidden(uint32_t character)
{
	return plain_text_is_hidden(character) != 0;
}

void utf8_clean(struct strbuf *buffer, const char *text)
{
	copy(buffer, text, false);
}

void utf8_repair(struct strbuf *buffer, const char *text)
{
	copy(buffer, text, true);
}
