/* SPDX-License-Identifier: MIT */
/*
 * By which call site a path was come to. As soon as some functions have no frames, the
 * innermost one with a frame and the function that is called do not say who called it:
 * that may be any function in between. The call site does. So from then on functions are
 * not in the front table, where hooks look first, but in this one.
 *
 * Of what is between the caller and the frame nothing is said: the path that a walk found
 * (events/levels.h) holds for some calls, and then the stack is walked again.
 *
 * Runs on: the lane's thread, any context; ways_begin() and ways_forget() under the
 * process lock, of other lanes, too: a thread may miss that where it is just noting one.
 */
#pragma once

#include "shim/lane/tree.h"

/* Sets ways_are_noted (tree.h): front tables forget the functions that they have. */
void ways_begin(void);

static inline struct lane_way *ways_at(struct lane_context *context, uint32_t parent,
				       uint64_t function, uint64_t call_site)
{
	uint32_t hash = tree_hash(parent, function) + (uint32_t)call_site * 0x9e3779b1u;

	return &context->ways[hash >> 20];
}

/* The child of parent with this key for calls from there; 0: none, or it is to be looked
 * for again. */
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

/* Notes a child of its own parent, for so many calls. */
void ways_note(struct lane_context *context, uint32_t child, uint64_t call_site,
	       uint32_t calls);

/* The next calls of a function, or with 0 of all, come to the slow path. */
void ways_forget(struct lane_context *context, uint64_t function);

_Static_assert(LANE_WAYS == 1u << 12, "ways_at() shifts by 20");
