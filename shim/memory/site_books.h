/* SPDX-License-Identifier: MIT */
/*
 * The steps of a site's books (site.h), and those of a process with one thread, inline,
 * for the fast paths of malloc and free. Runs on: traced threads; the caller holds
 * BUSY_BOOKS.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/lane/lane.h"
#include "shim/memory/shadow.h"

struct site_peak_word {
	uint64_t below, generation;
};

/* acquire: pairs with the release in site_unlock() */
static inline int site_try_lock(struct segment_site *site)
{
	return !__atomic_exchange_n(&site->lock, 1, __ATOMIC_ACQUIRE);
}

static inline void site_unlock(struct segment_site *site)
{
	__atomic_store_n(&site->lock, 0, __ATOMIC_RELEASE);
}

/* What a thread has of sites, for who finds that it has left a hook: which it wanted, and
 * whether it had it. Only between the exchange and the note behind it, and from the note
 * to the store that unlocks, is that not certain. */
static inline void site_note_wanted(struct lane_context *context, uint32_t id)
{
	context->locked_site = id;
	__asm__ volatile("" : : : "memory");
}

static inline void site_note_locked(struct lane_context *context)
{
	__asm__ volatile("" : : : "memory");
	context->has_site = 1;
	__asm__ volatile("" : : : "memory");
}

static inline void site_note_unlocked(struct lane_context *context)
{
	__asm__ volatile("" : : : "memory");
	context->has_site = 0;
	__asm__ volatile("" : : : "memory");
}

static inline struct site_peak_word site_next_word(struct site_peak_word old,
						   uint64_t size, int grows)
{
	struct site_peak_word word = old;

	if (!grows) {
		word.below += size;
	} else if (size <= old.below) {
		word.below -= size;
	} else {
		word.below = 0;
		word.generation++;
	}
	return word;
}

/* cmpxchg16b itself: the compiler would call libatomic. Returns true when exchanged,
 * else *old is what stands there. */
static inline int site_exchange_word(uint64_t *at, struct site_peak_word *old,
				     struct site_peak_word word)
{
	char exchanged;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(exchanged), "+m"(*(struct site_peak_word *)at),
			   "+a"(old->below), "+d"(old->generation)
			 : "b"(word.below), "c"(word.generation)
			 : "memory");
	return exchanged;
}

/* Applies the change to the global word. Returns the word after it; a new peak shows as
 * *ret_new_peak. */
static inline struct site_peak_word site_change_word(struct segment_process *segment,
						     uint64_t size, int grows, int alone,
						     int *ret_new_peak)
{
	struct site_peak_word old = {segment->below_peak, segment->peak_generation}, word;

	if (alone) {
		word = site_next_word(old, size, grows);
		segment->below_peak = word.below;
		segment->peak_generation = word.generation;
	} else {
		do {
			word = site_next_word(old, size, grows);
		} while (!site_exchange_word(&segment->below_peak, &old, word));
	}
	*ret_new_peak = word.generation != old.generation;
	if (*ret_new_peak) {
		if (alone)
			segment->peak_bytes += size - old.below;
		else /* relaxed: sums commute; readers want the end value */
			__atomic_fetch_add(&segment->peak_bytes, size - old.below,
					   __ATOMIC_RELAXED);
	}
	return word;
}

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

/* A block more, a block less, of a site of this interval; alone: the process has one
 * thread, else the site is locked. */
static inline __attribute__((always_inline)) void
site_allocated_at_once(struct segment_process *segment, struct segment_site *site,
		       uint64_t size, int alone)
{
	int is_peak;
	struct site_peak_word word = site_change_word(segment, size, 1, alone, &is_peak);

	if (!is_peak)
		site_save_share(site, word.generation);
	site_add_block(site, size);
}

static inline __attribute__((always_inline)) void
site_released_at_once(struct segment_process *segment, struct segment_site *site,
		      uint64_t size, uint32_t lane_slot, int temporary, int alone)
{
	int is_peak;
	struct site_peak_word word = site_change_word(segment, size, 0, alone, &is_peak);

	site_save_share(site, word.generation);
	site_take_block(site, size, lane_slot, temporary);
}
