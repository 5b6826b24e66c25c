/* SPDX-License-Identifier: MIT */
/*
 * Regions of the shadow map. Runs on: boot (shadow_begin); traced threads, any context
 * (the rest). Must not call libc or lock.
 */
#include "shim/memory/shadow.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"

#define RESERVED_REGIONS 4 /* 256 MiB of heap; 32 MiB of address space each */

uint64_t **shadow_directory;
unsigned int shadow_grain_shift = 4;

static uint64_t region_bytes(void)
{
	return (1ull << SHADOW_REGION_SHIFT >> shadow_grain_shift) * sizeof(uint64_t);
}

int shadow_begin(unsigned int grain_shift)
{
	shadow_grain_shift = grain_shift;
	shadow_directory = process_map(SHADOW_REGIONS * sizeof(uint64_t *), 0);
	return shadow_directory ? 0 : -ENOMEM;
}

uint64_t cold *shadow_region_slow(uintptr_t address)
{
	uint64_t **entry = &shadow_directory[address >> SHADOW_REGION_SHIFT];
	uint64_t *region = process_map(region_bytes(), 0), *expected = NULL;

	if (!region) {
		if (gate_is_open())
			process_note(SEGMENT_NOTE_NO_SHADOW);
		return NULL;
	}
	/* Two threads may come at once; the loser's region goes. acq_rel: the words are
	 * zero pages either way, only the pointer is shared. */
	if (!__atomic_compare_exchange_n(entry, &expected, region, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		process_unmap(region, region_bytes());
		return expected;
	}
	return region;
}

/* The block whose word is at `address`. 0: none begins there. */
static int read_block(uintptr_t address, struct shadow_block *ret)
{
	uintptr_t grain = 1ull << shadow_grain_shift;
	const uint64_t *word = shadow_word(address, 0), *before, *after;

	if (!word || !*word)
		return 0;
	/* the second word of a large block is its size, no block */
	before = shadow_word(address - grain, 0);
	if (before && shadow_block_of(*before).size_bytes == SHADOW_SIZE_LARGE)
		return 0;
	*ret = shadow_block_of(*word);
	if (ret->size_bytes == SHADOW_SIZE_LARGE) {
		after = shadow_word(address + grain, 0);
		ret->size_bytes = after ? *after : 0;
	}
	return 1;
}

int shadow_around(uintptr_t address, uintptr_t reach, uintptr_t *ret_start,
		  struct shadow_block *ret)
{
	const uintptr_t region = 1ull << SHADOW_REGION_SHIFT;
	uintptr_t grain = 1ull << shadow_grain_shift, at = address & ~(grain - 1);
	uintptr_t end = address > reach ? address - reach : 0;

	if (!shadow_directory || address >> 47)
		return 0;
	while (at > end) {
		if (read_block(at, ret)) {
			*ret_start = at;
			return address - at < ret->size_bytes;
		}
		if (!shadow_directory[at >> SHADOW_REGION_SHIFT])
			at &= ~(region - 1);
		at -= at ? grain : 0;
	}
	return 0;
}

static int is_unlimited(int resource)
{
	struct rlimit limit;

	return SYSCALL(SYS_prlimit64, 0, resource, 0, &limit, 0, 0) == 0 &&
	       limit.rlim_cur == RLIM_INFINITY;
}

/* False: it has no memory. */
static int reserve_one(uintptr_t region)
{
	return !region || region >= SHADOW_REGIONS || shadow_directory[region] ||
	       shadow_region_slow(region << SHADOW_REGION_SHIFT);
}

/* Regions from the address's own on upwards. */
static void reserve_above(uintptr_t address)
{
	for (uintptr_t i = 0; i < RESERVED_REGIONS; i++)
		reserve_one((address >> SHADOW_REGION_SHIFT) + i);
}

/* The region where the kernel would place a mapping of this size now; 0: nowhere. */
static uintptr_t next_region(uint64_t size)
{
	void *mapped = process_map(size, 0);

	process_unmap(mapped, size);
	return (uintptr_t)mapped >> SHADOW_REGION_SHIFT;
}

/* The regions of holes between mappings, and those below all mappings. A shadow region
 * takes such a place itself, and is half as large as what it is for: so one at a time,
 * and twice as many in the end. */
static void reserve_below(void)
{
	for (unsigned int shift = 12; shift < SHADOW_REGION_SHIFT; shift += 2)
		reserve_one(next_region(1ull << shift));
	for (int i = 0; i < 2 * RESERVED_REGIONS; i++) {
		uintptr_t region = next_region(1ull << SHADOW_REGION_SHIFT);
		uintptr_t end = region > RESERVED_REGIONS ? region - RESERVED_REGIONS : 0;

		while (region > end && shadow_directory[region])
			region--;
		if (region == end || !reserve_one(region))
			return;
	}
}

/* The break grows upwards, mappings are placed downwards. Where address space is limited
 * it is left to the program. */
void shadow_reserve(void)
{
	if (!shadow_directory || !gate_enter())
		return;
	if (is_unlimited(RLIMIT_AS) && is_unlimited(RLIMIT_DATA)) {
		reserve_above((uintptr_t)SYSCALL(SYS_brk, 0, 0, 0, 0, 0, 0));
		reserve_below();
	}
	gate_leave();
}
