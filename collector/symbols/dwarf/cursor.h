/* SPDX-License-Identifier: MIT */
/*
 * Reading numbers and strings from bytes that may end too early. Nothing is read past the
 * end: once something was missing, everything is 0, and failed stays true.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline bool cursor_has(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > (uint64_t)(cursor->end - cursor->at)) {
		cursor->at = cursor->end;
		cursor->failed = true;
	}
	return !cursor->failed;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (cursor_has(cursor, bytes))
		cursor->at += bytes;
}

/* A number of 1, 2, 4 or 8 bytes in the machine's order. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t bytes)
{
	uint64_t number = 0;

	if (!cursor_has(cursor, bytes))
		return 0;
	memcpy(&number, cursor->at, bytes); /* little endian, as the shim's machine */
	cursor->at += bytes;
	return number;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cursor_number(cursor, 1);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return number;
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cursor_number(cursor, 1);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		number |= ~(uint64_t)0 << shift;
	return (int64_t)number;
}

/* A string with its NUL, borrowed; "" when it does not end. */
static inline const char *cursor_string(struct cursor *cursor)
{
	const uint8_t *start = cursor->at, *nul;

	nul = start == cursor->end ? NULL
				   : memchr(start, '\0', (size_t)(cursor->end - start));
	if (!nul) {
		cursor->at = cursor->end;
		cursor->failed = true;
		return "";
	}
	cursor->at = nul + 1;
	return (const char *)start;
}
