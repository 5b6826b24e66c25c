/* SPDX-License-Identifier: MIT */
/*
 * The malloc family: the real function, and the books around it. Runs on: traced
 * threads, any context, from before our constructor until after the last destructor.
 * Must not call libc but for the real functions; change errno; hold anything while the
 * real function runs.
 *
 * ORDER: a block's word is taken out before the real free or realloc and put in after
 * the real malloc. In between the block has no entry, and nobody else can have its
 * address. A failed realloc puts the old entry back.
 *
 * A signal handler that interrupts an allocation hook and allocates itself leaves a note
 * that the interrupted hook books (deferred.h).
 *
 * A realloc of a live block is one free of the old size and one allocation of the new
 * size at the realloc's own site.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "shim/memory/deferred.h"
#include "shim/memory/early_heap.h"
#include "shim/stacks/fiber.h"
#include "shim/core/gate.h"
#include "shim/record/lane.h"
#include "shim/core/process.h"
#include "shim/memory/shadow.h"
#include "shim/memory/site.h"
#include "shim/stacks/stack.h"
#include "shim/wrap/real.h"

#define CALLER ((uint64_t)__builtin_return_address(0))

/* The context when its thread is new, or on another stack than before; NULL: none. */
static cold struct lane_context *settle(struct lane_context *context, uintptr_t stack)
{
	if (!process)
		return NULL;
	if (!lane_is_live(context))
		context = lane_acquire();
	if (context == &lane_none)
		return NULL;
	if (!fiber_is_current(context, stack))
		fiber_settle(context, stack);
	return context;
}

/* The context to record with, busy from here on; NULL: do not record. */
static inline struct lane_context *begin(void)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

	if (unlikely(!context || !fiber_is_current(context, stack))) {
		context = settle(context, stack);
		if (!context)
			return NULL;
	}
	if (unlikely(context->alloc_busy))
		return NULL;
	context->alloc_busy = stack;
	return context;
}

static inline uint32_t site_of(struct lane_context *context, uint32_t node)
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
static inline uint32_t find_site(struct lane_context *context, uint64_t caller)
{
	return site_of(context, stack_node(context, caller));
}

static inline void note_latest(struct lane_context *context, uintptr_t address)
{
	context->last_blocks[1] = context->last_blocks[0];
	context->last_blocks[0] = address;
}

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

static cold void lost_free(uint64_t old_word)
{
	process_count(SEGMENT_COUNTER_LOST_FREES, 1);
	/* its site's books must not keep the block that is certainly gone */
	if ((old_word & (SHADOW_SITE_LIMIT - 1)) >= process->site_floor) {
		struct shadow_block block = {
			.site = (uint32_t)(old_word & (SHADOW_SITE_LIMIT - 1)),
			.size_bytes = (old_word >> 24) & SHADOW_SIZE_LARGE,
			.interval = (uint32_t)(old_word >> 52),
		};

		if (block.site && block.site - process->site_bias < process->site_next)
			site_released(&block, 0, 0);
	}
}

/* Makes room for a new block in the map. NULL: there is none; then it must not be booked
 * either, for its free will not be known. */
static inline uint64_t *make_room(struct lane_context *context, void *block,
				  uint64_t size)
{
	uint64_t *word = shadow_room((uintptr_t)block, size);

	if (unlikely(!word)) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return NULL;
	}
	if (unlikely(*word))
		lost_free(*word);
	note_latest(context, (uintptr_t)block);
	return word;
}

/* Enters a block that is booked later. Returns 0 when there is no room. */
static int enter_block(struct lane_context *context, uint32_t site, void *block,
		       uint64_t size)
{
	uint64_t *word = make_room(context, block, size);

	if (!word)
		return 0;
	shadow_enter(
		word, site, size,
		__atomic_load_n(&process->segment->snapshot_interval, __ATOMIC_RELAXED));
	return 1;
}

/* Books a block and enters it into the map. The interval is the one of the books: so
 * what was born between two snapshots is the difference of the counts, exactly. */
static inline void book_block(struct lane_context *context, uint32_t site, void *block,
			      uint64_t size)
{
	uint64_t *word = make_room(context, block, size);

	if (likely(word))
		shadow_enter(word, site, size, site_allocated(site, size));
}

/* Is it the tool's own allocation, which is marked so that its free is no riddle? */
static int is_own(const struct lane_context *context, uint64_t caller)
{
	const struct stack_code *code = stack_unwinder_code;

	return context->own_work == OWN_WORK_ALL ||
	       (context->own_work == OWN_WORK_UNWINDING &&
		(caller - code[0].start < code[0].end - code[0].start ||
		 caller - code[1].start < code[1].end - code[1].start));
}

/* What a realloc did; of other allocations all is 0. */
struct resize {
	uint64_t old_bytes, copied_bytes;
};

