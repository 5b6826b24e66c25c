/* SPDX-License-Identifier: MIT */
/*
 * The books of allocation sites and of the global peak. Runs on: traced threads; not
 * inside itself (the caller holds BUSY_BOOKS).
 *
 * EXACT SHARES OF THE PEAK
 *
 * The process keeps one word pair {below_peak, peak_generation}. An allocation larger
 * than below_peak makes a new peak: below_peak becomes 0, the generation goes up by
 * one. Anything else changes below_peak only, and before it changes its site it saves
 * the site's live bytes as the share of the current generation's peak, unless they are
 * saved already. At the end a site not touched since the last peak holds just what it
 * held at the peak; the others have it saved. (The idea of a generation is that of MALT
 * and memray; keeping the distance below the peak instead of the live sum makes both
 * fit one compare-exchange.)
 *
 * While the process has one thread these are plain operations. With several, the site
 * is locked around the compare-exchange, so that operations on one site happen in the
 * order of the global word, which makes the shares exact there too.
 */
#pragma once

#include "common/attributes.h"
#include "shim/memory/shadow.h"

/* A new site for a node of a lane: its index. 0: no room (counted). Any context. The
 * functions below are given ids, see struct process. */
uint32_t site_new(uint32_t lane_slot, uint32_t node);

/* Room for thousands of sites more, as far as it can be had. */
void site_reserve(void);

/* The lane's thread has left a hook, which had locked a site, perhaps: that is nobody's
 * then. */
struct lane_context;
void site_unlock_left(struct lane_context *context);

/* A block now lives at the site. reallocated: it is a realloc's result, for which
 * copied_bytes were moved (0: resized in place) of a block of old_bytes. Return the
 * snapshot interval that it was booked in, for its word in the shadow map. */
uint32_t site_allocated(uint32_t site, uint64_t size_bytes);
uint32_t site_reallocated(uint32_t site, uint64_t size_bytes, uint64_t old_bytes,
			  uint64_t copied_bytes);

/* A block of the site is gone; lane_slot: of the thread that freed it. */
void site_released(const struct shadow_block *block, uint32_t lane_slot, int temporary);

/* A realloc failed: the block that site_released() took is there after all. */
void site_restored(const struct shadow_block *block);

/* A block's free was missed, as its address has been handed out again: word is what the
 * shadow map has of it. Counted. */
void site_lose(uint64_t word);
