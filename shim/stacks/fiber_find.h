/* SPDX-License-Identifier: MIT */
/*
 * From a stack pointer to the fiber that runs there. Runs on: the lane's thread, any
 * context; slow paths only, signals blocked.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

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
