/* SPDX-License-Identifier: MIT */
/*
 * The stacks that a lane's thread switches between: its own, coroutines', alternate
 * signal stacks. Runs on: the lane's thread, any context; slow paths only.
 *
 * Each hook compares its stack pointer with the bounds of the stack in use, in the
 * context's first cache line. When it lies outside, fiber_settle() finds the stack that
 * the thread is on now and gives the context its open frames. A stack has its own frames,
 * its own place in the tree (a coroutine's first function is a child of the root: who
 * resumes it differs from time to time), and its own clock, which stands still while
 * another stack runs, so that the self times of a thread add up to its wall time.
 *
 * An alternate signal stack has no frames of its own: a handler is called on top of the
 * function that it interrupts, wherever its stack is.
 *
 * A fiber that appears on another thread than before goes on in that thread's lane; its
 * frames are moved to the nodes of the same paths there.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* Prepares the context for a thread that gets the lane: no open frames, stack not known
 * yet. The caller holds the process lock. */
void fiber_begin(struct lane_context *context);

/* The thread ends: closes the frames of its own stack. Coroutines may go on elsewhere. */
void fiber_end(struct lane_context *context);

/* Switches the context to the stack that stack_pointer lies on: from a hook there, or
 * before a jump to it. */
void fiber_settle(struct lane_context *context, uintptr_t stack_pointer);
void fiber_jump(struct lane_context *context, uintptr_t stack_pointer);

/* A coroutine is about to be made on [low, high): ends what ran there before. */
void fiber_declare(uintptr_t low, uintptr_t high);

/* True when stack_pointer lies on the stack in use. The word at stack_pointer may lie
 * beyond the stack's end or in a coroutine's stack; those below it are the stack's
 * own. */
static inline int fiber_is_current(const struct lane_context *context,
				   uintptr_t stack_pointer)
{
	return stack_pointer - 1 - context->stack_low < context->stack_size;
}
