/* SPDX-License-Identifier: MIT */
/* Finds where a new path belongs: which calls without a frame lie between a hook and the
 * frame of the path's parent, and whether the hook belongs to an inlined copy. Runs on:
 * the lane's thread, slow paths of the hooks, any context. */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/stacks/walk.h"

/*
 * Compilers put a function's hooks into its inlined copies, too, with the function's own
 * address. Runs on: traced threads, any context; when a path is made, not for each call.
 *
 * A copy runs in the frame of the function that it was inlined into, its host, so the
 * hook is given the host's return address again, and no call has pushed one since the
 * host's own hook: gcc and clang take both from the function that the code ended up in.
 * Comparing the addresses alone is not enough, for a recursive function has the same
 * return address at every level; but there it lies on the stack between the two.
 *
 * We tried and dropped the hook's own return address: without symbols it does not tell
 * whether f.constprop.0 or f.cold belongs to f, nor whether f is inlined into itself.
 *
 * A copy in a host without hooks takes its host's place and does not count as a copy. A
 * host whose call was only counted has hooks but no frame, so the frame below the copy is
 * its caller's. Then the code tells: it calls the host's own hook first.
 */

/* Is the call of this frame, the topmost of the stack in use, an inlined copy? Its
 * function, caller and stack pointer are filled in. return_address: the hook's; 0: no
 * hook. */
int inlined_is_copy(const struct lane_context *context, const struct segment_frame *frame,
		    uintptr_t return_address);

/*
 * Reads a path's levels, the functions without frames (common/segment_tree.h, LEVELS),
 * off the stack. Runs on: traced threads, any context; where a call's path is not in the
 * front table. Must not lock, or read anything but the stack in use.
 *
 * WHEN THE STACK IS WALKED
 *
 * A walk takes half a microsecond, so it must be rare. But walking only when a path is
 * new would give it all later calls, whatever way they came. So we walk for the first
 * LEVELS_RARE calls of a path with levels: rare calls are always where they belong. From
 * then on the call site tells who the caller is (lane/ways.h), and we walk again for
 * every LEVELS_MANY-th call from there. So the calls of a frequent path are divided among
 * the ways to its caller by samples.
 */

#define LEVELS_RARE 16u
#define LEVELS_MANY 256u

/* Finds or makes the node, below the current one, for the call that this frame was taken
 * for. 0: no room. hook: its hook's caller, whose frame pointer may be 0; NULL: there is
 * no hook. */
uint32_t levels_child(struct lane_context *context, const struct segment_frame *frame,
		      const struct stack_caller *hook);
