/* SPDX-License-Identifier: MIT */
/*
 * The steps of a site's books (site.h), and those of a process with one thread, inline,
 * for the fast paths of malloc and free. Runs on: traced threads; the caller holds
 * alloc_busy.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/memory/shadow.h"

/* Before a change: what the site held at the peak, unless it has been saved. */
static inline void site_save_share(struct segment_site *site, uint64_t generation)
{
	if (site->peak_generation == generation)
		return;
	site->at_peak_bytes = site->alloc_bytes - site->free_bytes;
	site->at_peak_count = site->alloc_count - site->free_count;
	site->peak_generation = generation;
}

static inline void site_add_block(struct segment_site *site, uint64_t size)
{
	uint64_t live;

	site->alloc_count++;
	site->alloc_bytes += size;
	live = site->alloc_bytes - site->free_bytes;
	if (live > site->peak_bytes)
		site->peak_bytes = live;
	if (unlikely(size > site->largest_bytes))
		site->largest_bytes = size;
}

static inline void site_take_block(struct segment_site *site, uint64_t size,
				   uint32_t lane_slot, int temporary)
{
	site->free_count++;
	site->free_bytes += size;
	if (temporary)
		site->temporary_count++;
	if (unlikely(lane_slot != site->lane_slot))
		site->cross_thread_free_count++;
}

/* Has the site been changed since the last snapshot? acquire: pairs with the release in
 * history_end(). */
static inline int site_is_of_interval(const struct segment_process *segment,
				      const struct segment_site *site)
{
	return site->interval ==
	       __atomic_load_n(&segment->snapshot_interval, __ATOMIC_ACQUIRE);
}

/* A block more, a block less, of a site of this interval. The process has one thread. */
static inline void site_allocated_alone(struct segment_process *segment,
					struct segment_site *site, uint64_t size)
{
	uint64_t below = segment->below_peak;

	if (likely(size <= below)) {
		segment->below_peak = below - size;
		site_save_share(site, segment->peak_generation);
	} else {
		segment->below_peak = 0;
		segment->peak_generation++;
		segment->peak_bytes += size - below;
	}
	site_add_block(site, size);
}

static inline void site_released_alone(struct segment_process *segment,
				       struct segment_site *site, uint64_t size,
				       uint32_t lane_slot, int temporary)
{
	segment->below_peak += size;
	site_save_share(site, segment->peak_generation);
	site_take_block(site, size, lane_slot, temporary);
}
