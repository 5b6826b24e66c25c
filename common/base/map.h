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
