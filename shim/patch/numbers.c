/* SPDX-License-Identifier: MIT */
/*
 * The offset is written before the key. A reader in between finds nothing and takes the
 * slow path once more. Runs on: as numbers.h says.
 */
#include "shim/patch/numbers.h"

#include <stddef.h>

#include "shim/core/process.h"

#define FIRST_ENTRIES 1024u
#define MOST_ENTRIES (1u << 21)
#define FORGOTTEN 1u /* in the place of a key that searches pass */
#define PROBES 64u   /* at half full, none is as long */

_Static_assert(sizeof(struct numbered) == 16, "the code has this in a byte");
_Static_assert(offsetof(struct numbers, entries) == 16, "likewise");

/* One entry, and those that follow the last: never written. */
struct numbers numbers_none = {.entries = {[PROBES] = {0}}};

struct numbers *edge_numbers = &numbers_none;

static uint32_t count_of(const struct numbers *table)
{
	return (uint32_t)(table->mask / sizeof(struct numbered)) + 1;
}

/* Stubs have no time for more than a product, which addresses at equal distances may
 * bring to the same places, and a few comparisons. */
static struct numbered *place_of(struct numbers *const *in, struct numbers *table,
				 uint64_t key)
{
	if (in != &edge_numbers) {
		key = (key ^ key >> 32) * 0xd6e8feb86659fd93ull;
		key ^= key >> 32;
	}
	return &table->entries[(key * NUMBERS_HASH >> 32 & table->mask) /
			       sizeof(struct numbered)];
}

static uint32_t probes_of(struct numbers *const *in)
{
	return in == &edge_numbers ? NUMBERS_PROBES : PROBES;
}

/* table: the one in *in, or that which takes its place. */
static int put(struct numbers *const *in, struct numbers *table, uint64_t key,
	       uint64_t offset)
{
	struct numbered *at = place_of(in, table, key), *end = at + probes_of(in);
	struct numbered *forgotten = NULL;

	for (; at < end && at->key && at->key != key; at++)
		if (at->key == FORGOTTEN && !forgotten)
			forgotten = at;
	if (forgotten && (at == end || at->key != key))
		at = forgotten;
	if (at == end || table == &numbers_none)
		return 0;
	table->used += !at->key;
	__atomic_store_n(&at->offset, offset, __ATOMIC_RELAXED);
	/* release: whoever sees the key sees its offset */
	__atomic_store_n(&at->key, key, __ATOMIC_RELEASE);
	return 1;
}

static uint64_t bytes_of(uint32_t count)
{
	return sizeof(struct numbers) + (count + PROBES) * sizeof(struct numbered);
}

/* 0: not all of them have a place. */
static int put_all(struct numbers *const *in, struct numbers *to)
{
	const struct numbers *from = *in;

	for (uint32_t i = 0; i < count_of(from) + PROBES; i++) {
		const struct numbered *entry = &from->entries[i];

		if (entry->key > FORGOTTEN && !put(in, to, entry->key, entry->offset))
			return 0;
	}
	return 1;
}

/* 0: there is no room. */
static int grow(struct numbers **in)
{
	uint32_t count = count_of(*in);
	struct numbers *more;

	if (count < FIRST_ENTRIES / 2)
		count = FIRST_ENTRIES / 2;
	while ((count *= 2) <= MOST_ENTRIES) {
		more = process_map(bytes_of(count), 0);
		if (!more)
			return 0;
		more->mask = (count - 1) * sizeof(struct numbered);
		if (put_all(in, more)) {
			process_count(SEGMENT_COUNTER_TOOL_BYTES, bytes_of(count));
			/* release: pairs with the acquire in numbers_find() */
			__atomic_store_n(in, more, __ATOMIC_RELEASE);
			return 1;
		}
		process_unmap(more, bytes_of(count));
	}
	return 0;
}

int numbers_put(struct numbers **in, uint64_t key, uint32_t number)
{
	uint64_t offset = number * 8ull;

	/* half full, one search in 200 goes past the last place */
	if ((*in)->used * 2 >= count_of(*in) && !grow(in))
		return 0;
	return put(in, *in, key, offset) || (grow(in) && put(in, *in, key, offset));
}

uint32_t cold numbers_find(struct numbers *const *in, uint64_t key)
{
	/* acquire: pairs with the releases of put() and grow() */
	const struct numbered *at =
		place_of(in, __atomic_load_n(in, __ATOMIC_ACQUIRE), key);
	uint64_t seen = FORGOTTEN;

	for (uint32_t i = probes_of(in); i && seen; i--, at++) {
		seen = __atomic_load_n(&at->key, __ATOMIC_ACQUIRE);
		if (seen == key)
			return (uint32_t)(__atomic_load_n(&at->offset, __ATOMIC_RELAXED) /
					  8);
	}
	return 0;
}

/* Backwards, so that entries that no search needs to pass become free. */
void numbers_forget(struct numbers *in, uintptr_t low, uintptr_t high)
{
	uint64_t next = 0;

	for (uint32_t i = count_of(in) + PROBES; in->used && i-- > 0;) {
		struct numbered *entry = &in->entries[i];
		uintptr_t address = entry->key & ((1ull << NUMBERS_ADDRESS_BITS) - 1);

		if (entry->key == FORGOTTEN ||
		    (entry->key && address >= low && address < high)) {
			in->used -= !next;
			__atomic_store_n(&entry->key, next ? FORGOTTEN : 0,
					 __ATOMIC_RELEASE);
		}
		next = entry->key;
	}
}
