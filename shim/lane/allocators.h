/* SPDX-License-Identifier: MIT */
/*
 * Functions that allocate, as far as a run with a budget has learned. Runs on: traced
 * threads, any context; without a lock: entries are added, and none moves. A forked child
 * goes on with what its parent knew.
 *
 * A function that calls malloc itself is known by the place that malloc returns to, which
 * is in its code, in a copy of it that was inlined, or in a part that lies elsewhere: all
 * the same, once it was the innermost function with a frame when that place was first
 * seen. So its allocations are found on its path even when it has no frame.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

#define ALLOCATOR_BITS 13
#define ALLOCATOR_ENTRIES (1u << ALLOCATOR_BITS)

enum allocator {
	ALLOCATOR_NONE,	  /* does not allocate, as far as is known */
	ALLOCATOR_DIRECT, /* calls malloc itself, from places of its own */
	ALLOCATOR_DISTANT /* by way of code without hooks, or it waits in libc: only its
			     frame tells */
};

struct allocator_place {
	uint64_t return_address; /* 0: free */
	uint64_t function;	 /* 0: not known (any more); 1: of several */
};

#define ALLOCATOR_SEVERAL 1u

extern hidden struct allocator_place allocator_places[ALLOCATOR_ENTRIES];

static inline uint32_t allocator_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> (64 - ALLOCATOR_BITS));
}

/* The function that calls an allocation function from the place before this address; 0:
 * none that is known, or several. */
static inline uint64_t allocators_function(uint64_t return_address)
{
	uint32_t at = allocator_hash(return_address);

	for (; allocator_places[at].return_address; at = (at + 1) % ALLOCATOR_ENTRIES) {
		if (allocator_places[at].return_address == return_address)
			return allocator_places[at].function & ~1ull;
	}
	return 0;
}

/* It calls malloc from there, or by way of others. Returns another function that the
 * place has been believed to be of, which is a distant one from here on like this one;
 * or 0. */
uint64_t allocators_note_place(uint64_t return_address, uint64_t function);
void allocators_note_distant(uint64_t function);

enum allocator allocators_kind(uint64_t function);

/* [low, high) has been unmapped. Nobody runs there. */
void allocators_forget(uint64_t low, uint64_t high);
