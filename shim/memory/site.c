/* SPDX-License-Identifier: MIT */
/*
 * The books of allocation sites and of the global peak. Runs on: traced threads, any
 * context but its own (BUSY_BOOKS).
 */
#include "shim/memory/site.h"

#include <errno.h>
#include <sys/single_threaded.h>

#include "shim/core/gate.h"
#include "shim/lane/busy.h"
#include "shim/memory/site_past.h"

#define RESERVED_SITES 2048u /* 256 KiB */

/* Pages for sites [0, end). Under the lock. */
static void commit_sites(uint32_t end)
{
	uint32_t most = end + array_kinds[ARRAY_SITES].most;

	if (end >= process->segment->sites.capacity ||
	    most + process->site_bias >= SHADOW_SITE_TOOL)
		process->site_refused = 1;
	else
		process_grow(process->segment, process->slot, ARRAY_SITES, end);
}

/* Without the lock it is a guess, hence relaxed. */
static int no_site_left(void)
{
	return __atomic_load_n(&process->site_next, __ATOMIC_RELAXED) >=
	       __atomic_load_n(&process->segment->sites.committed, __ATOMIC_RELAXED);
}

void site_reserve(void)
{
	uint64_t mask;

	if (!process_lock(&mask))
		return;
	if (!process->site_refused)
		commit_sites(process->site_next + RESERVED_SITES);
	process_unlock(&mask);
}

uint32_t cold site_new(uint32_t lane_slot, uint32_t node)
{
	struct segment_process *segment = process->segment;
	struct segment_site *site;
	uint32_t index = 0;
	uint64_t mask;

	/* spares a program on a full disk two calls for each allocation */
	if (no_site_left() && !process_may_grow())
		return 0;
	if (!process_lock(&mask))
		return 0;
	if (no_site_left() && !process->site_refused)
		commit_sites(process->site_next + 1);
	if (!no_site_left()) {
		index = process->site_next;
		__atomic_store_n(&process->site_next, index + 1, __ATOMIC_RELAXED);
		site = &process->sites[index + process->site_bias];
		site->node = node;
		site->lane_slot = lane_slot;
		site->interval =
			__atomic_load_n(&segment->snapshot_interval, __ATOMIC_ACQUIRE);
		arrays_publish(&segment->sites, index + 1);
		process_facts.site_end = index + 1 + process->site_bias;
	}
	process_unlock(&mask);
	return index;
}

/* 2 s at the least. Who has it is without a CPU as long as the others take that are
 * runnable, too: of 64 threads on two CPUs more than 0.1 s. */
#define LOCK_STEPS (GATE_WAIT_SPINS + 20000)

/* Whoever has it may be a thread of less priority, which others keep from its CPU for
 * good: it is not waited for for ever, nor again. Then both write to the books, which may
 * lack what the one or the other adds. Returns what unlock_site() is given. */
static int lock_site(struct segment_site *site)
{
	static struct segment_site *stuck;
	struct lane_context *context = lane_own();

	if (likely(context))
		site_note_wanted(context, (uint32_t)(site - process->sites));
	for (int i = 0; !site_try_lock(site); i++) {
		/* relaxed: a guess how long to wait */
		if (i >= LOCK_STEPS ||
		    (i >= GATE_WAIT_SPINS &&
		     __atomic_load_n(&stuck, __ATOMIC_RELAXED) == site)) {
			__atomic_store_n(&stuck, site, __ATOMIC_RELAXED);
			process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
			return 0;
		}
		gate_wait(i);
	}
	if (likely(context))
		site_note_locked(context);
	if (unlikely(__atomic_load_n(&stuck, __ATOMIC_RELAXED) == site))
		__atomic_store_n(&stuck, NULL, __ATOMIC_RELAXED);
	return 1;
}

/* Where it is not certain whose it is, it is waited for as long as for any. */
void cold site_unlock_left(struct lane_context *context)
{
	uint32_t index = context->locked_site;
	struct segment_site *site = &process->sites[index];
	int is_own = context->has_site != 0;

	context->has_site = 0;

	/* else it is a site of the process that this one was forked from, or none */
	if (index - process->site_bias >=
	    __atomic_load_n(&process->site_next, __ATOMIC_RELAXED))
		return;
	for (int i = 0; !is_own && !site_try_lock(site) && i < LOCK_STEPS; i++)
		gate_wait(i);
	site_unlock(site);
}

static inline void unlock_site(struct segment_site *site, int is_locked)
{
	struct lane_context *context = lane_own();

	if (unlikely(!is_locked))
		return;
	if (likely(context))
		site_note_unlocked(context);
	site_unlock(site);
}

/* Before any change of a site: what it held at the snapshots since its last one. acquire:
 * pairs with the release in history_end(). */