/* Notes what a handler did in the middle of a hook. Returns 0 when there is no room. */
static int defer(struct lane_context *context, enum deferred_kind kind,
		 const struct shadow_block *block, struct resize resize, int temporary)
{
	struct deferred note = {kind, temporary, *block, resize.old_bytes,
				resize.copied_bytes};

	if (deferred_add(context, &note) == 0)
		return 1;
	process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	return 0;
}

static inline void end(struct lane_context *context);

/* An allocation of a thread that has given its lane back, or has got none: in a lane that
 * is free now. */
static cold void late_alloc(void *block, uint64_t size, uint64_t caller,
			    enum deferred_kind kind, struct resize resize)
{
	struct lane_loan loan;
	struct lane_context *context = lane_borrow(&loan);
	uint64_t *word = NULL;
	uint32_t site = 0;

	if (!context) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return;
	}
	context->alloc_busy = (uintptr_t)__builtin_frame_address(0);
	site = find_site(context, caller);
	if (site)
		word = make_room(context, block, size);
	else
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	if (word)
		shadow_enter(word, site, size,
			     kind == DEFERRED_REALLOCATED
				     ? site_reallocated(site, size, resize.old_bytes,
							resize.copied_bytes)
				     : site_allocated(site, size));
	end(context);
	lane_return(&loan);
}

/* A free of such a thread. Signals are blocked: without a lane nobody tells a handler
 * that the site is locked. */
static cold void late_free(const struct shadow_block *block)
{
	uint64_t mask;

	gate_block_signals(&mask);
	site_released(block, lane_left_slot, 0);
	gate_restore_signals(&mask);
}

/* An allocation when no hook may book: the tool's own, one in a handler that interrupts
 * a hook, one without a lane. The handler's has the function it is called from and the
 * call for its path; nothing is unwound, since unwinding may be what was interrupted. */
static cold void unbooked_alloc(void *block, uint64_t size, uint64_t caller,
				enum deferred_kind kind, struct resize resize)
{
	struct lane_context *context = lane_self;
	struct shadow_block entry = {.size_bytes = size};
	uint32_t node;

	if (!process)
		return;
	if (!lane_is_live(context)) {
		late_alloc(block, size, caller, kind, resize);
		return;
	}
	if (is_own(context, caller)) {
		shadow_put((uintptr_t)block, SHADOW_SITE_TOOL, size, 0);
		return;
	}
	node = tree_child(context, context->current,
			  (caller & SEGMENT_KEY_ADDRESS_MASK) |
				  SEGMENT_KEY_RETURN_ADDRESS);
	if (!node) {
		node = context->current;
		context->lane->folded_call_count++;
	}
	entry.site = site_of(context, node);
	if (!entry.site) {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
		return;
	}
	if (enter_block(context, entry.site, block, size) &&
	    !defer(context, kind, &entry, resize, 0))
		shadow_take((uintptr_t)block); /* not booked: its free must not be */
}

/* The end of a hook's work on the books. */
static inline void end(struct lane_context *context)
{
	context->alloc_busy = 0;
	__asm__ volatile("" : : : "memory"); /* what comes now is not deferred any more */
	if (unlikely(context->deferred_count))
		deferred_book(context);
}

static inline void record_alloc(void *block, uint64_t size, uint64_t caller)
{
	struct lane_context *context;
	uint32_t site;

	if (unlikely(!block))
		return;
	context = begin();
	if (unlikely(!context)) {
		unbooked_alloc(block, size, caller, DEFERRED_ALLOCATED,
			       (struct resize){0});
		return;
	}
	site = find_site(context, caller);
	if (likely(site)) {
		book_block(context, site, block, size);
	} else {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	}
	end(context);
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

	return process_is_ready() && !lane_self && count++ < EARLY_FREES ? &lane_none
									 : lane_acquire();
}

/* Takes the block out. Returns 1 when it was in the books of this process. */
static inline int record_free(void *address, struct shadow_block *block, int reallocates)
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
	if (unlikely(context == &lane_none)) { /* past the thread's last destructor */
		if (process->has_left) {       /* and the process's last event */
			process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
			return 0;
		}
		late_free(block);
		return 1;
	}
	if (!reallocates)
		temporary = take_latest(context, (uintptr_t)address);
	if (likely(!context->alloc_busy)) {
		context->alloc_busy = (uintptr_t)__builtin_frame_address(0);
		site_released(block, context->slot, temporary);
		end(context);
	} else {
		defer(context, DEFERRED_RELEASED, block, (struct resize){0}, temporary);
	}
	return 1;
}

exported void *malloc(size_t size)
{
	void *block = real_malloc(size);

	record_alloc(block, size, CALLER);
	return block;
}

exported void free(void *address)
{
	struct shadow_block block;

	if (!address || early_heap_owns(address))
		return;
	record_free(address, &block, 0);
	real_free(address);
}

exported void *calloc(size_t count, size_t size)
{
	void *block = real_calloc(count, size);

	if (block) /* then the product did not overflow */
		record_alloc(block, count * size, CALLER);
	return block;
}

