/* SPDX-License-Identifier: MIT */
/*
 * The frames between an allocation and the innermost function with a frame, as nodes of
 * the call tree. Runs on: traced threads, inside an allocation hook (BUSY_BOOKS held).
 * Must not lock, or read anything but the stack in use.
 *
 * Code without hooks has a node for each return address. A function that is only counted
 * has no frame of ours either, but the stack has one of it: the innermost of these has
 * the allocation, and those around it are levels (common/segment_tree.h), so the path is
 * the one that it would have if each call were recorded. Each allocation is walked to:
 * what allocates under a function is not told by where the one before it came from.
 */
#pragma once

#include "shim/stacks/walk.h"

/* The child of a node for a frame. 0: no room (counted), the path ends at the node. */
uint32_t graft_frame(struct lane_context *context, uint32_t node, uint64_t address);

/* Is the innermost function with a frame, below the regions that are open in it, this? */
int graft_is_innermost(const struct lane_context *context, uint64_t function);

/* The node of the walk's innermost frame: of what there is room for. */
uint32_t graft_walk(struct lane_context *context, const struct walk *walk,
		    const struct stack_caller *caller, uint64_t call_site);
