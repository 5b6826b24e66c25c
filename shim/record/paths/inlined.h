/* SPDX-License-Identifier: MIT */
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
#pragma once

#include "shim/lane/lane.h"

/* Is the call of this frame, the topmost of the stack in use, an inlined copy? Its
 * function, caller and stack pointer are filled in. return_address: of the hook, 0:
 * nobody's. */
int inlined_is_copy(const struct lane_context *context, const struct segment_frame *frame,
		    uintptr_t return_address);

/* Is the hook that returns there called by the code of another function, which is not
 * recorded exactly, or was not? */
int inlined_is_elsewhere(uint64_t function, uintptr_t return_address);
