/* SPDX-License-Identifier: MIT */
/*
 * Frames that are left without their exit: their calls are counted as unwound, with the
 * time up to then. Runs on: the lane's thread, any context.
 */
#pragma once

#include "shim/lane/lane.h"

/* Closes open frames of the stack in use from new_top on, at time `now` of that stack
 * (ticks less clock_offset). */
void unwind_to(struct lane_context *context, struct segment_frame *new_top, uint64_t now);

/* Closes all frames of a stack that was left and will not be returned to. */
void unwind_stack(struct lane_context *context, struct fiber *fiber);
