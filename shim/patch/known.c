/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing that never moves. */
#include "shim/patch/known.h"

#include "common/attributes.h"
#include "shim/core/process.h"

#define TABLE_BITS 17
#define TABLE_ENTRIES (1u << TABLE_BITS)
#define FORGOTTEN 1u /* no return address */

static uintptr_t *table;
static uint32_t entry_count;
static uint32_t is_refused; /* there was no memory */

static uint32_t place_of(uintptr_t return_address)
{
	return (uint32_t)(return_address * 0x9e3779b97f4a7c15ull >> (64 - TABLE_BITS));
}

int known_has(uintptr_t return_address)
{
	/* acquire: pairs with the release in known_add() */
	const uintptr_t *entries = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	uint32_t at = place_of(return_address);

	if (__atomic_load_n(&is_refused, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&entry_count, __ATOMIC_RELAXED) >= TABLE_ENTRIES / 2)
		return 1; /* what is not, cannot be remembered */
	for (; entries && entries[at]; at = (at + 1) % TABLE_ENTRIES) {
		if (entries[at] == return_address)
			return 1;
	}
	return 0;
}

void known_add(uintptr_t return_address)
{
	uintptr_t *entries = table;
	uint32_t at = place_of(return_address);

	if (!entries)
		entries = process_map(TABLE_ENTRIES * sizeof(*entries), 0);
	if (!entries)
		__atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
	if (!entries || entry_count >= TABLE_ENTRIES / 2)
		return;
	while (entries[at] > FORGOTTEN)
		at = (at + 1) % TABLE_ENTRIES;
	entries[at] = return_address;
	entry_count++;
	__atomic_store_n(&table, entries, __ATOMIC_RELEASE);
}

void known_forget(uintptr_t low, uintptr_t high)
{
	/* from behind, so that places which nobody needs on the way to another become
	 * free */
	for (uint32_t i = TABLE_ENTRIES; table && i-- > 0;) {
		if (table[i] > FORGOTTEN && table[i] >= low && table[i] < high) {
			table[i] = FORGOTTEN;
			entry_count--;
		}
		if (table[i] == FORGOTTEN && !table[(i + 1) % TABLE_ENTRIES])
			table[i] = 0;
	}
}
