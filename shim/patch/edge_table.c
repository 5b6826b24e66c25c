/* SPDX-License-Identifier: MIT */
/*
 * The offset is written before the key. A reader in between finds nothing and takes the
 * slow path once more. Runs on: as edge_table.h says.
 */
#include "shim/patch/edge_table.h"

#include <stddef.h>

#include "shim/core/process.h"

#define FIRST_EDGES 1024u
#define MOST_EDGES (1u << 20)

_Static_assert(sizeof(struct edge) == 16, "the code has this in a byte");
_Static_assert(offsetof(struct edge_table, edges) == 16, "likewise");

/* One entry, and those that follow the last. */
static struct edge first[1 + 1 + EDGE_PROBES];

struct edge_table *edge_table = (struct edge_table *)first;

static uint32_t count_of(const struct edge_table *table)
{
	return (uint32_t)(table->mask / sizeof(struct edge)) + 1;
}

static struct edge *place_of(struct edge_table *table, uint64_t key)
{
	uint64_t at = (key * EDGE_HASH >> 32) & table->mask;

	return &table->edges[at / sizeof(struct edge)];
}

static int put(struct edge_table *table, uint64_t key, uint64_t offset)
{
	struct edge *at = place_of(table, key), *end = at + EDGE_PROBES;

	while (at < end && at->key && at->key != key)
		at++;
	if (at == end)
		return 0;
	table->used += !at->key;
	at->offset = offset;
	/* release: whoever sees the key sees its offset */
	__atomic_store_n(&at->key, key, __ATOMIC_RELEASE);
	return 1;
}

static uint64_t bytes_of(uint32_t count)
{
	return sizeof(struct edge_table) + (count + EDGE_PROBES) * sizeof(struct edge);
}

/* 0: not all of them have a place. */
static int put_all(struct edge_table *to, const struct edge_table *from)
{
	for (uint32_t i = 0; i < count_of(from) + EDGE_PROBES; i++) {
		const struct edge *edge = &from->edges[i];

		if (edge->key && !put(to, edge->key, edge->offset))
			return 0;
	}
	return 1;
}

/* 0: there is no room. */
static int grow(void)
{
	uint32_t count = count_of(edge_table);
	struct edge_table *more;

	if (count < FIRST_EDGES / 2)
		count = FIRST_EDGES / 2;
	while ((count *= 2) <= MOST_EDGES) {
		more = process_map(bytes_of(count), 0);
		if (!more)
			return 0;
		more->mask = (count - 1) * sizeof(struct edge);
		if (put_all(more, edge_table)) {
			process_count(SEGMENT_COUNTER_TOOL_BYTES, bytes_of(count));
			__atomic_store_n(&edge_table, more, __ATOMIC_RELEASE);
			return 1;
		}
		process_unmap(more, bytes_of(count));
	}
	return 0;
}

void edge_table_put(uint32_t place, uintptr_t site, uint32_t number)
{
	uint64_t key = edge_key(place, site), offset = number * 8ull;

	/* half full, one search in 200 goes past the last place */
	if (edge_table->used * 2 >= count_of(edge_table))
		grow();
	if (!put(edge_table, key, offset) && grow())
		put(edge_table, key, offset);
}

uint32_t edge_table_find(uint32_t place, uintptr_t site)
{
	uint64_t key = edge_key(place, site);
	const struct edge *at = place_of(edge_table, key);

	for (uint32_t i = 0; i < EDGE_PROBES; i++) {
		if (at[i].key == key)
			return (uint32_t)(at[i].offset / 8);
	}
	return 0;
}

void edge_table_forget(uintptr_t low, uintptr_t high)
{
	for (uint32_t i = 0; i < count_of(edge_table) + EDGE_PROBES; i++) {
		struct edge *edge = &edge_table->edges[i];
		uintptr_t site = edge->key & ((1ull << EDGE_SITE_BITS) - 1);

		if (!edge->key || site < low || site >= high)
			continue;
		__atomic_store_n(&edge->key, 0, __ATOMIC_RELEASE);
		edge_table->used--;
	}
}
