/* SPDX-License-Identifier: MIT */
/*
 * Bookkeeping around calls of the malloc family. Runs on: traced threads, any context.
 * Must hold no lock when it returns: the real function runs next.
 *
 * ORDER: a block's word is taken out before the real free or realloc and put in after the
 * real malloc. In between the block has no entry, and no other block can have its
 * address. A failed realloc puts the old entry back.
 *
 * A signal handler that interrupts an allocation hook and allocates leaves a note; the
 * interrupted hook books it (memory/site.h).
 *
 * A realloc of a live block is one free of the old size and one allocation of the new
 * size at the realloc's own site.
 */
#pragma once

#include "shim/memory/shadow.h"
#include "shim/events/odd_block.h"

/* Allocations are not recorded, and there is no map of blocks. Set once, at boot. */
extern hidden int allocations_are_left;

/* A call that returns to `caller` has allocated block; NULL: it failed. */
void allocation_made(void *block, uint64_t size, const struct stack_caller *caller);

/* A block is about to be freed. */
void allocation_ends(void *address);

/* A block is about to be freed or reallocated: removes it from the map. Returns 1 when it
 * was in the books of this process. */
int allocation_freed(void *address, struct shadow_block *block, int reallocates);

/* The realloc of a block that was in the books has succeeded; or, with NULL, a block is
 * to be booked like any other. */
void allocation_resized(void *block, size_t size, const struct site_resize *resize,
			const struct stack_caller *caller);

/* It has failed: the block is where it was. known: what allocation_freed() returned. */
void allocation_kept(void *address, const struct shadow_block *block, int known);
