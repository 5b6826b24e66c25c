/* SPDX-License-Identifier: MIT */
/*
 * Recursion that is merged. Runs on: the lane's thread, any context; slow paths only.
 *
 * A few functions that call each other in turns (a parser's) make a path of each depth
 * and each order, hundreds of thousands, which nobody reads and which no cache holds. So
 * once a lane has RECURSION_FREE nodes, or there is no room for more, a call that would
 * make another one for a function that its path already has becomes a call of the nearest
 * such node above: it is counted there, and what it calls continues from there.
 *
 * TIME
 *
 * The frame of such a call has node 0, so its end comes to the slow path. The call's time
 * is a part of that of the node that it was merged into, whose outer call is still open;
 * but not of the paths between the two, below which it is no longer. So when it ends, the
 * beginnings of the open calls between are moved by what it took. Totals are then sums of
 * what is below them, and self times what the calls did themselves.
 *
 * Between a merged call and its end `current` is the node that it was merged into, and
 * the frame's parent_node another one: by that its frame is known. A function that calls
 * itself directly has no frame between, and nothing to move.
 */
#pragma once

#include "shim/lane/lane.h"

/* Paths that a program may have before recursion is merged: more than SQLite's, an order
 * of magnitude more than people look at. */
#define RECURSION_FREE 65536u

static inline int recursion_is_merged(const struct lane_context *context)
{
	return unlikely(context->node_next > RECURSION_FREE);
}

/* The nearest node of this function at `node` or above it; 0: there is none. */
uint32_t recursion_find(const struct lane_context *context, uint32_t node, uint64_t key);

static inline int recursion_is_frame(const struct lane_context *context,
				     const struct segment_frame *frame, uint32_t current)
{
	return !frame->node && current != frame->parent_node &&
	       context->nodes[current].parent != frame->parent_node &&
	       !segment_key_is_region(frame->function);
}

/* A merged call ends at time `now` of its stack, with or without its exit. bottom: the
 * stack's first frame; current: the node that the call was merged into. */
void recursion_leave(struct lane_context *context, struct segment_frame *bottom,
		     struct segment_frame *frame, uint32_t current, uint64_t now);
