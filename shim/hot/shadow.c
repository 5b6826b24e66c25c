/* SPDX-License-Identifier: MIT */
/*
 * What this is:  regions of the shadow map.
 * Runs on:       boot (shadow_begin); traced threads, any context (the rest).
 * Must not:      call libc or lock.
 * See also:      shim/hot/shadow.h
 */
#include "shim/hot/shadow.h"

#include <errno.h>
#include <stddef.h>

#include "shim/hot/process.h"

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
