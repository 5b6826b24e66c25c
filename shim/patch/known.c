/* SPDX-License-Identifier: MIT */
/* Two tables that are read without a lock. Runs on: as known.h says. */
#include "shim/patch/known.h"

#include <stddef.h>

#include "common/segment.h"
#include "shim/core/addresses.h"
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
 * The table of objects. Lookups take no lock: but for being gone, a decision in the table
 * does not change, and its memory is never freed. The decision on an object that comes
 * and goes is used again.
 */

uint32_t selected_is_active;

static struct selected_object *decisions; /* SEGMENT_MODULE_LIMIT */
static uint32_t decision_count;		  /* atomic */

static int is_gone(const struct selected_object *decision)
{
	return __atomic_load_n(&decision->is_gone, __ATOMIC_RELAXED) != 0;
}

static void set_gone(struct selected_object *decision, uint32_t to)
{
	__atomic_store_n(&decision->is_gone, to, __ATOMIC_RELAXED);
}

enum selected cold selected_find(uint64_t function)
{
	/* acquire: pairs with the release in selected_decide(); they are whole */
	uint32_t count = __atomic_load_n(&decision_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct selected_object *decision = &decisions[i];

		if (function < decision->low || function >= decision->high ||
		    is_gone(decision))
			continue;
		return addresses_have(decision->exceptions, function) == !decision->is_off
			       ? SELECTED_OFF
			       : SELECTED_ON;
	}
	return SELECTED_UNKNOWN;
}

/* This decision holds from now on, and no other on the object. */
static void hold(struct selected_object *decision)
{
	set_gone(decision, 0);
	for (uint32_t i = 0; i < decision_count; i++)
		if (decisions[i].low == decision->low &&
		    decisions[i].high == decision->high && &decisions[i] != decision)
			set_gone(&decisions[i], 1);
}

int selected_decide(const struct selected_object *object)
{
	uint32_t count = decision_count;

	if (!decisions)
		decisions = process_map(SEGMENT_MODULE_LIMIT * sizeof(*decisions), 0);
	if (!decisions || count == SEGMENT_MODULE_LIMIT)
		return 0;
	decisions[count] = *object;
	__atomic_store_n(&decision_count, count + 1, __ATOMIC_RELEASE);
	hold(&decisions[count]);
	return 1;
}

int selected_bring_back(uint64_t low, uint64_t high, uint64_t identity)
{
	for (uint32_t i = 0; i < decision_count; i++) {
		struct selected_object *decision = &decisions[i];

		if (decision->low == low && decision->high == high &&
		    decision->identity == identity) {
			hold(decision);
			return 1;
		}
	}
	return 0;
}

void selected_retire(uint64_t low, uint64_t high)
{
	for (uint32_t i = 0; i < decision_count; i++)
		if (decisions[i].low >= low && decisions[i].high <= high)
			set_gone(&decisions[i], 1);
}

void selected_forget_unanswered(void)
{
	for (uint32_t i = 0; i < decision_count; i++)
		if (decisions[i].is_unanswered)
			set_gone(&decisions[i], 1);
}
