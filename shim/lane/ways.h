/* SPDX-License-Identifier: MIT */
/*
 * Remembers by which call site a path was reached. Once some functions have no frames,
 * the innermost function with a frame need not be the caller: any function in between may
 * be. The call site tells. So from then on functions are looked up in this table and no
 * longer in the front table.
 *
 * The call site does not tell what lies between the caller and the frame. So the path
 * that a walk found (events/levels.h) holds for some calls only; then the stack is walked
 * again.
 *
 * Runs on: the lane's thread, any context; ways_begin(), ways_forget*(): any thread,
 * under the process lock, on other lanes, too. A thread that is just noting a way may
 * miss that.
 */
#pragma once

#include "shim/lane/tree.h"

/* Sets ways_are_noted (tree.h) and clears all front tables. */
void ways_begin(void);

static inline struct lane_way *ways_at(struct lane_context *context, uint32_t parent,
				       uint64_t function, uint64_t call_site)
{
	uint32_t hash = tree_hash(parent, function) + (uint32_t)call_site * 0x9e3779b1u;

	return &context->ways[hash >> 20];
}

/* The child of parent with this key for calls from this site. 0: none, or it is time to
 * walk again. */
static inline uint32_t ways_find(struct lane_context *context, uint32_t parent,
				 uint64_t function, uint64_t call_site)
{
	struct lane_way *way = ways_at(context, parent, function, call_site);
	uint32_t child = way->child;
	const struct segment_node *node = &context->nodes[child];

	if (unlikely(!child || way->call_site != call_site || node->key != function ||
		     node->parent != parent || !--way->left))
		return 0;
	return child;
}

/* Notes that the next `calls` calls from this site go to this child of its parent. */
void ways_note(struct lane_context *context, uint32_t child, uint64_t call_site,
	       uint32_t calls);

/* Sends the next calls of a function, or of all functions and regions with 0, to the slow
 * path, as far as they are in this table, or in the front table. */
void ways_forget(struct lane_context *context, uint64_t function);
void ways_forget_front(struct lane_context *context, uint64_t function);

_Static_assert(LANE_WAYS == 1u << 12, "ways_at() shifts by 20");
