/* SPDX-License-Identifier: MIT */
/*
 * Finds who called a header's code that allocates. Runs on: traced threads, inside an
 * allocation hook (BUSY_BOOKS held). Must not lock.
 *
 * The tree has functions, not calls: main -> push_back -> allocate is one path for all
 * lines of main. So below a function that may come from a header, allocations hang on
 * nodes for its call sites: one for each caller outwards, up to the first that is not
 * from a header, innermost first (SEGMENT_KEY_CALL_SITE). They are read from the stack,
 * since functions in between may have no frame of ours: under a budget most callers of
 * push_back are only counted. When the stack cannot be walked, the frames are used.
 * Recursion counts as one call; otherwise each way through a tree would make a chain.
 *
 * Any other function may be an allocator wrapper, whose users want to know where it was
 * called. Its node has the call site of its first call (segment_call_site); allocations
 * in calls from elsewhere hang on a node for that call site.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/lane.h"
#include "shim/lane/tree.h"
#include "shim/stacks/walk.h"

static inline struct callers_memo *callers_memo_of(struct lane_context *context)
{
	return &context->callers[context->current % LANE_CALLERS];
}

/* The current node, if allocations are grafted on it, leaving aside where its function
 * was called; 0: they may belong on a node for its callers. */
static inline __attribute__((always_inline)) uint32_t
callers_known_base(const struct lane_context *context)
{
	uint32_t node = context->current;
	const struct callers_memo *memo = &context->callers[node % LANE_CALLERS];

	if (likely(!headers_any))
		return node;
	return memo->node == node && !memo->frame_count ? node : 0;
}

/* The node for calls of a function, not from a header, from this call site; 0: there is
 * none yet. For an inlined copy the call site is its host's. */
static inline uint32_t callers_known_place(const struct lane_context *context,
					   uint32_t node, uint64_t call_site)
{
	uint64_t first = context->call_sites[node].key;

	if (!first || !call_site || call_site == first ||
	    segment_node_is_inlined(&context->nodes[node]))
		return node;
	return tree_front(context, node, call_site | SEGMENT_KEY_CALL_SITE);
}

/* The node that allocations are grafted on, if it is known at once; or 0. */
static inline uint32_t callers_front_base(const struct lane_context *context)
{
	uint32_t node = callers_known_base(context);

	return node ? callers_known_place(context, node,
					  segment_frame_caller(&context->top[-1]))
		    : 0;
}

/* The same, searched for; when there is no room for all call sites, that of the inner
 * ones. */
uint32_t callers_find_base(struct lane_context *context,
			   const struct stack_caller *caller);

static inline uint32_t callers_base(struct lane_context *context,
				    const struct stack_caller *caller)
{
	uint32_t base = callers_front_base(context);

	return likely(base) ? base : callers_find_base(context, caller);
}

/* The same for a function without a frame that has this node and was called from
 * call_site. 0: the function calls malloc itself. */
uint32_t callers_find_frameless(struct lane_context *context, uint32_t node,
				uint64_t function, const struct stack_caller *caller,
				uint64_t call_site);
