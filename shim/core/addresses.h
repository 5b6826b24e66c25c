/* SPDX-License-Identifier: MIT */
/*
 * Sets of addresses, as large as they are made. Runs on: addresses_have(): any context,
 * no lock, once the set is published; the rest: the thread that makes it.
 */
#pragma once

#include <stdint.h>

#define ADDRESSES_DROPPED 1u /* in the place of an address, which may be set to it */

struct addresses {
	uint64_t mask, count;
	uint64_t at[]; /* mask + 1; 0: free */
};

/* Room for at least so many. The caller owns it. NULL: there is no memory. */
struct addresses *addresses_new(uint64_t count);
void addresses_free(struct addresses *set);

/* Adds it if need be; returns its place. UINT64_MAX: there is no room. */
uint64_t addresses_put(struct addresses *set, uint64_t address);

int addresses_have(const struct addresses *set, uint64_t address);
