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
#include "shim/core/process.h"
#include "shim/lane/lane.h"
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

/* Of a realloc: so many bytes of the block of old_bytes were moved; 0: it is in place. */
struct site_resize {
	uint64_t old_bytes, copied_bytes;
};

/* A block now lives at the site. resize: it is a realloc's result; or NULL. Returns the
 * snapshot interval that it was booked in, for its word in the shadow map. */
uint32_t site_allocated(uint32_t site, uint64_t size_bytes,
			const struct site_resize *resize);

/* A block of the site is gone; lane_slot: of the thread that freed it. */
void site_released(const struct shadow_block *block, uint32_t lane_slot, int temporary);

/* A realloc failed: the block that site_released() took is there after all. */
void site_restored(const struct shadow_block *block);

/* A block's free was missed, as its address has been handed out again: word is what the
 * shadow map has of it. Counted. */
void site_lose(uint64_t word);

/*
 * The steps of a site's books (site.h), and those of a process with one thread, inline,
 * for the fast paths of malloc and free. Runs on: traced threads; the caller holds
 * BUSY_BOOKS.
 */

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

/*
 * What a signal handler did to the books of an allocation site while the code it
 * interrupted was at them. Runs on: the lane's thread: deferred_add() in a handler,
 * deferred_book() at the end of the interrupted hook. Must not call libc or lock more
 * than a site.
 *
 * The interrupted hook may hold the lock of the very site, or be half way through its
 * numbers. So the handler's hook does everything but that (the block's word, the path,
 * the site itself) and leaves a note.
 */

enum deferred_kind {
	DEFERRED_ALLOCATED,
	DEFERRED_REALLOCATED,
	DEFERRED_RELEASED,
	DEFERRED_RESTORED,
};

struct deferred {
	enum deferred_kind kind;
	int is_temporary; /* RELEASED */
	struct shadow_block block;
	struct site_resize resize; /* REALLOCATED */
};

/* Leaves a note. 0, or -ENOSPC: LANE_DEFERRED notes are waiting. */
int deferred_add(struct lane_context *context, const struct deferred *note);

/* Room for notes in advance. */
void deferred_reserve(struct lane_context *context);

/* Books the notes. BUSY_BOOKS is not held. */
void deferred_book(struct lane_context *context);
