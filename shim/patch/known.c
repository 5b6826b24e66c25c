/* SPDX-License-Identifier: MIT */
/* Two tables that are read without a lock. Runs on: as known.h says. */
#include "shim/patch/known.h"

#include <stddef.h>

#include "common/segment.h"
#include "shim/core/process.h"
#include "shim/patch/numbers.h"

static struct numbers *known = &numbers_none; /* one more than each number */
static uint32_t is_full;		      /* further places cannot be remembered */

uint32_t known_number(uintptr_t return_address)
{
	uint32_t found = numbers_find(&known, return_address);

	return found ? found - 1 : 0;
}

int known_has(uintptr_t return_address)
{
	return __atomic_load_n(&is_full, __ATOMIC_RELAXED) ||
	       numbers_find(&known, return_address);
}

void known_add(uintptr_t return_address, uint32_t number)
{
	if (!numbers_put(&known, return_address, number + 1))
		__atomic_store_n(&is_full, 1, __ATOMIC_RELAXED);
}

void known_forget(uintptr_t low, uintptr_t high)
{
	numbers_forget(known, low, high);
	__atomic_store_n(&is_full, 0, __ATOMIC_RELAXED);
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
