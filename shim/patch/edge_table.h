/* SPDX-License-Identifier: MIT */
/*
 * The number for calls from a site, for functions with more callers than their stub
 * compares: one hash table for all. The stubs read it themselves, without a lock, so its
 * layout and hash are coded twice: here and in stubs.c. Runs on: traced threads; writing:
 * under the process lock; looking: any context. A forked child inherits it.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* key 0: free. offset: of the number's count in a thread's counts. */
struct edge {
	uint64_t key, offset;
};

/* mask: (entries - 1) * sizeof(struct edge). EDGE_PROBES entries follow the last one, so
 * no search has to wrap around. */
struct edge_table {
	uint64_t mask, used;
	struct edge edges[];
};

#define EDGE_PROBES 4u
#define EDGE_HASH 0x9e3779b97f4a7c15ull /* the hash: key * this >> 32 */
#define EDGE_SITE_BITS 47u		/* of an address of a program */

/* Never NULL; replaced by one of twice the size. The old one is kept: a thread may be
 * looking there, and all old ones together are no larger than the last. */
extern hidden struct edge_table *edge_table;

/* place: of the function, see stubs.h. */
static inline uint64_t edge_key(uint32_t place, uintptr_t site)
{
	return ((uint64_t)place << EDGE_SITE_BITS) + site;
}

/* Counts calls from this site under the number from now on. Without memory for it, each
 * call asks again. */
void edge_table_put(uint32_t place, uintptr_t site, uint32_t number);

/* The number; 0: it is not there. */
uint32_t edge_table_find(uint32_t place, uintptr_t site);

/* Forgets the sites in [low, high), where other code may be mapped. */
void edge_table_forget(uintptr_t low, uintptr_t high);
