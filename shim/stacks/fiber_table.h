/* SPDX-License-Identifier: MIT */
/*
 * The table of a lane's fibers. Runs on: the lane's thread, any context; slow paths only,
 * signals blocked. Others look at it, too, and then hold the process lock.
 */
#pragma once

#include <stdint.h>

#include "shim/core/own_memory.h"
#include "shim/lane/lane.h"

static inline int fiber_contains(const struct fiber *fiber, uintptr_t address)
{
	return address - fiber->low < fiber->high - fiber->low;
}

/* The fiber at this position, in order of addresses, and the position of the first one
 * that ends above an address: the table's length when there is none. */
struct fiber *fiber_at(const struct lane_context *context, uint32_t position);
uint32_t fiber_position(const struct lane_context *context, uintptr_t address);

/* The fiber around an address, NULL: none. */
struct fiber *fiber_search(const struct lane_context *context, uintptr_t address);

/* A new fiber, NULL: no room. Of one that is no window, what ran in its extent before is
 * forgotten. */
struct fiber *fiber_add(struct lane_context *context, struct extent extent,
			enum fiber_kind kind);

/* A new fiber with room for `depth` frames. The process lock is held. */
struct fiber *fiber_add_locked(struct lane_context *context, struct extent extent,
			       enum fiber_kind kind, uint32_t depth);

/* Takes a fiber that is not in use out of the table. The process lock is held. */
void fiber_drop(struct lane_context *context, struct fiber *fiber);

/* What ran on [low, high) will not be returned to: drops the lane's fibers there, and
 * marks those of other lanes. The process lock is held. */
void fiber_forget(struct lane_context *context, uintptr_t low, uintptr_t high);
