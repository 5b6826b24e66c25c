/* SPDX-License-Identifier: MIT */
/* The table of a lane's fibers, and which one an address is on. Runs on: the lane's
 * thread, any context; slow paths only, signals blocked. Other threads read the table
 * under the process lock. */
#pragma once

#include <stdint.h>

#include "shim/core/own_memory.h"
#include "shim/lane/lane.h"

static inline int fiber_contains(const struct fiber *fiber, uintptr_t address)
{
	return address - fiber->low < fiber->high - fiber->low;
}

/* Control will not return to what ran on [low, high): drops the lane's fibers there, and
 * marks those of other lanes. The caller holds the process lock. */
void fiber_forget(struct lane_context *context, uintptr_t low, uintptr_t high);

/* The known fiber of this lane that the address lies on, its own stack included; NULL:
 * none. is_jump: we saw control jump there. */
struct fiber *fiber_find(struct lane_context *context, uintptr_t address, int is_jump);

/* Finds or makes the fiber of an address that lies on no known one: one that has moved
 * here from another lane, a known one that reaches farther than we knew, or a new one.
 * NULL: its bounds cannot be found, or no room. */
struct fiber *fiber_discover(struct lane_context *context, uintptr_t address);

/* Call after leaving the fiber: drops it if it has moved to another lane or its stack has
 * been reused. */
void fiber_drop_invalid(struct lane_context *context, struct fiber *fiber);
