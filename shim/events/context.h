/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's context, and whether to record: the one place that knows what a
 * thread without a lane, a forked child, a thread on another stack and a closed gate come
 * to. Runs on: traced threads, any context.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/stacks/fiber.h"

/* The calling thread's context, made when it has none yet; a forked child gets its own.
 * NULL: it records nothing, and the caller counts what it cannot record. */
struct lane_context *context_acquire(void);

/* The same on the stack of this address, which is a hook's or what control goes to. */
struct lane_context *context_settle(uintptr_t stack);

/* The context as it is in nearly every case, without a call; or as above. */
static inline struct lane_context *context_get(void)
{
	struct lane_context *context = lane_self;

	return likely(lane_is_live(context)) ? context : context_acquire();
}

/* True when a hook can go on at once: there is a lane, on the stack that is in use. */
static inline int context_is_settled(const struct lane_context *context, uintptr_t stack)
{
	return context && fiber_is_current(context, stack);
}

/* Is this the process that the state belongs to? No: a vfork child, in its parent's
 * memory. Only while it is recorded. */
int context_is_own_process(void);

/* The calling thread ends: closes its open frames, gives the lane to the next thread. */
void context_release(void);

/* What a lane is borrowed with. */
struct context_loan {
	struct lane_context *before;
	uint64_t mask;
};

/* A lane for one allocation of a thread without one; it has no row for that. Signals are
 * blocked until it is returned. NULL: there is none, and nothing to return. */
struct lane_context *context_borrow(struct context_loan *loan);
void context_return(const struct context_loan *loan);

/* The calling thread's lane takes in advance what it may need when the gate is closed.
 * Signals are blocked. */
void context_reserve(struct lane_context *context);
