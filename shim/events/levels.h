/* SPDX-License-Identifier: MIT */
/* Where a new path belongs: which calls without a frame lie between a hook and the frame
 * of the path's parent, and whether the hook is that of an inlined copy. Runs on: the
 * lane's thread, slow path of the hooks, any context. */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/stacks/walk.h"

/*
 * Whether a call that is being entered is one: compilers put the hooks of a function into
 * its inlined copies, too, and give them the function's own address. Runs on: traced
 * threads, any context; when a path is made, not for each call.
 *
 * A copy runs in the frame of the function that it was inlined into, its host, so the
 * hook is given the host's return address again, and no call has pushed one since the
 * host's own hook: gcc and clang take both from the function that the code ended up in.
 * Comparing the addresses alone is not enough, for a recursive function has the same
 * return address at every level; but there it lies on the stack between the two.
 *
 * The hook's own return address was tried and dropped: whether it lies inside the
 * function that is named cannot be told of f.constprop.0 or f.cold, nor of a function
 * inlined into itself, without the symbols.
 *
 * A copy in a host without hooks stands where its host would stand, and is none here. A
 * host whose call was only counted has hooks, but no frame, and its caller's is the one
 * below the copy. Then the code tells: the host's own hook is called first in it.
 */

/* Is the call of this frame, the topmost of the stack in use, an inlined copy? Its
 * function, caller and stack pointer are filled in. return_address: of the hook, 0:
 * nobody's. */
int inlined_is_copy(const struct lane_context *context, const struct segment_frame *frame,
		    uintptr_t return_address);

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
 * the caller is (lane/ways.h), and each LEVELS_MANY-th call from there is walked to
 * again: calls of a frequent path are divided among the ways to its caller by samples.
 */

#define LEVELS_RARE 16u
#define LEVELS_MANY 256u

/* The node for the call that this frame has been taken for, of the current node; made
 * when it is not there; 0: no room. hook: of the call of its hook, whose frame pointer
 * may be 0; NULL: nobody's. */
uint32_t levels_child(struct lane_context *context, const struct segment_frame *frame,
		      const struct stack_caller *hook);
