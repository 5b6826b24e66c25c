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

#include "shim/lane/lane.h"

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
