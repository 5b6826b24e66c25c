/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's context, and whether to record. Only this file decides what
 * happens for a thread without a lane, a forked child, another stack, or a closed gate.
 * Runs on: traced threads, any context.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/stacks/fiber.h"

/* The calling thread's context, made when it has none yet; a forked child gets its own.
 * NULL: the thread records nothing, and the caller counts what is lost. */
struct lane_context *context_acquire(void);

/* The same, switched to the stack of this address: a hook's, or a jump's target. */
struct lane_context *context_settle(uintptr_t stack);

/* The same as context_acquire(), without a call in nearly every case. */
static inline struct lane_context *context_get(void)
{
	struct lane_context *context = lane_self;

	return likely(lane_is_live(context)) ? context : context_acquire();
}

/* True when a hook can go on at once: the thread has a lane and is on its stack. */
static inline int context_is_settled(const struct lane_context *context, uintptr_t stack)
{
	return context && fiber_is_current(context, stack);
}

/* Does the state belong to this process? Not in a vfork child, which runs in its parent's
 * memory. Valid only while the process is recorded. */
int context_is_own_process(void);

/* The calling thread ends: closes its open frames and frees the lane for another
 * thread. */
void context_release(void);

/* What context_return() needs to undo context_borrow(). */
struct context_loan {
	struct lane_context *before;
	uint64_t mask;
};

/* Lends a thread without a lane one for a single allocation; it gets no row. Signals stay
 * blocked until context_return(). NULL: no lane, and nothing to return. */
struct lane_context *context_borrow(struct context_loan *loan);
void context_return(const struct context_loan *loan);

/* Reserves for the calling thread's lane what it may need once the gate is closed.
 * Signals are blocked. */
void context_reserve(struct lane_context *context);
