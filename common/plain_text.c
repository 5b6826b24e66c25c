/* SPDX-License-Identifier: MIT */
/*
 * Decodes UTF-8, and lists the characters that cannot be seen. Runs on: any thread,
 * including the shim's constructor. Must not allocate, or depend on the locale.
 */
#include "common/plain_text.h"

#include <string.h>

size_t plain_text_next(const char *text, size_t size, uint32_t *ret_character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)text[0];
	uint32_t character;
	size_t length;

	*ret_character = first;
	if (first < 0x80)
		return 1;
	*ret_character = PLAIN_TEXT_REPLACEMENT;
	if (first >= 0xf0 && first < 0xf8)
		length = 4;
	else if (first >= 0xe0 && first < 0xf0)
		length = 3;
	else if (first >= 0xc0 && first < 0xe0)
		length = 2;
	else
		return 1;
	if (length > size)
		return 1;
	character = first & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return 1;
		character = character << 6 | (next & 0x3f);
	}
	if (character < smallest[length] || character > 0x10ffff ||
	    (character >= 0xd800 && character < 0xe000))
		return 1;
	*ret_character = character;
	return length;
}

/* The general categories Cc, Cf, Zl and Zp and the property Default_Ignorable_Code_Point
 * of Unicode 14, in order. tests/reports/check_hostile.py compares them with a database
 * of characters. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{0x0000, 0x001f},   {0x007f, 0x009f},	{0x00ad, 0x00ad},   {0x034f, 0x034f},
	{0x0600, 0x0605},   {0x061c, 0x061c},	{0x06dd, 0x06dd},   {0x070f, 0x070f},
	{0x0890, 0x0891},   {0x08e2, 0x08e2},	{0x115f, 0x1160},   {0x17b4, 0x17b5},
	{0x180b, 0x180f},   {0x200b, 0x200f},	{0x2028, 0x202e},   {0x2060, 0x206f},
	{0x3164, 0x3164},   {0xfe00, 0xfe0f},	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},
	{0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x13438},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

int plain_text_is_hidden(uint32_t character)
{
	if (character >= 0x20 && character < 0x7f)
		return 0;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (character <= hidden[i].last)
			return character >= hidden[i].first;
	return 0;
}

char *plain_text_copy(char *ret, size_t size, const char *text)
{
	size_t left = strlen(text), used = 0, room = 0; /* room: where "..." fits */

	while (left > 0) {
		uint32_t character;
		size_t length = plain_text_next(text, left, &character);
		int is_hidden = plain_text_is_hidden(character);
		const char *shown = is_hidden				  ? "?"
				    : character == PLAIN_TEXT_REPLACEMENT ? "\xef\xbf\xbd"
									  : text;
		size_t shown_size = is_hidden				  ? 1
				    : character == PLAIN_TEXT_REPLACEMENT ? 3
									  : length;

		if (used + 4 <= size)
			room = used;
		if (used + shown_size + 1 > size) {
			memcpy(ret + room, "...", 4);
			return ret;
		}
		memcpy(ret + used, shown, shown_size);
		used += shown_size;
		text += length;
		left -= length;
	}
	ret[used] = '\0';
	return ret;
}
