/* SPDX-License-Identifier: MIT */
/*
 * Numbers by keys of 64 bits: hash tables that are read without a lock. The stubs read
 * one themselves, so its layout and hash are coded twice: here and in stubs.c. Runs on:
 * traced threads; writing: under the process lock; looking: any context. A forked child
 * inherits them.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* key 0: free. offset: of the number's count in a thread's counts. */
struct numbered {
	uint64_t key, offset;
};

/* mask: (entries - 1) * sizeof(struct numbered). NUMBERS_PROBES entries follow the last
 * one, so no search has to wrap around. */
struct numbers {
	uint64_t mask, used;
	struct numbered entries[];
};

#define NUMBERS_PROBES 4u
#define NUMBERS_HASH 0x9e3779b97f4a7c15ull /* the hash: key * this >> 32 */

/* What a table begins with. It is replaced by one of twice the size; the old one is kept:
 * a thread may be looking there, and all old ones together are no larger than the last.
 */
extern hidden struct numbers numbers_none;

/* Gives the key, which is not 0, this number from now on. 0: there is no room. */
int numbers_put(struct numbers **in, uint64_t key, uint32_t number);

/* The number; 0: it is not there. */
uint32_t numbers_find(struct numbers *const *in, uint64_t key);

/* Forgets the keys with an address in [low, high), where other code may be mapped. */
void numbers_forget(struct numbers *in, uintptr_t low, uintptr_t high);

/* The number for calls from a site, for functions with more callers than their stub
 * compares. Without memory for it, each call asks again. */
extern hidden struct numbers *edge_numbers;

#define NUMBERS_ADDRESS_BITS 47u /* of a key: an address of a program */

/* place: of the function, see stubs.h. */
static inline uint64_t edge_key(uint32_t place, uintptr_t site)
{
	return ((uint64_t)place << NUMBERS_ADDRESS_BITS) + site;
}
