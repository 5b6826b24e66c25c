/* SPDX-License-Identifier: MIT */
/*
 * Who called the code of headers that allocates. Runs on: traced threads, inside an
 * allocation hook (alloc_busy held). Must not lock.
 *
 * The tree has functions, not calls: main -> push_back -> allocate is one path, from
 * whatever line of main. So below the node of a function that a header may have brought
 * the allocations hang on the places it was called from, as their frames' hooks were told
 * them, outwards as far as the first function that no header has: one node each, the
 * innermost first (SEGMENT_KEY_CALL_SITE). Recursion counts as one call, from where it
 * began: else there were as many chains as ways through a tree.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/lane/headers.h"
#include "shim/lane/lane.h"

/* Of the frames whose calls count by the memo, innermost first: a hash of where they were
 * called from. */
static inline uint64_t callers_hash(const struct lane_context *context,
				    const struct callers_memo *memo)
{
	uint64_t hash = memo->node;

	for (uint64_t left = memo->frames; left; left &= left - 1)
		hash = (hash ^ context->top[-1 - __builtin_ctzll(left)].caller) *
		       0x9e3779b97f4a7c15ull;
	return hash;
}

/* Are the frames that the memo is about there? Without room for nodes they are not. */
static inline int callers_hold(const struct lane_context *context,
			       const struct callers_memo *memo)
{
	return context->top - context->frames > 63 - __builtin_clzll(memo->frames);
}

/* The node that allocations are grafted on: the current one, or one for its callers. 0:
 * it has to be looked for. */
static inline __attribute__((always_inline)) uint32_t
callers_known_base(const struct lane_context *context)
{
	uint32_t node = context->current;
	const struct callers_memo *memo;
	const struct callers_chain *chain;
	uint64_t hash;

	if (likely(!headers_any))
		return node;
	memo = &context->callers[node % LANE_CALLERS];
	if (memo->node != node)
		return 0;
	if (!memo->frames)
		return node;
	if (!callers_hold(context, memo))
		return node;
	hash = callers_hash(context, memo);
	chain = &context->chains[hash >> 56];
	return chain->hash == hash && chain->node == node &&
			       chain->unload_count == process->unload_count
		       ? chain->innermost
		       : 0;
}

/* The same, whatever it takes; without room for all of them, of the inner ones. */
uint32_t callers_find_base(struct lane_context *context);

static inline uint32_t callers_base(struct lane_context *context)
{
	uint32_t base = callers_known_base(context);

	return likely(base) ? base : callers_find_base(context);
}
