/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what must hold between the map of live blocks and the books of sites.
 * Runs on:       tests, in the process that records.
 * Must not:      be asked for the map of another process.
 * See also:      tests/stress/check.h; shim/memory/shadow.h
 */
#include <stdlib.h>

#include "shim/memory/shadow.h"
#include "tests/stress/check.h"

typedef unsigned long long ull;

/* What the shadow map says of each site. */
struct tally {
	uint64_t *counts, *bytes;
	uint32_t first, end; /* sites of this process */
};

static void tally_region(struct check *check, const uint64_t *region, uint64_t number,
			 const struct tally *tally)
{
	uint64_t words = 1ull << SHADOW_REGION_SHIFT >> shadow_grain_shift;

	for (uint64_t i = 0; i < words; i++) {
		uint32_t site = (uint32_t)(region[i] & (SHADOW_SITE_LIMIT - 1));
		uint64_t size = region[i] >> 24 & SHADOW_SIZE_LARGE;

		if (!region[i])
			continue;
		if (size == SHADOW_SIZE_LARGE && i + 1 < words)
			size = region[++i];
		if (site == SHADOW_SITE_TOOL || (site && site < tally->first))
			continue; /* our own, or the parent's */
		if (!check_that(check, site && site < tally->end,
				"block %#llx: no site %u",
				(ull)((number << SHADOW_REGION_SHIFT) +
				      (i << shadow_grain_shift)),
				site))
			continue;
		tally->counts[site]++;
		tally->bytes[site] += size;
	}
}

void check_shadow(struct check *check, uint32_t slot)
{
	const struct segment_process *process = check_process_at(check, slot);
	const struct segment_site *sites = check_sites_at(check, slot);
	struct tally tally;

	if (!sites || !check_that(check, shadow_directory != NULL, "no shadow map"))
		return;
	tally = (struct tally){
		.counts = calloc(process->sites.count + 1, sizeof(uint64_t)),
		.bytes = calloc(process->sites.count + 1, sizeof(uint64_t)),
		.first = process->sites.first,
		.end = process->sites.count,
	};
	if (!tally.counts || !tally.bytes)
		abort();
	for (uint64_t i = 0; i < SHADOW_REGIONS; i++) {
		if (shadow_directory[i])
			tally_region(check, shadow_directory[i], i, &tally);
	}
	for (uint32_t i = process->sites.first ? process->sites.first : 1;
	     i < process->sites.count; i++) {
		const struct segment_site *site = &sites[i];

		check_that(check,
			   tally.counts[i] == site->alloc_count - site->free_count &&
				   tally.bytes[i] == site->alloc_bytes - site->free_bytes,
			   "site %u: %llu blocks of %llu bytes are mapped, %llu of %llu "
			   "booked",
			   i, (ull)tally.counts[i], (ull)tally.bytes[i],
			   (ull)(site->alloc_count - site->free_count),
			   (ull)(site->alloc_bytes - site->free_bytes));
	}
	free(tally.counts);
	free(tally.bytes);
}
