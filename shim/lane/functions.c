/* SPDX-License-Identifier: MIT */
/* Tables of functions. Entries never move. Runs on: as functions.h says. */
#include "shim/lane/functions.h"

#include <stddef.h>

#include "shim/core/addresses.h"

#define WAITERS_BITS 13
#define WAITERS (1u << WAITERS_BITS)
#define GONE 1u /* in the place of a function that was unmapped */

static uint64_t waiters[WAITERS]; /* 0: free */
static uint32_t waiter_count written_in_children;

/* The function's entry, or the free one that ends its search. */
static uint64_t *waiter_at(uint64_t function)
{
	uint32_t at = (uint32_t)(function * 0x9e3779b97f4a7c15ull >> (64 - WAITERS_BITS));

	while (waiters[at] && waiters[at] != function)
		at = (at + 1) % WAITERS;
	return &waiters[at];
}

void waiters_note(uint64_t function)
{
	uint64_t *entry = waiter_at(function), seen = 0;

	/* avoid needless writes: each would copy a page in a forked child */
	while (*entry != function &&
	       __atomic_load_n(&waiter_count, __ATOMIC_RELAXED) < WAITERS / 2) {
		/* relaxed: nothing else is published with it */
		if (__atomic_compare_exchange_n(entry, &seen, function, 0,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			__atomic_fetch_add(&waiter_count, 1, __ATOMIC_RELAXED);
		entry = waiter_at(function);
		seen = 0;
	}
}

/* A full table knows nothing of further functions: assume that they wait. */
int waiters_have(uint64_t function)
{
	return *waiter_at(function) == function || waiter_count >= WAITERS / 2;
}

void waiters_forget(uint64_t low, uint64_t high)
{
	for (uint32_t i = 0; i < WAITERS; i++) {
		if (waiters[i] >= low && waiters[i] < high)
			__atomic_store_n(&waiters[i], GONE, __ATOMIC_RELAXED);
	}
}

#define OBJECTS 64u /* most programs have one */
#define MOST (1ull << 22)

struct object {
	uint64_t low, high;
	struct addresses *functions; /* NULL: all are */
};

int headers_any;
static int takes_all;
static struct object objects[OBJECTS];
static uint32_t object_count;

int headers_begin(uint64_t low, uint64_t high, uint64_t count)
{
	struct object object = {.low = low, .high = high};

	if (object_count == OBJECTS || !count || count > MOST)
		return 0;
	object.functions = addresses_new(count);
	objects[object_count] = object;
	return object.functions != NULL;
}

void headers_add(uint64_t function)
{
	addresses_put(objects[object_count].functions, function);
}

void headers_end(void)
{
	__atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&headers_any, 1, __ATOMIC_RELAXED);
}

void headers_add_library(uint64_t low, uint64_t high)
{
	if (object_count == OBJECTS)
		return;
	objects[object_count] = (struct object){.low = low, .high = high};
	__atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
}

void headers_take_all(void)
{
	takes_all = headers_any = 1;
}

uint32_t headers_generation(void)
{
	return __atomic_load_n(&object_count, __ATOMIC_ACQUIRE);
}

/* The youngest object at an address wins: others have been unloaded. */
enum headers_answer headers_ask(uint64_t function)
{
	if (takes_all)
		return HEADERS_YES;
	for (uint32_t i = __atomic_load_n(&object_count, __ATOMIC_ACQUIRE); i-- > 0;) {
		const struct object *object = &objects[i];

		if (function < object->low || function >= object->high)
			continue;
		if (!object->functions || addresses_have(object->functions, function))
			return HEADERS_YES;
		return HEADERS_NO;
	}
	return HEADERS_UNKNOWN;
}

/* In the place of a function. */
#define TRIGGER_OF_NOBODY UINT64_MAX

static struct trigger triggers[TRIGGER_LIMIT];

uint32_t trigger_count;

int trigger_add(const struct trigger *trigger)
{
	uint32_t index = trigger_count;

	for (uint32_t i = 0; i < index; i++) {
		if (triggers[i].function == trigger->function) {
			__atomic_fetch_or(&triggers[i].actions, trigger->actions,
					  __ATOMIC_RELAXED);
			return 1;
		}
	}
	if (index == TRIGGER_LIMIT)
		return 0;
	triggers[index] = *trigger;
	/* release: pairs with the acquire in trigger_find() */
	__atomic_store_n(&trigger_count, index + 1, __ATOMIC_RELEASE);
	return 1;
}

void trigger_drop(uint64_t function)
{
	for (uint32_t i = 0; i < trigger_count; i++)
		if (triggers[i].function == function && !triggers[i].enter_label &&
		    !triggers[i].exit_label && !(triggers[i].actions & ~TRIGGER_CHOSEN))
			__atomic_store_n(&triggers[i].function, TRIGGER_OF_NOBODY,
					 __ATOMIC_RELAXED);
}

const struct trigger *trigger_find(uint64_t function)
{
	uint32_t count = __atomic_load_n(&trigger_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		if (triggers[i].function == function)
			return &triggers[i];
	}
	return NULL;
}

uint32_t trigger_actions(uint64_t function)
{
	const struct trigger *trigger = trigger_find(function);

	return trigger ? trigger->actions : 0;
}
