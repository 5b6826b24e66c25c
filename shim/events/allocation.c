/* SPDX-License-Identifier: MIT */
/* What the allocation hooks record. */
#include "shim/events/allocation.h"

#include <sys/single_threaded.h>

#include "shim/core/gate.h"
#include "shim/memory/site.h"
#include "shim/patch/modes.h"
#include "shim/events/odd_block.h"

int allocations_are_left;

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

#define compiler_barrier() __asm__ volatile("" : : : "memory")

/*
 * Fast paths for nearly all allocations and frees. Whatever must be looked up, made or
 * waited for is left to the slow functions. They make only tail calls, so no register is
 * saved. They check first that everything is at hand: when they return 0, nothing has
 * changed. alone: the process has one thread.
 */

static inline __attribute__((always_inline)) void
leave_site(struct lane_context *context, struct segment_site *site, int alone)
{
	if (!alone) {
		site_note_unlocked(context);
		site_unlock(site);
	}
	compiler_barrier();
	context->busy[BUSY_BOOKS] = 0;
}

/* Marks the books busy and locks the site. NULL: take the slow path. */
static inline __attribute__((always_inline)) struct segment_site *
enter_site(struct lane_context *context, const struct process *state, uint32_t id,
	   uintptr_t stack, int alone)
{
	struct segment_site *site = &state->sites[id];

	if (unlikely(context->busy[BUSY_BOOKS]))
		return NULL;
	context->busy[BUSY_BOOKS] = stack;
	compiler_barrier();
	if (!alone) {
		site_note_wanted(context, id);
		if (unlikely(!site_try_lock(site))) {
			context->busy[BUSY_BOOKS] = 0;
			return NULL;
		}
		site_note_locked(context);
	}
	if (likely(site_is_of_interval(state->segment, site)))
		return site;
	leave_site(context, site, alone);
	return NULL;
}

/* own: the site's number in this lane. */
static inline __attribute__((always_inline)) int
made_at_once(struct lane_context *context, void *block, uint64_t size,
	     const struct stack_caller *caller, uint32_t own, int alone)
{
	const struct process *state = process;
	uint64_t *word = shadow_word((uintptr_t)block, 0);
	struct segment_site *site;
	uint32_t id;

	if (unlikely(!word || *word || size >= SHADOW_SIZE_LARGE))
		return 0;
	id = own + state->site_bias;
	site = enter_site(context, state, id, (uintptr_t)caller, alone);
	if (unlikely(!site))
		return 0;
	context->last_blocks[1] = context->last_blocks[0];
	context->last_blocks[0] = (uintptr_t)block;
	site_allocated_at_once(state->segment, site, size, alone);
	shadow_enter(word, id, size, site->interval);
	leave_site(context, site, alone);
	return 1;
}

static inline __attribute__((always_inline)) int
freed_at_once(struct lane_context *context, uintptr_t address, uintptr_t stack, int alone)
{
	const struct process *state = process;
	uint64_t *word = shadow_word(address, 0);
	struct shadow_block block;
	struct segment_site *site;

	if (unlikely(!word))
		return 0;
	block = shadow_block_of(*word);
	/* go on only with a block of this process, not unknown, the parent's or the
	 * tool's */
	if (unlikely(block.site - state->site_floor >=
			     SHADOW_SITE_TOOL - state->site_floor ||
		     block.size_bytes == SHADOW_SIZE_LARGE))
		return 0;
	site = enter_site(context, state, block.site, stack, alone);
	if (unlikely(!site))
		return 0;
	if (unlikely(block.interval != site->interval)) {
		leave_site(context, site, alone);
		return 0;
	}
	*word = 0;
	site_released_at_once(state->segment, site, block.size_bytes, context->slot,
			      take_latest(context, address), alone);
	leave_site(context, site, alone);
	return 1;
}

/* Books what handlers noted in the meantime. */
static inline __attribute__((always_inline)) void book_notes(struct lane_context *context)
{
	compiler_barrier();
	if (unlikely(context->deferred_count))
		deferred_book(context);
}

/* The caller has no hooks, is only counted, or is not known at once. */
static int made_elsewhere(struct lane_context *context, void *block, uint64_t size,
			  const struct stack_caller *caller)
{
	uint32_t base = stack_walked_base(context, caller);
	const struct segment_node *node =
		modes_count || base ? stack_kept_node(context, caller, base) : NULL;
	int is_kept = node != NULL;

	if (!is_kept && base)
		return 0;
	if (!is_kept) {
		node = stack_front_node(context, caller);
		if (!node)
			return 0;
		stack_note_site(context, caller, node->site, node->parent);
	}
	if (!(__libc_single_threaded
		      ? made_at_once(context, block, size, caller, node->site, 1)
		      : made_at_once(context, block, size, caller, node->site, 0)))
		return 0;
	if (unlikely(is_kept && kept_is_truncated(context)))
		context->lane->truncated_stack_count++;
	book_notes(context);
	return 1;
}

