/* SPDX-License-Identifier: MIT */
/* The fibers of a lane: the table, and which one an address is on. Runs on: the lane's
 * thread, any context; slow paths only, signals blocked. Others look at the table, too,
 * and then hold the process lock. */
#pragma once

#include <stdint.h>

#include "shim/core/own_memory.h"
#include "shim/lane/lane.h"

static inline int fiber_contains(const struct fiber *fiber, uintptr_t address)
{
	return address - fiber->low < fiber->high - fiber->low;
}

/* What ran on [low, high) will not be returned to: drops the lane's fibers there, and
 * marks those of other lanes. The process lock is held. */
void fiber_forget(struct lane_context *context, uintptr_t low, uintptr_t high);

/* The known fiber of this lane that the address lies on, its own stack included; NULL:
 * none. is_jump: control has been seen going there. */
struct fiber *fiber_find(struct lane_context *context, uintptr_t address, int is_jump);

/* Finds out about an address of no known fiber: a fiber of another lane that has moved
 * here, a known one that reaches farther than was known, or a new one. NULL: nothing
 * can be found out, or no room. */
struct fiber *fiber_discover(struct lane_context *context, uintptr_t address);

/* After the fiber has been left: drops it when it has moved to another lane or its stack
 * is used for something else. */
void fiber_drop_invalid(struct lane_context *context, struct fiber *fiber);
