/* SPDX-License-Identifier: MIT */
/*
 * A hash table (open addressing, at most half full) from texts to small numbers. Must not
 * forget a key: there is no removal.
 */
#include "common/base/intern.h"

#include "common/base/array.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

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
