/* SPDX-License-Identifier: MIT */
/*
 * Names that the program gives to its regions, steps and counters, as they are kept in
 * the segment: in arrays of `size` bytes, cut to size - 1.
 */
#pragma once

#include <stdint.h>

#define NAME_HASH_START 0xcbf29ce484222325ull /* FNV-1a */

/* Is that what is kept of text? */
static inline int name_is(const char *kept, const char *text, uint32_t size)
{
	for (uint32_t i = 0; i < size - 1; i++) {
		if (kept[i] != text[i])
			return 0;
		if (!text[i])
			return 1;
	}
	return 1;
}

/* Of what is kept, and that it ends: the hash of a list of names. */
static inline uint64_t name_hash(uint64_t hash, const char *text, uint32_t size)
{
	for (uint32_t i = 0; i < size - 1 && text[i]; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

/* `to` is zero. */
static inline void name_copy(char *to, const char *from, uint32_t size)
{
	for (uint32_t i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i];
}
