/* SPDX-License-Identifier: MIT */
/*
 * Under which number calls from a site are counted, where a function has more callers
 * than its stub compares: one hash table for all. The code of the stubs looks here
 * itself, without a lock, so what stands where and how it is hashed is written down
 * twice: here and in stubs.c. Runs on: under the process lock; looking: any context. A
 * forked child has its parent's.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* key 0: none. offset: of the number's count in a thread's counts. */
struct edge {
	uint64_t key, offset;
};

/* mask: (entries - 1) * sizeof(struct edge). Behind the last entry come as many as a
 * search goes on to, so it need not begin anew. */
struct edge_table {
	uint64_t mask, used;
	struct edge edges[];
};

#define EDGE_PROBES 4u
#define EDGE_HASH 0x9e3779b97f4a7c15ull /* times the key, from bit 32 on */
#define EDGE_SITE_BITS 47u		/* of an address of a program */

/* Never NULL; replaced by one of twice the size. What it replaces stays: a thread may be
 * looking there, and all of them together are no larger than the last. */
extern hidden struct edge_table *edge_table;

/* place: of the function, see stubs.h. */
static inline uint64_t edge_key(uint32_t place, uintptr_t site)
{
	return ((uint64_t)place << EDGE_SITE_BITS) + site;
}

/* Calls from this site are counted under the number from now on. What cannot be put in
 * for want of memory is asked for at each call. */
void edge_table_put(uint32_t place, uintptr_t site, uint32_t number);

/* The number; 0: it is not there. */
uint32_t edge_table_find(uint32_t place, uintptr_t site);

/* Other code may come to [low, high). */
void edge_table_forget(uintptr_t low, uintptr_t high);
