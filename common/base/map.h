/* SPDX-License-Identifier: MIT */
/*
 * A hash map from three numbers to a number, for giving things ids. Must not know what
 * the numbers mean; let who chose them choose how long a search takes: places depend on
 * a number drawn at the first use.
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

/* Equal keys get equal numbers, 0, 1, 2 in the order of their coming, in a map that is
 * used for nothing else. is_new (may be NULL): it had none before. */
uint32_t map_number(struct map *map, uint64_t a, uint64_t b, uint64_t c, bool *is_new);

/* FNV-1a, of bytes and of a text. Texts that are to meet may be found. */
uint64_t hash_bytes(const void *data, size_t size);
uint64_t hash_text(const char *text);

/* Gives back the memory; the map is empty afterwards. */
void map_done(struct map *map);
