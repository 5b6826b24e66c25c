/* SPDX-License-Identifier: MIT */
/* Two hash tables with open addressing, which never get more than half full. */
#include "shim/lane/allocators.h"

#include "common/attributes.h"

struct kind {
	uint64_t function; /* 0: free */
	uint32_t kind;	   /* enum allocator */
};

struct allocator_place allocator_places[ALLOCATOR_ENTRIES];
static struct kind kinds[ALLOCATOR_ENTRIES];
static uint32_t place_count written_in_children, kind_count written_in_children;

/* Takes a free key for one of its own, or finds that it has it. 0: it is another one. */
static int claim(uint64_t *key, uint64_t own, uint32_t *count)
{
	uint64_t seen = __atomic_load_n(key, __ATOMIC_RELAXED);

	/* what is not written is not copied in a forked child */
	if (seen || __atomic_load_n(count, __ATOMIC_RELAXED) >= ALLOCATOR_ENTRIES / 2)
		return seen == own;
	/* relaxed: nothing else is published with it */
	if (__atomic_compare_exchange_n(key, &seen, own, 0, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
		return 1;
	}
	return seen == own;
}

/* The function's entry, or NULL: no room. */
static struct kind *entry_of(uint64_t function)
{
	uint32_t at = allocator_hash(function);

	while (!claim(&kinds[at].function, function, &kind_count)) {
		if (!kinds[at].function)
			return (struct kind *)0;
		at = (at + 1) % ALLOCATOR_ENTRIES;
	}
	return &kinds[at];
}

static void note_kind(uint64_t function, enum allocator kind)
{
	struct kind *entry = entry_of(function);

	if (entry && entry->kind < (uint32_t)kind)
		__atomic_store_n(&entry->kind, (uint32_t)kind, __ATOMIC_RELAXED);
}

void allocators_note_distant(uint64_t function)
{
	note_kind(function, ALLOCATOR_DISTANT);
}

uint64_t allocators_note_place(uint64_t return_address, uint64_t function)
{
	uint32_t at = allocator_hash(return_address);
	uint64_t known = 0;

	while (!claim(&allocator_places[at].return_address, return_address,
		      &place_count)) {
		if (!allocator_places[at].return_address) { /* no room */
			allocators_note_distant(function);
			return 0;
		}
		at = (at + 1) % ALLOCATOR_ENTRIES;
	}
	if (__atomic_compare_exchange_n(&allocator_places[at].function, &known, function,
					0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	    known == function) {
		note_kind(function, ALLOCATOR_DIRECT);
		return 0;
	}
	__atomic_store_n(&allocator_places[at].function, ALLOCATOR_SEVERAL,
			 __ATOMIC_RELAXED);
	allocators_note_distant(function);
	if (known == ALLOCATOR_SEVERAL)
		return 0;
	allocators_note_distant(known);
	return known;
}

/* Of what there was no room for nothing is known: it is taken for the worst. */
enum allocator allocators_kind(uint64_t function)
{
	uint32_t at = allocator_hash(function);

	for (; kinds[at].function; at = (at + 1) % ALLOCATOR_ENTRIES) {
		if (kinds[at].function == function)
			return (enum allocator)kinds[at].kind;
	}
	return kind_count >= ALLOCATOR_ENTRIES / 2 ? ALLOCATOR_DISTANT : ALLOCATOR_NONE;
}

void allocators_forget(uint64_t low, uint64_t high)
{
	for (uint32_t i = 0; i < ALLOCATOR_ENTRIES; i++) {
		if (allocator_places[i].return_address >= low &&
		    allocator_places[i].return_address <= high)
			__atomic_store_n(&allocator_places[i].function, 0,
					 __ATOMIC_RELAXED);
		if (kinds[i].function >= low && kinds[i].function < high)
			__atomic_store_n(&kinds[i].kind, ALLOCATOR_NONE,
					 __ATOMIC_RELAXED);
	}
}
