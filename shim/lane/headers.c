/* SPDX-License-Identifier: MIT */
/* A table with open addressing for each object, at most half full. */
#include "shim/lane/headers.h"

#include "shim/core/process.h"

#define OBJECTS 64u /* of which most programs have one */
#define MOST (1ull << 22)

struct object {
	uint64_t low, high;
	uint64_t *functions; /* NULL: all are */
	uint64_t mask;
};

int headers_any;
static int takes_all;
static struct object objects[OBJECTS];
static uint32_t object_count;

static uint64_t place_of(uint64_t function, uint64_t mask)
{
	return (function * 0x9e3779b97f4a7c15ull >> 32) & mask;
}

int headers_begin(uint64_t low, uint64_t high, uint64_t count)
{
	struct object *object = &objects[object_count];
	uint64_t room = 64;

	if (object_count == OBJECTS || !count || count > MOST)
		return 0;
	while (room < count * 2)
		room *= 2;
	object->functions = process_map(room * sizeof(uint64_t), 0);
	if (!object->functions)
		return 0;
	object->mask = room - 1;
	object->low = low;
	object->high = high;
	return 1;
}

void headers_add(uint64_t function)
{
	struct object *object = &objects[object_count];
	uint64_t at = place_of(function, object->mask);

	for (uint64_t i = 0; i <= object->mask; i++, at = (at + 1) & object->mask) {
		if (object->functions[at] == function)
			return;
		if (!object->functions[at]) {
			object->functions[at] = function;
			return;
		}
	}
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
		if (!object->functions)
			return HEADERS_YES;
		for (uint64_t at = place_of(function, object->mask);
		     object->functions[at]; at = (at + 1) & object->mask) {
			if (object->functions[at] == function)
				return HEADERS_YES;
		}
		return HEADERS_NO;
	}
	return HEADERS_UNKNOWN;
}
