/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing, at most two thirds full. Cannot shrink or delete
 * entries: nobody needs it.
 */
#include "common/base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/xalloc.h"

static uint64_t seed; /* 0: not drawn yet */

static void draw_seed(void)
{
	if (seed)
		return;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)&seed; /* address layout is random, too */
	seed |= 1;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ (hash >> 32);
}

/* Where the key is or would go. The map has a free entry. */
static struct map_entry *find(const struct map *map, uint64_t a, uint64_t b, uint64_t c)
{
	size_t mask = map->capacity - 1;
	size_t at = mix(mix(mix(seed, a), b), c) & mask;

	for (;; at = (at + 1) & mask) {
		struct map_entry *entry = &map->entries[at];

		if (!entry->used ||
		    (entry->key[0] == a && entry->key[1] == b && entry->key[2] == c))
			return entry;
	}
}

static void grow(struct map *map)
{
	struct map bigger = {NULL, map->capacity ? map->capacity * 2 : 64, map->count};

	draw_seed();
	bigger.entries = xcalloc(bigger.capacity, sizeof(*bigger.entries));
	for (size_t i = 0; i < map->capacity; i++) {
		const struct map_entry *old = &map->entries[i];

		if (old->used)
			*find(&bigger, old->key[0], old->key[1], old->key[2]) = *old;
	}
	free(map->entries);
	*map = bigger;
}

uint32_t map_get(const struct map *map, uint64_t a, uint64_t b, uint64_t c)
{
	const struct map_entry *entry;

	if (!map->capacity)
		return MAP_NONE;
	entry = find(map, a, b, c);
	return entry->used ? entry->value : MAP_NONE;
}

void map_put(struct map *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value)
{
	struct map_entry *entry;

	if (map->count * 3 >= map->capacity * 2)
		grow(map);
	entry = find(map, a, b, c);
	entry->key[0] = a;
	entry->key[1] = b;
	entry->key[2] = c;
	entry->value = value;
	entry->used = 1;
	map->count++;
}

uint32_t map_number(struct map *map, uint64_t a, uint64_t b, uint64_t c, bool *is_new)
{
	uint32_t number = map_get(map, a, b, c);

	if (is_new)
		*is_new = number == MAP_NONE;
	if (number == MAP_NONE) {
		number = (uint32_t)map->count;
		map_put(map, a, b, c, number);
	}
	return number;
}

void map_done(struct map *map)
{
	free(map->entries);
	*map = (struct map){NULL, 0, 0};
}

uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text));
}

/*
 * A hash table (open addressing, at most half full) from texts to small numbers. Must not
 * forget a key: there is no removal.
 */

#define LEAST_SLOTS 64

struct intern_entry {
	const char *text;
	uint64_t hash;
};

/* The hash with its high bits mixed into the low ones, which the mask keeps. */
static uint64_t masked_hash(const char *text, size_t length)
{
	uint64_t hash = hash_bytes(text, length);

	return hash ^ hash >> 32;
}

static uint32_t *new_slots(uint32_t *old, size_t count)
{
	uint32_t *slots = xreallocarray(NULL, count, sizeof(*slots));

	free(old);
	memset(slots, 0xff, count * sizeof(*slots));
	return slots;
}

static void grow_texts(struct intern *table)
{
	size_t count = table->slot_count ? 2 * table->slot_count : LEAST_SLOTS;

	table->slots = new_slots(table->slots, count);
	table->slot_count = count;
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = table->entries[i].hash & (count - 1);

		while (table->slots[slot] != INTERN_NONE)
			slot = (slot + 1) & (count - 1);
		table->slots[slot] = (uint32_t)i;
	}
}

/* The slot of the text, or the free one where it belongs. */
static size_t find_slot(const struct intern *table, const char *text, size_t length,
			uint64_t hash)
{
	size_t mask = table->slot_count - 1, slot = hash & mask;

	for (; table->slots[slot] != INTERN_NONE; slot = (slot + 1) & mask) {
		const struct intern_entry *entry = &table->entries[table->slots[slot]];

		if (entry->hash == hash && strncmp(entry->text, text, length) == 0 &&
		    !entry->text[length])
			break;
	}
	return slot;
}

uint32_t intern_bytes(struct intern *table, const char *text, size_t length, bool *is_new)
{
	uint64_t hash = masked_hash(text, length);
	size_t slot;

	if (2 * (table->count + 1) > table->slot_count)
		grow_texts(table);
	slot = find_slot(table, text, length, hash);
	if (is_new)
		*is_new = table->slots[slot] == INTERN_NONE;
	if (table->slots[slot] != INTERN_NONE)
		return table->slots[slot];
	table->slots[slot] = (uint32_t)table->count;
	ARRAY_ADD(table->entries, table->count) =
		(struct intern_entry){arena_copy(&table->texts, text, length), hash};
	return table->slots[slot];
}

uint32_t intern_text(struct intern *table, const char *text, bool *is_new)
{
	return intern_bytes(table, text, strlen(text), is_new);
}

uint32_t intern_find_bytes(const struct intern *table, const char *text, size_t length)
{
	if (!table->slot_count)
		return INTERN_NONE;
	return table->slots[find_slot(table, text, length, masked_hash(text, length))];
}

uint32_t intern_find(const struct intern *table, const char *text)
{
	return intern_find_bytes(table, text, strlen(text));
}

const char *intern_name(const struct intern *table, uint32_t number)
{
	return table->entries[number].text;
}

void intern_free(struct intern *table)
{
	free(table->entries);
	free(table->slots);
	arena_free(&table->texts);
	*table = (struct intern){0};
}
