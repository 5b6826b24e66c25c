/* SPDX-License-Identifier: MIT */
/*
 * Room for the open frames of a lane's other stacks. Runs on: the lane's thread, any
 * context; slow paths only.
 *
 * The thread's own stack has the lane's frames from the first one upwards; the others
 * have chunks taken from the last one downwards, which double when they are full. The
 * first frame of a chunk matches no exit (function 0), so that the hooks need not ask
 * whether a stack is empty; struct fiber.frames points behind it.
 */
#pragma once

#include "shim/record/lane.h"

/* The lane's own frames have been laid out: nothing is taken yet. */
void chunk_begin(struct lane_context *context);

/* Gives a fiber a chunk with room for `depth` frames and more. 0, or -ENOSPC. */
int chunk_take(struct lane_context *context, struct fiber *fiber, uint32_t depth);

/* Takes the fiber's chunk back. */
void chunk_give(struct lane_context *context, struct fiber *fiber);

/* Twice the room for the stack in use, a fiber with a chunk. 0, or -ENOSPC. */
int chunk_grow(struct lane_context *context);
