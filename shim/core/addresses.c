/* SPDX-License-Identifier: MIT */
/* Hash tables that are half full at most when they are made. Runs on: as addresses.h
 * says. */
#include "shim/core/addresses.h"

#include <stddef.h>

#include "shim/core/process.h"

#define FEWEST_PLACES 64u

static uint64_t bytes_of(uint64_t places)
{
	return sizeof(struct addresses) + places * sizeof(uint64_t);
}

struct addresses *addresses_new(uint64_t count)
{
	struct addresses *set;
	uint64_t places = FEWEST_PLACES;

	while (places < count * 2)
		places *= 2;
	set = process_map(bytes_of(places), 0);
	if (set)
		set->mask = places - 1;
	return set;
}

void addresses_free(struct addresses *set)
{
	if (set)
		process_unmap(set, bytes_of(set->mask + 1));
}

/* Where it is, or the free place that ends its search: there always is one. */
static uint64_t place_of(const struct addresses *set, uint64_t address)
{
	uint64_t at = (address * 0x9e3779b97f4a7c15ull >> 32) & set->mask;

	while (set->at[at] && set->at[at] != address)
		at = (at + 1) & set->mask;
	return at;
}

uint64_t addresses_put(struct addresses *set, uint64_t address)
{
	uint64_t at = place_of(set, address);

	if (!set->at[at]) {
		if (set->count == set->mask)
			return UINT64_MAX;
		set->at[at] = address;
		set->count++;
	}
	return at;
}

int addresses_have(const struct addresses *set, uint64_t address)
{
	return set->at[place_of(set, address)] == address;
}
