/* SPDX-License-Identifier: MIT */
/* Two tables that are read without a lock and never move. Runs on: as known.h says. */
#include "shim/patch/known.h"

#include <stddef.h>

#include "common/segment.h"
#include "shim/core/process.h"

/*
 * A hash table with open addressing that never moves and takes memory as it is used.
 * Places in four pages of code share a page of the table: spread at random, each would
 * take a page.
 */

#define TABLE_BITS 21
#define TABLE_ENTRIES (1u << TABLE_BITS)
#define FORGOTTEN 1u /* no return address */
#define PAGE_BYTES 4096u
#define CODE_BYTES                                                                       \
	(4 * PAGE_BYTES) /* with hardly more places than a page has entries \ */
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
		return 1; /* further places cannot be remembered */
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
	/* release: whoever finds the address finds its number */
	__atomic_store_n(&entries[at], return_address, __ATOMIC_RELEASE);
	note_use(at);
	entry_count++;
	__atomic_store_n(&table, entries, __ATOMIC_RELEASE);
}

void known_forget(uintptr_t low, uintptr_t high)
{
	/* backwards, so that entries that no search needs to pass become free */
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

/*
 * The table of objects. Lookups take no lock: a decision in the table does not change,
 * and its memory is never freed. The decision on an object that comes and goes is used
 * again.
 */

struct decision {
	uint64_t low, high, identity;
	uint32_t is_gone; /* atomic: it is void, or the object not mapped */
	uint32_t is_off, is_unanswered;
	uint64_t count;
	uint64_t functions[];
};

uint32_t selected_is_active;

static struct decision **decisions; /* SEGMENT_MODULE_LIMIT */
static uint32_t decision_count;	    /* atomic */

static int has(const struct decision *decision, uint64_t function)
{
	uint64_t low = 0, high = decision->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (decision->functions[middle] == function)
			return 1;
		if (decision->functions[middle] < function)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static struct decision *decision_at(uint32_t index)
{
	/* acquire: pairs with the release in selected_decide(); it is whole */
	return __atomic_load_n(&decisions[index], __ATOMIC_ACQUIRE);
}

static int is_gone(const struct decision *decision)
{
	return __atomic_load_n(&decision->is_gone, __ATOMIC_RELAXED) != 0;
}

enum selected cold selected_find(uint64_t function)
{
	uint32_t count = __atomic_load_n(&decision_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct decision *decision = decision_at(i);

		if (function < decision->low || function >= decision->high ||
		    is_gone(decision))
			continue;
		return has(decision, function) == !decision->is_off ? SELECTED_OFF
								    : SELECTED_ON;
	}
	return SELECTED_UNKNOWN;
}

/* The place of the decision that this one replaces, or a new one; SEGMENT_MODULE_LIMIT:
 * there is none. */
static uint32_t place_for(const struct selected_object *object)
{
	for (uint32_t i = 0; i < decision_count; i++) {
		const struct decision *decision = decision_at(i);

		if (decision->low == object->low && decision->high == object->high &&
		    !is_gone(decision))
			return i;
	}
	if (!decisions)
		decisions = process_map(SEGMENT_MODULE_LIMIT * sizeof(*decisions), 0);
	return decisions ? decision_count : SEGMENT_MODULE_LIMIT;
}

int selected_decide(const struct selected_object *object)
{
	uint32_t at = place_for(object);
	struct decision *decision;

	if (at >= SEGMENT_MODULE_LIMIT)
		return 0;
	decision = process_map(
		sizeof(*decision) + object->count * sizeof(decision->functions[0]), 0);
	if (!decision)
		return 0;
	decision->low = object->low;
	decision->high = object->high;
	decision->identity = object->identity;
	decision->is_off = object->is_off;
	decision->is_unanswered = object->is_unanswered;
	decision->count = object->count;
	for (uint32_t i = 0; i < object->count; i++)
		decision->functions[i] = object->functions[i];
	/* release: pairs with the acquire in decision_at() */
	__atomic_store_n(&decisions[at], decision, __ATOMIC_RELEASE);
	if (at == decision_count)
		__atomic_store_n(&decision_count, at + 1, __ATOMIC_RELEASE);
	return 1;
}

int selected_bring_back(uint64_t low, uint64_t high, uint64_t identity)
{
	for (uint32_t i = 0; i < decision_count; i++) {
		struct decision *decision = decision_at(i);

		if (decision->low == low && decision->high == high &&
		    decision->identity == identity) {
			__atomic_store_n(&decision->is_gone, 0, __ATOMIC_RELAXED);
			return 1;
		}
	}
	return 0;
}

void selected_retire(uint64_t low, uint64_t high)
{
	for (uint32_t i = 0; i < decision_count; i++) {
		struct decision *decision = decision_at(i);

		if (decision->low >= low && decision->high <= high)
			__atomic_store_n(&decision->is_gone, 1, __ATOMIC_RELAXED);
	}
}

void selected_forget_unanswered(void)
{
	for (uint32_t i = 0; i < decision_count; i++) {
		if (decision_at(i)->is_unanswered)
			__atomic_store_n(&decisions[i]->is_gone, 1, __ATOMIC_RELAXED);
	}
}