static realigned __attribute__((noinline)) void
made_slow(void *block, uint64_t size, const struct stack_caller *caller)
{
	struct lane_context *context = lane_self;

	if (likely(block && context_is_settled(context, (uintptr_t)caller) &&
		   made_elsewhere(context, block, size, caller)))
		return;
	if (likely(block))
		allocation_resized(block, size, NULL, caller);
}

static __attribute__((noinline)) void made_unmapped(void *block, uint64_t size,
						    const struct stack_caller *caller)
{
	if (!allocations_are_left)
		made_slow(block, size, caller);
	else if (!lane_is_live(lane_self))
		context_acquire(); /* the thread gets a row all the same */
}

void allocation_made(void *block, uint64_t size, const struct stack_caller *caller)
{
	struct lane_context *context = lane_self;
	uint32_t site;

	if (unlikely(!shadow_directory))
		made_unmapped(block, size, caller);
	else if (likely(context_is_settled(context, (uintptr_t)caller) && block &&
			(site = stack_known_site(context, caller)) &&
			(__libc_single_threaded
				 ? made_at_once(context, block, size, caller, site, 1)
				 : made_at_once(context, block, size, caller, site, 0))))
		book_notes(context);
	else
		made_slow(block, size, caller);
}

static cold void record_odd_free(const struct shadow_block *block)
{
	process_count(block->site ? SEGMENT_COUNTER_INHERITED_FREES
				  : SEGMENT_COUNTER_UNKNOWN_FREES,
		      1);
}

/* A thread without a lane gets one after this many frees. */
#define EARLY_FREES 64

/*
 * A thread whose first event is a free may have run its destructors already: libc then
 * frees leftovers on it. Nobody would give a lane back.
 */
static cold struct lane_context *lane_of_free(void)
{
	static __thread unsigned count __attribute__((tls_model("initial-exec")));

	return process_is_ready() && lane_is_absent(lane_self) && count++ < EARLY_FREES
		       ? NULL
		       : context_acquire();
}

int allocation_freed(void *address, struct shadow_block *block, int reallocates)
{
	struct lane_context *context;
	int temporary = 0;

	if (unlikely(!process))
		return 0;
	*block = shadow_take((uintptr_t)address);
	if (!block->site && allocations_are_left)
		return 0;
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
	if (unlikely(!context)) {	 /* the thread's last destructor has run */
		if (process->has_left) { /* and the process has left */
			process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
			return 0;
		}
		odd_block_freed(block);
		return 1;
	}
	if (!reallocates)
		temporary = take_latest(context, (uintptr_t)address);
	if (likely(busy_take(context, BUSY_BOOKS,
			     (uintptr_t)__builtin_frame_address(0)))) {
		site_released(block, context->slot, temporary);
		booking_end(context);
	} else {
		odd_block_note(context, DEFERRED_RELEASED, block, NULL, temporary);
	}
	return 1;
}

static realigned __attribute__((noinline)) void free_slow(void *address)
{
	struct shadow_block block;

	allocation_freed(address, &block, 0);
}

static __attribute__((noinline)) void ends_unmapped(void *address)
{
	if (!allocations_are_left)
		free_slow(address);
}

void allocation_ends(void *address)
{
	struct lane_context *context = lane_self;
	uintptr_t at = (uintptr_t)address, stack = (uintptr_t)__builtin_dwarf_cfa();

	if (unlikely(!shadow_directory))
		ends_unmapped(address);
	else if (likely(lane_is_live(context) &&
			(__libc_single_threaded ? freed_at_once(context, at, stack, 1)
						: freed_at_once(context, at, stack, 0))))
		book_notes(context);
	else
		free_slow(address);
}

void allocation_resized(void *block, size_t size, const struct site_resize *resize,
			const struct stack_caller *caller)
{
	struct lane_context *context = booking_begin();

	if (likely(context))
		booking_book(context, block, size, caller, resize);
	else
		odd_block_made(block, size, caller, resize);
}

/* Puts back a block that is in the books. */
static cold void restore(void *address, const struct shadow_block *block)
{
	struct lane_context *context = booking_begin();
	uint64_t mask;

	shadow_put((uintptr_t)address, block->site, block->size_bytes, block->interval);
	if (context) {
		site_restored(block);
		booking_end(context);
	} else if (lane_own()) {
		odd_block_note(lane_own(), DEFERRED_RESTORED, block, NULL, 0);
	} else {
		gate_block_signals(&mask);
		site_restored(block);
		gate_restore_signals(&mask);
	}
}

/* Puts back a block that is in no books: the parent's, or our own. */
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
