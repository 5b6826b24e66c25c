/* SPDX-License-Identifier: MIT */
/* What the allocation hooks record. */
#include "shim/record/allocation.h"

#include "shim/core/gate.h"
#include "shim/record/booking.h"

/* True when at most one other allocation of this thread came after this one. */
static inline int take_latest(struct lane_context *context, uintptr_t address)
{
	for (int i = 0; i < 2; i++) {
		if (context->last_blocks[i] == address) {
			context->last_blocks[i] = 0;
			return 1;
		}
	}
	return 0;
}

/* Books a block and enters it into the map. The interval is the one of the books: so
 * what was born between two snapshots is the difference of the counts, exactly. */
static inline void book_block(struct lane_context *context, uint32_t site, void *block,
			      uint64_t size)
{
	uint64_t *word = booking_room(context, block, size);

	if (likely(word))
		shadow_enter(word, site, size, site_allocated(site, size));
}

void allocation_made(void *block, uint64_t size, const struct stack_caller *caller)
{
	struct lane_context *context;
	uint32_t site;

	if (unlikely(!block))
		return;
	context = booking_begin();
	if (unlikely(!context)) {
		odd_block_made(block, size, caller, DEFERRED_ALLOCATED,
			       (struct allocation_resize){0});
		return;
	}
	site = booking_site(context, caller);
	if (likely(site)) {
		book_block(context, site, block, size);
	} else {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	}
	booking_end(context);
}

static cold void record_odd_free(const struct shadow_block *block)
{
	process_count(block->site ? SEGMENT_COUNTER_INHERITED_FREES
				  : SEGMENT_COUNTER_UNKNOWN_FREES,
		      1);
}

/* So many frees are booked for a thread without a lane before it gets one. */
#define EARLY_FREES 64

/*
 * A thread that begins with a free may be one whose destructors are over, for which libc
 * frees what other threads left. Nobody would give its lane back.
 */
static cold struct lane_context *lane_of_free(void)
{
	static __thread unsigned count __attribute__((tls_model("initial-exec")));

	return process_is_ready() && lane_is_absent(lane_self) && count++ < EARLY_FREES
		       ? NULL
		       : context_acquire();
}

/* Takes the block out. Returns 1 when it was in the books of this process. */
int allocation_freed(void *address, struct shadow_block *block, int reallocates)
{
	struct lane_context *context;
	int temporary = 0;

	if (unlikely(!process))
		return 0;
	*block = shadow_take((uintptr_t)address);
	context = lane_self;
	if (unlikely(!lane_is_live(context))) {
		context = lane_of_free(); /* a forked child adopts its slot here */
		if (!process)
			return 0;
	}
	if (unlikely(block->site == SHADOW_SITE_TOOL))
		return 0;
	if (unlikely(block->site == 0 || block->site < process->site_floor)) {
		record_odd_free(block);
		return 0;
	}
	if (unlikely(!context)) {	 /* past the thread's last destructor */
		if (process->has_left) { /* and the process's last event */
			process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
			return 0;
		}
		odd_block_freed(block);
		return 1;
	}
	if (!reallocates)
		temporary = take_latest(context, (uintptr_t)address);
	if (likely(!context->alloc_busy)) {
		context->alloc_busy = (uintptr_t)__builtin_frame_address(0);
		site_released(block, context->slot, temporary);
		booking_end(context);
	} else {
		odd_block_note(context, DEFERRED_RELEASED, block,
			       (struct allocation_resize){0}, temporary);
	}
	return 1;
}

void allocation_resized(void *block, size_t size, struct allocation_resize resize,
			const struct stack_caller *caller)
{
	struct lane_context *context = booking_begin();
	uint32_t site;

	if (unlikely(!context)) {
		odd_block_made(block, size, caller, DEFERRED_REALLOCATED, resize);
		return;
	}
	site = booking_site(context, caller);
	if (likely(site)) {
		uint64_t *word = booking_room(context, block, size);

		if (likely(word))
			shadow_enter(word, site, size,
				     site_reallocated(site, size, resize.old_bytes,
						      resize.copied_bytes));
	} else {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	}
	booking_end(context);
}

/* Of a block in the books. */
static cold void restore(void *address, const struct shadow_block *block)
{
	struct lane_context *context = booking_begin();
	uint64_t mask;

	shadow_put((uintptr_t)address, block->site, block->size_bytes, block->interval);
	if (context) {
		site_restored(block);
		booking_end(context);
	} else if (lane_own()) {
		odd_block_note(lane_own(), DEFERRED_RESTORED, block,
			       (struct allocation_resize){0}, 0);
	} else {
		gate_block_signals(&mask);
		site_restored(block);
		gate_restore_signals(&mask);
	}
}

/* Of one that is in none: the parent's, or our own. */
static cold void restore_odd(void *address, const struct shadow_block *block)
{
	if (!block->site)
		return;
	shadow_put((uintptr_t)address, block->site, block->size_bytes, block->interval);
	if (block->site != SHADOW_SITE_TOOL)
		process_count(SEGMENT_COUNTER_INHERITED_FREES, -1ull);
}

void cold allocation_kept(void *address, const struct shadow_block *block, int known)
{
	if (known)
		restore(address, block);
	else
		restore_odd(address, block);
}
