/* SPDX-License-Identifier: MIT */
/*
 * The levels of a path that have no frames (common/segment_tree.h, LEVELS), from the
 * stack. Runs on: traced threads, any context; where a call's path is not in the front
 * table. Must not lock, or read anything but the stack in use.
 *
 * WHEN THE STACK IS WALKED
 *
 * A walk takes half a microsecond, so it must be rare; but a path that was looked at only
 * when it was new had all its later calls, whoever they came by. So it is walked to for
 * each of the first LEVELS_RARE calls of a path with levels: what is called rarely is
 * always where it belongs. From then on the call site, which the hook is given, tells who
 * the caller is (lane/ways/ways.h), and each LEVELS_MANY-th call from there is walked to
 * again: calls of a frequent path are divided among the ways to its caller by samples.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/stacks/walk.h"

#define LEVELS_RARE 16u
#define LEVELS_MANY 256u

/* The node for the call that this frame has been taken for, of the current node; made
 * when it is not there; 0: no room. hook: of the call of its hook, whose frame pointer
 * may be 0; NULL: nobody's. */
uint32_t levels_child(struct lane_context *context, const struct segment_frame *frame,
		      const struct stack_caller *hook);
