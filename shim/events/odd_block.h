/* SPDX-License-Identifier: MIT */
/*
 * The steps of booking an allocation. For the allocation hooks only. Runs on: traced
 * threads, any context.
 */
#pragma once

#include "shim/budget/counting.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/lane.h"
#include "shim/memory/shadow.h"
#include "shim/memory/site.h"
#include "shim/events/context.h"
#include "shim/events/events.h"
#include "shim/stacks/stack.h"
#include "shim/stacks/walk.h"

/* The context to record with, busy from here on; NULL: do not record. */
static inline struct lane_context *booking_begin(void)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

	if (unlikely(!context_is_settled(context, stack))) {
		context = context_settle(stack);
		if (!context)
			return NULL;
	}
	return busy_take(context, BUSY_BOOKS, stack) ? context : NULL;
}

static inline void booking_end(struct lane_context *context)
{
	busy_give(context, BUSY_BOOKS);
	__asm__ volatile("" : : : "memory"); /* from here on handlers do not defer */
	if (unlikely(context->deferred_count))
		deferred_book(context);
}

static inline uint32_t booking_site_of(struct lane_context *context, uint32_t node)
{
	uint32_t *site = &context->nodes[node].site;

	if (unlikely(!*site)) {
		*site = site_new(context->slot, node);
		if (!*site)
			return 0;
	}
	return *site + process->site_bias;
}

/* The site of this call; 0: no room. */
static inline uint32_t booking_site(struct lane_context *context,
				    const struct stack_caller *caller)
{
	if (paused_is_on())
		return booking_site_of(context, region_paused_node(context));
	return booking_site_of(context, stack_node(context, caller));
}

/* Makes room for a new block in the map. NULL: no room; the block must not be booked
 * either, since its free will not be recognized. */
static inline uint64_t *booking_room(struct lane_context *context, void *block,
				     uint64_t size)
{
	uint64_t *word = shadow_room((uintptr_t)block, size);

	if (unlikely(!word)) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return NULL;
	}
	if (unlikely(*word))
		site_lose(*word);
	context->last_blocks[1] = context->last_blocks[0];
	context->last_blocks[0] = (uintptr_t)block;
	return word;
}

/* Books a block and enters it into the map, with the snapshot interval of the books: so
 * the blocks born between two snapshots are exactly the difference of the counts. Ends
 * the booking. */
void booking_book(struct lane_context *context, void *block, uint64_t size,
		  const struct stack_caller *caller, const struct site_resize *resize);

/*
 * Blocks that no hook can book: those of threads without a lane, and those of a signal
 * handler that interrupts an allocation hook. Runs on: traced threads, any context; slow
 * paths.
 */

/* An allocation when no hook may book: the tool's own, one in a handler that
 * interrupts a hook, one without a lane. */
void odd_block_made(void *block, uint64_t size, const struct stack_caller *caller,
		    const struct site_resize *resize);

/* A free by a thread without a lane. */
void odd_block_freed(const struct shadow_block *block);

/* Notes what a handler did in the middle of a hook. Returns 0 when there is no room. */
int odd_block_note(struct lane_context *context, enum deferred_kind kind,
		   const struct shadow_block *block, const struct site_resize *resize,
		   int temporary);
