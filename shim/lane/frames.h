/* SPDX-License-Identifier: MIT */
/* Open frames: room for them, recursive calls that are merged into a node, and frames
 * that are left without their exit. Runs on: the lane's thread, any context. Must not
 * call libc or lock. */
#pragma once

#include "shim/lane/lane.h"

/*
 * Recursion that is merged. Runs on: the lane's thread, any context; slow paths only.
 *
 * A few functions that call each other (a parser's) make a path for each depth and order:
 * hundreds of thousands, which nobody reads and no cache holds. So once a lane has
 * RECURSION_FREE nodes, a call of a function that is already on its path, called by the
 * same function, makes no new node. It is counted in the nearest such node above, and
 * what it calls continues from there. With no room for more nodes that is the function's
 * nearest, whoever called it.
 *
 * TIME
 *
 * The frame of a merged call has node 0, so its exit takes the slow path. Its time is
 * already part of its node's, whose outer call is still open. But it must not be part of
 * the paths between the two, which it is no longer below. So when it ends, the starts of
 * the open calls between are moved by its time. Totals then stay sums of what is below
 * them, and self times are right.
 *
 * Until a merged call ends, `current` is the node that it was merged into: its
 * function's, but not a child of the frame's parent_node. That identifies its frame.
 * Direct recursion is merged only when there is no room, and has no frames between to
 * move.
 */

/* Nodes that a lane may have before recursion is merged: more than SQLite has, and ten
 * times what people look at. */
#define RECURSION_FREE 65536u

static inline int recursion_is_merged(const struct lane_context *context)
{
	return unlikely(context->node_next - context->levels.count > RECURSION_FREE);
}

/* The nearest node of this function, from `node` upwards; 0: there is none. */
uint32_t recursion_find(const struct lane_context *context, uint32_t node, uint64_t key);

/* Is this the frame of a merged call? current: the node that its callees are children
 * of. */
static inline int recursion_is_frame(const struct lane_context *context,
				     const struct segment_frame *frame, uint32_t current)
{
	const struct segment_node *node = &context->nodes[current];

	return !frame->node && node->key == frame->function &&
	       node->parent != frame->parent_node;
}

/* A merged call ends at time `now` of its stack. bottom: the stack's first frame;
 * current: the node that the call was merged into. Returns the call's ticks. */
uint64_t recursion_leave(struct segment_frame *bottom, struct segment_frame *frame,
			 uint32_t current, uint64_t now);

/*
 * Room for the open frames of a lane's other stacks. Runs on: the lane's thread, any
 * context; slow paths only.
 *
 * The thread's own stack uses the lane's frames from the first one upwards. Other stacks
 * get chunks from the last one downwards; a full chunk doubles. The first frame of a
 * chunk matches no exit (function 0), so that the hooks need not ask whether a stack is
 * empty; struct fiber.frames points behind it.
 */

/* Sets up the frames of a lane that has just been laid out, with the thread's own stack
 * in use. 0, or -ENOSPC. */
int frames_begin(struct lane_context *context);

/* Gives a fiber a chunk with room for `depth` frames and more. 0, or -ENOSPC. */
int frames_take(struct lane_context *context, struct fiber *fiber, uint32_t depth);

/* Takes the fiber's chunk back. */
void frames_give(struct lane_context *context, struct fiber *fiber);

/* Room for more frames on the stack in use. 0, or -errno. */
int frames_grow(struct lane_context *context);

/* May a call of the function be open in a thread of the process? Also true when there are
 * more threads, stacks or frames than it looks at. */
int frames_are_open(uint64_t function);

/* Reserves room for thousands more frames, as far as possible. */
void frames_reserve(struct lane_context *context);

/*
 * Frames that are left without their exit. Their calls are counted as unwound, with their
 * time so far. Runs on: the lane's thread, any context.
 */

/* Closes open frames of the stack in use from new_top on, at time `now` of that stack
 * (ticks less clock_offset). */
void unwind_to(struct lane_context *context, struct segment_frame *new_top, uint64_t now);

/* Closes all frames of a stack that was left and will not be returned to. */
void unwind_stack(struct lane_context *context, struct fiber *fiber);
