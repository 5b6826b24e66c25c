/* SPDX-License-Identifier: MIT */
/*
 * See offered.h. Must not believe a number in the file beyond its size: a list that
 * somebody has damaged ends.
 */
#include "shim/children/offered.h"

#include "shim/core/process.h"

static uint32_t *pool_of(uint32_t slot)
{
	return &process_facts.file->slots[slot].pool;
}

void offered_push(uint32_t slot)
{
	uint64_t *head = &process_facts.file->offered, old, new;
	uint32_t flags = SEGMENT_POOL_LISTED | SEGMENT_POOL_OFFERED, word;

	/* release: who takes the slot sees what its owner did */
	if (__atomic_fetch_or(pool_of(slot), flags, __ATOMIC_ACQ_REL) &
	    SEGMENT_POOL_LISTED)
		return;
	old = __atomic_load_n(head, __ATOMIC_RELAXED);
	do {
		word = __atomic_load_n(pool_of(slot), __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(
			pool_of(slot), &word,
			(word & ~SEGMENT_POOL_NEXT) | ((uint32_t)old & SEGMENT_POOL_NEXT),
			0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		new = ((old >> 32) + 1) << 32 | slot;
	} while (!__atomic_compare_exchange_n(head, &old, new, 0, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

uint32_t offered_pop(void)
{
	uint64_t *head = &process_facts.file->offered, new;
	uint64_t old = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t flags = SEGMENT_POOL_LISTED | SEGMENT_POOL_OFFERED;

	while ((uint32_t)old) {
		uint32_t slot = (uint32_t)old, next;

		if (slot >= process_facts.file->slot_limit)
			return 0;
		next = __atomic_load_n(pool_of(slot), __ATOMIC_RELAXED) &
		       SEGMENT_POOL_NEXT;
		new = ((old >> 32) + 1) << 32 | next;
		if (!__atomic_compare_exchange_n(head, &old, new, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_ACQUIRE))
			continue;
		/* acquire: pairs with the release of its owner */
		if (__atomic_fetch_and(pool_of(slot), ~flags, __ATOMIC_ACQ_REL) &
		    SEGMENT_POOL_OFFERED)
			return slot;
		old = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	}
	return 0;
}

int offered_take_back(uint32_t slot)
{
	return (__atomic_fetch_and(pool_of(slot), ~SEGMENT_POOL_OFFERED,
				   __ATOMIC_ACQ_REL) &
		SEGMENT_POOL_OFFERED) != 0;
}
