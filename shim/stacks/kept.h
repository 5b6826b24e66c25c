/* SPDX-License-Identifier: MIT */
/*
 * Remembers stacks and their nodes: programs allocate from the same stacks again and
 * again, but rarely twice in a row. Runs on: traced threads, inside an allocation hook
 * (BUSY_BOOKS held). Must not lock, nor read anything but the stack in use.
 *
 * A stack is kept as the words that a walk would read. If all are equal, the stack is the
 * same: walk.h says why. Comparing takes 1 ns a frame, walking 5.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/stacks/walk.h"

/* The node of this stack below a base; 0: it is not known. */
uint32_t kept_find(struct lane_context *context, uint32_t base, uint64_t call_site,
		   const struct stack_caller *caller);

/* Has the stack just found more frames than its node's path? */
static inline uint32_t kept_is_truncated(const struct lane_context *context)
{
	return context->kept->stacks[context->kept_latest].is_truncated;
}

/* Has kept_find() just failed to find it? */
int kept_is_missed(struct lane_context *context, const struct stack_caller *caller);

/* A stack that was not found and is being kept, from its innermost frame outwards. If a
 * handler keeps another one in the same place meanwhile, this one is dropped. */
struct kept_words {
	struct lane_context *context;
	struct lane_kept *kept; /* NULL: there is no room */
	uint32_t serial;
	uint32_t limit;
	int fits; /* all words so far */
};

/* word_limit: the most words that it may have. */
struct kept_words kept_begin(struct lane_context *context, uint32_t base,
			     uint64_t call_site, const struct stack_caller *caller,
			     uint32_t word_limit);
void kept_add(struct kept_words *words, uintptr_t address, uint64_t value);
void kept_end(const struct kept_words *words, uint32_t node);

/*
 * What a return address tells about its level (common/segment_tree.h, LEVELS): whose code
 * it is, and whether that function is only counted. Runs on: the lane's thread, any
 * context. Must not lock, nor read a stack.
 */

/* Takes 0.3 us for an address that is not known yet. */
struct lane_place places_of(struct lane_context *context, uint64_t return_address);