static inline void catch_up(struct segment_site *site)
{
	uint32_t interval =
		__atomic_load_n(&process->segment->snapshot_interval, __ATOMIC_ACQUIRE);

	if (unlikely(site->interval != interval))
		site_past_keep(site, (uint32_t)(site - process->sites), interval);
}

/* A change of a site's books, which the others do not see in between. */
struct change {
	struct segment_site *site;
	struct site_peak_word word; /* after it */
	int is_locked, is_peak;
};

static inline struct change begin_change(uint32_t index, uint64_t size, int grows)
{
	struct change change = {.site = &process->sites[index]};
	int alone = __libc_single_threaded;

	if (!alone)
		change.is_locked = lock_site(change.site);
	change.word =
		site_change_word(process->segment, size, grows, alone, &change.is_peak);
	if (!change.is_peak)
		site_save_share(change.site, change.word.generation);
	catch_up(change.site);
	return change;
}

/* Returns the interval that it was booked in. */
static inline uint32_t end_change(const struct change *change)
{
	uint32_t interval = change->site->interval;

	unlock_site(change->site, change->is_locked);
	return interval;
}

uint32_t site_allocated(uint32_t index, uint64_t size_bytes,
			const struct site_resize *resize)
{
	struct change change = begin_change(index, size_bytes, 1);
	struct segment_site *site = change.site;

	site_add_block(site, size_bytes);
	if (resize) {
		site->realloc_count++;
		site->realloc_old_bytes += resize->old_bytes;
		site->realloc_copied_bytes += resize->copied_bytes;
	}
	return end_change(&change);
}

void site_released(const struct shadow_block *block, uint32_t lane_slot, int temporary)
{
	struct change change = begin_change(block->site, block->size_bytes, 0);

	if (unlikely(block->interval != change.site->interval))
		site_past_add_free(block, change.site->interval, 1);
	site_take_block(change.site, block->size_bytes, lane_slot, temporary);
	end_change(&change);
}

void site_restored(const struct shadow_block *block)
{
	struct change change = begin_change(block->site, block->size_bytes, 1);

	if (unlikely(block->interval != change.site->interval))
		site_past_add_free(block, change.site->interval, -1);
	change.site->free_count--;
	change.site->free_bytes -= block->size_bytes;
	end_change(&change);
}

void cold site_lose(uint64_t word)
{
	process_count(SEGMENT_COUNTER_LOST_FREES, 1);
	/* its site's books must not keep the block that is certainly gone */
	if ((word & (SHADOW_SITE_LIMIT - 1)) >= process->site_floor) {
		struct shadow_block block = shadow_block_of(word);

		if (block.site && block.site - process->site_bias < process->site_next)
			site_released(&block, 0, 0);
	}
}

/*
 * The notes of interrupting handlers. Runs on: the lane's thread, see site.h.
 *
 * A handler may be interrupted by another one: each takes a place with one instruction
 * and has filled it before it returns to whoever books.
 */

void deferred_reserve(struct lane_context *context)
{
	if (!context->deferred)
		context->deferred =
			process_map(LANE_DEFERRED * sizeof(struct deferred), 1);
}

int deferred_add(struct lane_context *context, const struct deferred *note)
{
	uint32_t one = 1;

	deferred_reserve(context);
	if (!context->deferred || context->deferred_count >= LANE_DEFERRED - 8)
		return -ENOSPC; /* 8: handlers that interrupt each other just here */
	__asm__ volatile("xaddl %0, %1"
			 : "+r"(one), "+m"(context->deferred_count)
			 :
			 : "memory", "cc");
	context->deferred[one] = *note;
	return 0;
}

static void book(struct lane_context *context, const struct deferred *note)
{
	switch (note->kind) {
	case DEFERRED_ALLOCATED:
	case DEFERRED_REALLOCATED:
		site_allocated(note->block.site, note->block.size_bytes,
			       note->kind == DEFERRED_REALLOCATED ? &note->resize : NULL);
		break;
	case DEFERRED_RELEASED:
		site_released(&note->block, context->slot, note->is_temporary);
		break;
	case DEFERRED_RESTORED:
		site_restored(&note->block);
		break;
	}
}

/* Who is left in the middle goes on behind what was booked. */
void cold deferred_book(struct lane_context *context)
{
	while (context->deferred_count) {
		uint32_t count, done;

		context->busy[BUSY_BOOKS] = (uintptr_t)__builtin_frame_address(0);
		for (;;) {
			count = __atomic_load_n(&context->deferred_count,
						__ATOMIC_RELAXED);
			for (; context->deferred_done < count; context->deferred_done++)
				book(context, &context->deferred[context->deferred_done]);
			done = context->deferred_done;
			context->deferred_done = 0;
			/* a handler that adds after the load makes the exchange fail */
			if (__atomic_compare_exchange_n(&context->deferred_count, &count,
							0, 0, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
				break;
			context->deferred_done = done;
		}
		busy_give(context, BUSY_BOOKS);
		__asm__ volatile("" : : : "memory");
	}
}
