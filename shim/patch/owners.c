/* SPDX-License-Identifier: MIT */
/*
 * An array in pieces, and an index of numbers. An owner is listed by function, host and
 * site; one of a host also by host alone. Those whose objects are not mapped are not
 * listed: others may have their addresses. Runs on: as owners.h says.
 */
#include "shim/patch/owners.h"

#include "common/attributes.h"
#include "shim/core/process.h"
#include "shim/patch/numbers.h"

#define CHUNK_OWNERS 1024u
#define GRANULES 4096u /* of 2 MiB: a bit for each, and for those that far apart */
#define GRANULE_SHIFT 21u

static struct site_owner *chunks[SEGMENT_MODE_LIMIT / CHUNK_OWNERS];
static struct numbers *listed = &numbers_none;
static uint64_t granules[GRANULES / 64];
static uint32_t *numbers_of_places, place_count;

struct site_owner *owners_at(uint32_t number)
{
	return &chunks[number / CHUNK_OWNERS][number % CHUNK_OWNERS];
}

static uint64_t key_of(uint64_t function, uint64_t host, uint64_t site)
{
	return function + host * 0xc2b2ae3d27d4eb4full + site * 0x165667b19e3779f9ull;
}

uint32_t cold owners_find(uint64_t function, uint64_t host, uint64_t site)
{
	uint32_t number = numbers_find(&listed, key_of(function, host, site));
	const struct site_owner *owner = number ? owners_at(number) : NULL;

	return owner && owner->function == function && owner->host == host &&
			       owner->site == site
		       ? number
		       : 0;
}

int cold owners_have_host(uint64_t host)
{
	uint32_t number = numbers_find(&listed, key_of(0, host, 0));

	return number && owners_at(number)->host == host;
}

int cold owners_may_be_in(uint64_t low, uint64_t high)
{
	if (high - low >= (uint64_t)GRANULES << GRANULE_SHIFT)
		return 1;
	for (uint64_t at = low >> GRANULE_SHIFT; at <= high >> GRANULE_SHIFT; at++) {
		if (granules[at % GRANULES / 64] >> at % 64 & 1)
			return 1;
	}
	return 0;
}

int owners_list(uint32_t number)
{
	const struct site_owner *owner = owners_at(number);

	return !owner->function ||
	       (numbers_put(&listed, key_of(owner->function, owner->host, owner->site),
			    number) &&
		(!owner->host || owners_have_host(owner->host) ||
		 numbers_put(&listed, key_of(0, owner->host, 0), number)));
}

int owners_add(const struct site_owner *owner)
{
	uint64_t granule = owner->address >> GRANULE_SHIFT;
	struct site_owner **chunk = &chunks[owner->number / CHUNK_OWNERS];

	if (!*chunk) {
		*chunk = process_map(CHUNK_OWNERS * sizeof(**chunk), 0);
		process_count(SEGMENT_COUNTER_TOOL_BYTES,
			      *chunk ? CHUNK_OWNERS * sizeof(**chunk) : 0);
	}
	if (!*chunk)
		return 0;
	*owners_at(owner->number) = *owner;
	if (!owners_list(owner->number))
		return 0;
	granules[granule % GRANULES / 64] |= 1ull << granule % 64;
	if (owner->own != owner->number) {
		owners_at(owner->number)->next_part = owners_at(owner->own)->next_part;
		/* release: what is listed is whole */
		__atomic_store_n(&owners_at(owner->own)->next_part, owner->number,
				 __ATOMIC_RELEASE);
	}
	return 1;
}

/* 0: there are no more, or no memory for them. */
static uint32_t take_place(uint32_t number)
{
	if (!numbers_of_places)
		numbers_of_places =
			process_map(SEGMENT_MODE_LIMIT * sizeof(*numbers_of_places), 0);
	if (!numbers_of_places || place_count + 1 == SEGMENT_MODE_LIMIT)
		return 0;
	numbers_of_places[++place_count] = number;
	return place_count;
}

struct stub_entry owners_stub(uint32_t number)
{
	struct site_owner *owner = owners_at(number);

	if (!owner->place)
		owner->place = take_place(number);
	return (struct stub_entry){.function = owner->address,
				   .number = number,
				   .place = owner->place,
				   .has_edges = owners_have_edges(owner) &&
						owner->place < STUB_EDGE_PLACES};
}

uint32_t owners_at_place(uint32_t place)
{
	return place && place <= place_count ? numbers_of_places[place] : 0;
}
