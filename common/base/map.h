/* SPDX-License-Identifier: MIT */
/*
 * A hash map from three numbers to a number, for assigning ids. Must not know what the
 * numbers mean. Places depend on a random seed, so that whoever chooses the numbers
 * cannot make searches slow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/xalloc.h"

struct map_entry {
	uint64_t key[3];
	uint32_t value;
	uint32_t used;
};

/* All zero is an empty map. */
struct map {
	struct map_entry *entries;
	size_t capacity; /* 0 or a power of two */
	size_t count;
};

#define MAP_NONE UINT32_MAX

/* The value stored under the key, or MAP_NONE. */
uint32_t map_get(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* Stores value (not MAP_NONE) under a key that is not there yet. */
void map_put(struct map *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value);

/* Equal keys get equal numbers, 0, 1, 2 in order of appearance; use the map for nothing
 * else. is_new (may be NULL): set if the key was added. */
uint32_t map_number(struct map *map, uint64_t a, uint64_t b, uint64_t c, bool *is_new);

/* FNV-1a of bytes and of a text. Collisions can be constructed. */
uint64_t hash_bytes(const void *data, size_t size);
uint64_t hash_text(const char *text);

/* Frees the memory; the map is empty afterwards. */
void map_done(struct map *map);

/*
 * Numbers texts: equal texts get equal numbers, 0, 1, 2 in order of appearance. Zeroed
 * memory is an empty table. For numbers: map_number() in map.h.
 */

#define INTERN_NONE UINT32_MAX

struct intern_entry;

struct intern {
	struct intern_entry *entries;
	uint32_t *slots;
	size_t count, slot_count;
	struct arena texts;
};

/* The text's number; is_new (may be NULL): set if it was added. */
uint32_t intern_text(struct intern *table, const char *text, bool *is_new);
/* The same for a text of this length, without a NUL in it. */
uint32_t intern_bytes(struct intern *table, const char *text, size_t length,
		      bool *is_new);
/* Looks the text up; INTERN_NONE: not there. */
uint32_t intern_find_bytes(const struct intern *table, const char *text, size_t length);
uint32_t intern_find(const struct intern *table, const char *text);
/* The text of a number, borrowed until intern_free(). */
const char *intern_name(const struct intern *table, uint32_t number);
void intern_free(struct intern *table);
