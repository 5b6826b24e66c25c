/* SPDX-License-Identifier: MIT */
/*
 * Blocks that no hook can book: those of threads that have no lane (any more), and
 * those of a signal handler that interrupts an allocation hook. Runs on: traced threads,
 * any context; slow paths.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/memory/site.h"
#include "shim/stacks/walk.h"

/* What a realloc did; of other allocations all is 0. */
struct allocation_resize {
	uint64_t old_bytes, copied_bytes;
};

/* An allocation when no hook may book: the tool's own, one in a handler that
 * interrupts a hook, one without a lane. */
void odd_block_made(void *block, uint64_t size, const struct stack_caller *caller,
		    enum deferred_kind kind, struct allocation_resize resize);

/* A free by a thread without a lane. */
void odd_block_freed(const struct shadow_block *block);

/* Notes what a handler did in the middle of a hook. Returns 0 when there is no room. */
int odd_block_note(struct lane_context *context, enum deferred_kind kind,
		   const struct shadow_block *block, struct allocation_resize resize,
		   int temporary);
