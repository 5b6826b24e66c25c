/* SPDX-License-Identifier: MIT */
/*
 * Makes nodes for the frames between an allocation and the innermost function with a
 * frame of ours. Runs on: traced threads, inside an allocation hook (BUSY_BOOKS held).
 * Must not lock, nor read anything but the stack in use.
 *
 * Code without hooks gets a node for each return address. Counted functions have no frame
 * of ours, but lie on the stack: the innermost one gets the allocation, and those around
 * it are levels (common/segment_tree.h). So the path is as if each call were recorded.
 * The stack is walked for each allocation: the way that the last one came tells nothing
 * about the next.
 */
#pragma once

#include "shim/stacks/walk.h"

/* The child of a node for a frame. 0: no room (counted), the path ends at the node. */
uint32_t graft_frame(struct lane_context *context, uint32_t node, uint64_t address);

/* Is this the innermost function with a frame, not counting regions open in it? */
int graft_is_innermost(const struct lane_context *context, uint64_t function);

/* Grafts a walk; returns the node of its innermost frame that there is room for. */
uint32_t graft_walk(struct lane_context *context, const struct walk *walk,
		    const struct stack_caller *caller, uint64_t call_site);