/* Takes a block of the early heap into the real one. */
static cold void *move_early(void *old, size_t size, uint64_t caller)
{
	size_t keep = early_heap_size(old);
	char *block = real_malloc(size);

	if (!block)
		return NULL;
	for (size_t i = 0; i < keep && i < size; i++)
		block[i] = ((char *)old)[i];
	record_alloc(block, size, caller);
	return block;
}

static void record_realloc(void *block, size_t size, struct resize resize,
			   uint64_t caller)
{
	struct lane_context *context = begin();
	uint32_t site;

	if (unlikely(!context)) {
		unbooked_alloc(block, size, caller, DEFERRED_REALLOCATED, resize);
		return;
	}
	site = find_site(context, caller);
	if (likely(site)) {
		uint64_t *word = make_room(context, block, size);

		if (likely(word))
			shadow_enter(word, site, size,
				     site_reallocated(site, size, resize.old_bytes,
						      resize.copied_bytes));
	} else {
		process_count(SEGMENT_COUNTER_DROPPED_ALLOCATIONS, 1);
	}
	end(context);
}

/* Puts back what record_free() took when the realloc failed. */
static cold void restore(void *address, const struct shadow_block *block)
{
	struct lane_context *context = begin();
	uint64_t mask;

	shadow_put((uintptr_t)address, block->site, block->size_bytes, block->interval);
	if (context) {
		site_restored(block);
		end(context);
	} else if (lane_is_live(lane_self)) {
		defer(lane_self, DEFERRED_RESTORED, block, (struct resize){0}, 0);
	} else {
		gate_block_signals(&mask);
		site_restored(block);
		gate_restore_signals(&mask);
	}
}

/* Likewise of a block that is in no books: the parent's, or our own. */
static cold void restore_odd(void *address, const struct shadow_block *block)
{
	if (!block->site)
		return;
	shadow_put((uintptr_t)address, block->site, block->size_bytes, block->interval);
	if (block->site != SHADOW_SITE_TOOL)
		process_count(SEGMENT_COUNTER_INHERITED_FREES, -1ull);
}

/* A block that is a mapping of its own has glibc's header at the start of its first page.
 * (Another large block lies there one time in 256.) */
static int is_mapping(const void *block, uint64_t size)
{
	return size >= 128 * 1024 && ((uintptr_t)block & 4095) == 16;
}

/* What a realloc copied: nothing in place, nor where mremap moved the pages. (Of 2 GB
 * that discount's markdown was said to copy in 0.3 s nearly all was that.) */
static uint64_t copied_bytes(const void *old, uint64_t old_size, const void *block,
			     uint64_t size)
{
	if (block == old || (is_mapping(old, old_size) && is_mapping(block, size)))
		return 0;
	return old_size < size ? old_size : size;
}

static void *reallocate(void *old, size_t size, uint64_t caller)
{
	struct shadow_block before = {0};
	int known;
	void *block;

	if (!old) {
		block = real_realloc(NULL, size);
		record_alloc(block, size, caller);
		return block;
	}
	if (early_heap_owns(old))
		return move_early(old, size, caller);
	known = record_free(old, &before, 1);
	block = real_realloc(old, size);
	if (likely(block)) {
		if (known)
			record_realloc(
				block, size,
				(struct resize){before.size_bytes,
						copied_bytes(old, before.size_bytes,
							     block, size)},
				caller);
		else
			record_alloc(block, size, caller);
	} else if (size != 0) { /* of size 0 the block is freed */
		if (known)
			restore(old, &before);
		else
			restore_odd(old, &before);
	}
	return block;
}

exported void *realloc(void *old, size_t size)
{
	return reallocate(old, size, CALLER);
}

exported void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return reallocate(old, bytes, CALLER);
}

exported int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
	int result = real_posix_memalign(ret_block, alignment, size);

	if (result == 0)
		record_alloc(*ret_block, size, CALLER);
	return result;
}

exported void *aligned_alloc(size_t alignment, size_t size)
{
	void *block = real_aligned_alloc(alignment, size);

	record_alloc(block, size, CALLER);
	return block;
}

exported void *memalign(size_t alignment, size_t size)
{
	void *block = real_memalign(alignment, size);

	record_alloc(block, size, CALLER);
	return block;
}

exported void *valloc(size_t size)
{
	void *block = real_valloc(size);

	record_alloc(block, size, CALLER);
	return block;
}

exported void *pvalloc(size_t size)
{
	void *block = real_pvalloc(size);

	/* the allocator rounds up to whole pages; what the program asked for counts */
	record_alloc(block, size, CALLER);
	return block;
}

/* C23. glibc has them since 2.43; a program that calls them needs them from somewhere,
 * and what they must do is what free does. */
exported void free_sized(void *address, size_t size)
{
	(void)size;
	free(address);
}

exported void free_aligned_sized(void *address, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(address);
}

exported size_t malloc_usable_size(void *address)
{
	if (early_heap_owns(address))
		return early_heap_size(address);
	return real_malloc_usable_size(address);
}
