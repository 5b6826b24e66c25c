/* SPDX-License-Identifier: MIT */
/*
 * Who called the code of headers that allocates. Runs on: traced threads, inside an
 * allocation hook (BUSY_BOOKS held). Must not lock.
 *
 * The tree has functions, not calls: main -> push_back -> allocate is one path, from
 * whatever line of main. So below the node of a function that a header may have brought
 * the allocations hang on the places it was called from, outwards as far as the first
 * that no header has: one node each, the innermost first (SEGMENT_KEY_CALL_SITE). The
 * stack tells them, for functions in between may have no frame of ours: under a budget
 * most of push_back's callers are only counted. Where it cannot be walked the frames do.
 * Recursion counts as one call: else there were as many chains as ways through a tree.
 *
 * Any other function may be an allocator wrapper, and where it was called is what its
 * user wants to know. Its node has the call site of its first call (segment_call_site):
 * what is allocated in calls from elsewhere hangs on a node for that place, too.
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

/* The node that allocations are grafted on, when it is the current one, unless its
 * function was called from elsewhere; 0: it may be one for its callers. */
static inline __attribute__((always_inline)) uint32_t
callers_known_base(const struct lane_context *context)
{
	uint32_t node = context->current;
	const struct callers_memo *memo = &context->callers[node % LANE_CALLERS];

	if (likely(!headers_any))
		return node;
	return memo->node == node && !memo->frame_count ? node : 0;
}

/* The node for calls of no header's function from this call site; 0: there is none yet.
 * Of a copy the call site is its host's. */
static inline uint32_t callers_known_place(const struct lane_context *context,
					   uint32_t node, uint64_t call_site)
{
	uint64_t first = context->call_sites[node].key;

	if (!first || !call_site || call_site == first ||
	    segment_node_is_inlined(&context->nodes[node]))
		return node;
	return tree_front(context, node, call_site | SEGMENT_KEY_CALL_SITE);
}

/* The node that allocations are grafted on, as far as it is known; 0: it has to be looked
 * for. */
static inline uint32_t callers_front_base(const struct lane_context *context)
{
	uint32_t node = callers_known_base(context);

	return node ? callers_known_place(context, node,
					  segment_frame_caller(&context->top[-1]))
		    : 0;
}

/* The same, whatever it takes; without room for all of them, of the inner ones. */
uint32_t callers_find_base(struct lane_context *context,
			   const struct stack_caller *caller);

static inline uint32_t callers_base(struct lane_context *context,
				    const struct stack_caller *caller)
{
	uint32_t base = callers_front_base(context);

	return likely(base) ? base : callers_find_base(context, caller);
}

/* The same for a function without a frame that has this node and was called from
 * call_site; 0: it calls malloc itself. */
uint32_t callers_find_frameless(struct lane_context *context, uint32_t node,
				uint64_t function, const struct stack_caller *caller,
				uint64_t call_site);
