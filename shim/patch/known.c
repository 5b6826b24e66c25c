/* SPDX-License-Identifier: MIT */
/*
 * A hash table with open addressing that never moves, and takes memory as it is used.
 * Places in four pages of code are in one page of the table: at random, each would take a
 * page of memory.
 */
#include "shim/patch/known.h"

#include "common/attributes.h"
#include "shim/core/process.h"

#define TABLE_BITS 21
#define TABLE_ENTRIES (1u << TABLE_BITS)
#define FORGOTTEN 1u /* no return address */
#define PAGE_BYTES 4096u
#define CODE_BYTES                                                                       \
	(4 * PAGE_BYTES) /* which has hardly more places than a page entries             \
			  */
#define PAGE_ENTRIES (PAGE_BYTES / (unsigned int)sizeof(uintptr_t))
#define TABLE_PAGES (TABLE_ENTRIES / PAGE_ENTRIES)

static uintptr_t *table;
static uint32_t *numbers; /* parallel */
static uint32_t entry_count;
static uint32_t is_refused; /* there was no memory */
static uint8_t is_used[TABLE_PAGES];

static uint32_t place_of(uintptr_t return_address)
{
	uint64_t page = return_address / CODE_BYTES * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(page >> 32) % TABLE_PAGES * PAGE_ENTRIES +
	       return_address / (CODE_BYTES / PAGE_ENTRIES) % PAGE_ENTRIES;
}

static void note_use(uint32_t at)
{
	if (is_used[at / PAGE_ENTRIES])
		return;
	is_used[at / PAGE_ENTRIES] = 1;
	process_count(SEGMENT_COUNTER_TOOL_BYTES,
		      PAGE_BYTES + PAGE_ENTRIES * sizeof(*numbers));
}

static uint32_t next_of(uint32_t at)
{
	return (at + 1) % TABLE_ENTRIES;
}

uint32_t known_number(uintptr_t return_address)
{
	/* acquire: pairs with the release in known_add() */
	const uintptr_t *entries = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	uint32_t at = place_of(return_address);

	for (; entries && entries[at]; at = next_of(at)) {
		if (entries[at] == return_address)
			return numbers[at];
	}
	return 0;
}

int known_has(uintptr_t return_address)
{
	/* acquire: pairs with the release in known_add() */
	const uintptr_t *entries = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	uint32_t at = place_of(return_address);

	if (__atomic_load_n(&is_refused, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&entry_count, __ATOMIC_RELAXED) >= TABLE_ENTRIES / 2)
		return 1; /* what is not, cannot be remembered */
	for (; entries && entries[at]; at = next_of(at)) {
		if (entries[at] == return_address)
			return 1;
	}
	return 0;
}

void known_add(uintptr_t return_address, uint32_t number)
{
	uintptr_t *entries = table;
	uint32_t at = place_of(return_address);

	if (!numbers)
		numbers = process_map(TABLE_ENTRIES * sizeof(*numbers), 0);
	if (!entries && numbers)
		entries = process_map(TABLE_ENTRIES * sizeof(*entries), 0);
	if (!entries)
		__atomic_store_n(&is_refused, 1, __ATOMIC_RELAXED);
	if (!entries || entry_count >= TABLE_ENTRIES / 2)
		return;
	while (entries[at] > FORGOTTEN)
		at = next_of(at);
	numbers[at] = number;
	/* release: who finds it finds its number */
	__atomic_store_n(&entries[at], return_address, __ATOMIC_RELEASE);
	note_use(at);
	entry_count++;
	__atomic_store_n(&table, entries, __ATOMIC_RELEASE);
}

void known_forget(uintptr_t low, uintptr_t high)
{
	/* from behind, so that places which nobody needs on the way to another become
	 * free */
	for (uint32_t i = TABLE_ENTRIES; table && i-- > 0;) {
		if (!is_used[i / PAGE_ENTRIES]) {
			i -= i % PAGE_ENTRIES;
			continue;
		}
		if (table[i] > FORGOTTEN && table[i] >= low && table[i] < high) {
			table[i] = FORGOTTEN;
			entry_count--;
		}
		if (table[i] == FORGOTTEN && !table[next_of(i)])
			table[i] = 0;
	}
}
