/* SPDX-License-Identifier: MIT */
/*
 * An array in pieces, and an index of numbers with open addressing. A half full index is
 * copied to one of twice the size and kept: somebody may be looking there, and all old
 * ones together are no larger than the last. Runs on: as owners.h says.
 *
 * An owner is listed by function, host and site; the first one of a host also by host
 * alone.
 */
#include "shim/patch/owners.h"

#include "common/attributes.h"
#include "shim/core/process.h"

#define CHUNK_OWNERS 1024u
#define FIRST_NUMBERS 4096u
#define GRANULES 4096u /* of 2 MiB: a bit for each, and for those that far apart */
#define GRANULE_SHIFT 21u

struct numbers {
	uint32_t mask;
	uint32_t used;
	uint32_t numbers[];
};

static struct site_owner *chunks[SEGMENT_MODE_LIMIT / CHUNK_OWNERS];
static uint32_t owner_count;
static struct numbers *listed; /* atomic */
static uint64_t granules[GRANULES / 64];
static uint32_t *numbers_of_places, place_count;

struct site_owner *owners_at(uint32_t number)
{
	return &chunks[number / CHUNK_OWNERS][number % CHUNK_OWNERS];
}

static uint32_t place_of(const struct numbers *in, uint64_t function, uint64_t host,
			 uint64_t site)
{
	uint64_t hash =
		(function + host * 0xc2b2ae3d27d4eb4full + site * 0x165667b19e3779f9ull) *
		0x9e3779b97f4a7c15ull;

	return (uint32_t)(hash >> 32) & in->mask;
}

/* acquire: pairs with the releases below; what is listed is whole */
static const struct numbers *load_listed(void)
{
	return __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
}

static uint32_t load_number(const struct numbers *in, uint32_t at)
{
	return __atomic_load_n(&in->numbers[at], __ATOMIC_ACQUIRE);
}

uint32_t cold owners_find(uint64_t function, uint64_t host, uint64_t site)
{
	const struct numbers *in = load_listed();
	const struct site_owner *owner;
	uint32_t at, number;

	if (!in)
		return 0;
	for (at = place_of(in, function, host, site); (number = load_number(in, at));
	     at = (at + 1) & in->mask) {
		owner = owners_at(number);
		if (owner->function == function && owner->host == host &&
		    owner->site == site)
			return number;
	}
	return 0;
}

static int has_host(const struct numbers *in, uint64_t host)
{
	uint32_t at, number;

	for (at = place_of(in, 0, host, 0); (number = load_number(in, at));
	     at = (at + 1) & in->mask) {
		if (owners_at(number)->host == host)
			return 1;
	}
	return 0;
}

int cold owners_have_host(uint64_t host)
{
	const struct numbers *in = load_listed();

	return in && has_host(in, host);
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

static void put(struct numbers *in, uint32_t at, uint32_t number)
{
	while (in->numbers[at])
		at = (at + 1) & in->mask;
	in->used++;
	__atomic_store_n(&in->numbers[at], number, __ATOMIC_RELEASE);
}

/* Lists by the last address if the object is not mapped now. */
static void list(struct numbers *in, uint32_t number)
{
	const struct site_owner *owner = owners_at(number);
	uint64_t host = owner->host & SEGMENT_KEY_ADDRESS_MASK;
	uint64_t site = owner->site & SEGMENT_KEY_ADDRESS_MASK;

	put(in, place_of(in, owner->address, host, site), number);
	if (host && !has_host(in, host))
		put(in, place_of(in, 0, host, 0), number);
}

/* Room for two more. 0: there is none. */
static int make_room(void)
{
	uint32_t count = listed ? (listed->mask + 1) * 2 : FIRST_NUMBERS;
	struct numbers *more;

	if (listed && listed->used + 2 <= listed->mask / 2)
		return 1;
	more = process_map(sizeof(*more) + count * sizeof(more->numbers[0]), 0);
	if (!more)
		return 0;
	process_count(SEGMENT_COUNTER_TOOL_BYTES, count * sizeof(more->numbers[0]));
	more->mask = count - 1;
	for (uint32_t i = 1; i <= owner_count; i++)
		list(more, i);
	__atomic_store_n(&listed, more, __ATOMIC_RELEASE);
	return 1;
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
	if (!*chunk || !make_room())
		return 0;
	*owners_at(owner->number) = *owner;
	owner_count = owner->number;
	granules[granule % GRANULES / 64] |= 1ull << granule % 64;
	list(listed, owner->number);
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
