/* SPDX-License-Identifier: MIT */
/* Blocks that come and go when their thread has no lane, or in the middle of a hook. */
#include "shim/events/odd_block.h"

#include "shim/core/gate.h"

int odd_block_note(struct lane_context *context, enum deferred_kind kind,
		   const struct shadow_block *block, const struct site_resize *resize,
		   int temporary)
{
	struct deferred note = {kind, temporary, *block,
				resize ? *resize : (struct site_resize){0, 0}};

	if (deferred_add(context, &note) == 0)
		return 1;
	process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	return 0;
}

void booking_book(struct lane_context *context, void *block, uint64_t size,
		  const struct stack_caller *caller, const struct site_resize *resize)
{
	uint32_t site = booking_site(context, caller);
	uint64_t *word = site ? booking_room(context, block, size) : NULL;

	if (unlikely(!site))
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	if (likely(word))
		shadow_enter(word, site, size, site_allocated(site, size, resize));
	booking_end(context);
}

/* Books an allocation of a thread without a lane in one that is free now. */
static cold void late_alloc(void *block, uint64_t size, const struct stack_caller *caller,
			    const struct site_resize *resize)
{
	struct context_loan loan;
	struct lane_context *context = context_borrow(&loan);

	if (!context) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return;
	}
	context->busy[BUSY_BOOKS] = (uintptr_t)__builtin_frame_address(0);
	booking_book(context, block, size, caller, resize);
	context_return(&loan);
}

/* Blocks signals: without a lane a handler could not see that the site is locked. */
void cold odd_block_freed(const struct shadow_block *block)
{
	uint64_t mask;

	gate_block_signals(&mask);
	site_released(block, lane_left_slot, 0);
	gate_restore_signals(&mask);
}

/* A handler's allocation gets the current function and the call as its path. The stack is
 * not walked: the handler may have interrupted a walk. */
void cold odd_block_made(void *block, uint64_t size, const struct stack_caller *caller,
			 const struct site_resize *resize)
{
	struct lane_context *context = lane_own();
	struct shadow_block entry = {.size_bytes = size};
	uint64_t *word;
	uint32_t node;

	if (!process)
		return;
	if (!context) {
		late_alloc(block, size, caller, resize);
		return;
	}
	if (context->own_work) { /* marked, so that its free is no riddle */
		shadow_put((uintptr_t)block, SHADOW_SITE_TOOL, size, 0);
		return;
	}
	node = tree_child(context, context->current,
			  (caller->return_address & SEGMENT_KEY_ADDRESS_MASK) |
				  SEGMENT_KEY_RETURN_ADDRESS);
	if (!node) {
		node = context->current;
		context->lane->folded_call_count++;
	}
	entry.site = booking_site_of(context, node);
	if (!entry.site) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return;
	}
	word = booking_room(context, block, size);
	if (!word)
		return;
	shadow_enter(
		word, entry.site, size,
		__atomic_load_n(&process->segment->snapshot_interval, __ATOMIC_RELAXED));
	if (!odd_block_note(context, resize ? DEFERRED_REALLOCATED : DEFERRED_ALLOCATED,
			    &entry, resize, 0))
		shadow_take((uintptr_t)block); /* not booked: its free must not be */
}
