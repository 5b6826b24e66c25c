/* SPDX-License-Identifier: MIT */
/*
 * Stacks whose node is known: programs allocate from the same ones again and again, but
 * hardly twice in a row from the same. Runs on: traced threads, inside an allocation hook
 * (BUSY_BOOKS held). Must not lock, or read anything but the stack in use.
 *
 * A stack is kept as the words that a walk would read, and is the same when all of them
 * are: walk.h says why. That takes a nanosecond a frame, a walk five.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/stacks/walk.h"

/* The node of this stack below a base; 0: it is not known. */
uint32_t kept_find(struct lane_context *context, uint32_t base, uint64_t call_site,
		   const struct stack_caller *caller);

/* Of the stack that it has just found: has it more frames than its node? */
static inline uint32_t kept_is_truncated(const struct lane_context *context)
{
	return context->kept->stacks[context->kept_latest].is_truncated;
}

/* Has kept_find() just looked for it in vain? */
int kept_is_missed(struct lane_context *context, const struct stack_caller *caller);

/* A stack to be kept, which has been looked for, from its innermost frame outwards. A
 * handler that keeps one meanwhile may have done so in the same place: then this one is
 * not kept. */
struct kept_words {
	struct lane_context *context;
	struct lane_kept *kept; /* NULL: there is no room */
	uint32_t serial;
	uint32_t limit;
	int fits; /* all words so far */
};

/* It has at most so many words. */
struct kept_words kept_begin(struct lane_context *context, uint32_t base,
			     uint64_t call_site, const struct stack_caller *caller,
			     uint32_t word_limit);
void kept_add(struct kept_words *words, uintptr_t address, uint64_t value);
void kept_end(const struct kept_words *words, uint32_t node);
