/* SPDX-License-Identifier: MIT */
/* Open frames: finding them, calls that are merged into a node of their function's, and
 * frames that are left without their exit. Runs on: the lane's thread, any context. Must
 * not call libc or lock. */
#pragma once

#include "shim/lane/lane.h"

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
 * Between a merged call and its end `current` is the node that it was merged into, which
 * is its function's and no child of the frame's parent_node: by that its frame is known.
 * A function that calls itself directly is merged only where there is no room, and has no
 * frame between to move.
 */

/* Paths that a program may have before recursion is merged: more than SQLite's, an order
 * of magnitude more than people look at. */
#define RECURSION_FREE 65536u

static inline int recursion_is_merged(const struct lane_context *context)
{
	return unlikely(context->node_next - context->levels.count > RECURSION_FREE);
}

/* The nearest node of this function at `node` or above it; 0: there is none. */
uint32_t recursion_find(const struct lane_context *context, uint32_t node, uint64_t key);

/* current: the node below which the frame's call calls. */
static inline int recursion_is_frame(const struct lane_context *context,
				     const struct segment_frame *frame, uint32_t current)
{
	const struct segment_node *node = &context->nodes[current];

	return !frame->node && node->key == frame->function &&
	       node->parent != frame->parent_node;
}

/* A merged call ends at time `now` of its stack. bottom: the stack's first frame;
 * current: the node that the call was merged into. Returns what it took. */
uint64_t recursion_leave(struct segment_frame *bottom, struct segment_frame *frame,
			 uint32_t current, uint64_t now);

/*
 * Room for the open frames of a lane's other stacks. Runs on: the lane's thread, any
 * context; slow paths only.
 *
 * The thread's own stack has the lane's frames from the first one upwards; the others
 * have chunks taken from the last one downwards, which double when they are full. The
 * first frame of a chunk matches no exit (function 0), so that the hooks need not ask
 * whether a stack is empty; struct fiber.frames points behind it.
 */

/* The lane's own frames, and the thread's own stack as the one in use: of a lane that has
 * just been laid out. 0, or -ENOSPC. */
int frames_begin(struct lane_context *context);

/* Gives a fiber a chunk with room for `depth` frames and more. 0, or -ENOSPC. */
int frames_take(struct lane_context *context, struct fiber *fiber, uint32_t depth);

/* Takes the fiber's chunk back. */
void frames_give(struct lane_context *context, struct fiber *fiber);

/* Room for more frames on the stack in use. 0, or -errno. */
int frames_grow(struct lane_context *context);

/* Is a call of the function open in a thread of the process? Also where there are more
 * threads, stacks or frames than are looked at. */
int frames_are_open(uint64_t function);

/* Room for thousands more, as far as it can be had. */
void frames_reserve(struct lane_context *context);

/*
 * Frames that are left without their exit: their calls are counted as unwound, with the
 * time up to then. Runs on: the lane's thread, any context.
 */

/* Closes open frames of the stack in use from new_top on, at time `now` of that stack
 * (ticks less clock_offset). */
void unwind_to(struct lane_context *context, struct segment_frame *new_top, uint64_t now);

/* Closes all frames of a stack that was left and will not be returned to. */
void unwind_stack(struct lane_context *context, struct fiber *fiber);
