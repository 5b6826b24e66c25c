/* SPDX-License-Identifier: MIT */
/* What has been found out, by return address, in a direct-mapped table whose entries are
 * one word each: see rules.c. */
#include "shim/stacks/user_code.h"

#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/stacks/rules.h"

#define KNOWN_COUNT 4096u
#define ADDRESS_SHIFT 17 /* addresses of programs have 47 bits */

/* Which objects were there: 16 bits of a number that changes with them. */
static uint64_t known[KNOWN_COUNT];

static uint64_t objects_now(void)
{
	return ((uint64_t)process->unload_count * 64 + headers_generation()) & 0xffff;
}

static int find(uint64_t return_address)
{
	struct cfi_object object;
	uint64_t function;

	if (headers_ask(return_address) == HEADERS_UNKNOWN || !rules_find_object ||
	    rules_find_object(return_address - 1, &object) != 0)
		return 0;
	function = cfi_function(&object, return_address);
	return function && headers_ask(function) == HEADERS_NO;
}

int user_code_has(uint64_t return_address)
{
	uint64_t *place = &known[(return_address ^ return_address >> 12) % KNOWN_COUNT];
	uint64_t key = return_address << ADDRESS_SHIFT | objects_now() << 1;
	uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (likely((seen & ~1ull) == key))
		return seen & 1;
	key |= (uint64_t)find(return_address);
	__atomic_store_n(place, key, __ATOMIC_RELAXED);
	return key & 1;
}
