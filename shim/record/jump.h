/* SPDX-License-Identifier: MIT */
/*
 * Control that leaves functions without their exit hook: longjmp, setcontext,
 * exceptions, vfork. Must not call libc or lock.
 *
 * A place that setjmp or getcontext can be returned to is named by the stack pointer and
 * the address that they return to. The number of open frames is remembered for it, which
 * is exact also when functions were inlined there (they share a stack pointer). When it
 * is not known, because too many others came since, or says nothing any more, because
 * regions have ended since, frames called from below the stack pointer are gone.
 */
#pragma once

#include <stdint.h>

/* setjmp or getcontext will return, perhaps again, to this place. */
void jump_mark(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on at this place, which may be on another stack. */
void jump_land(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on in the function of this stack that called with its stack pointer at
 * stack_pointer: an exception's handler or cleanup. */
void jump_unwind(uintptr_t stack_pointer);

/* See upcalls.h: the calling thread's lane. */
struct lane_context;
void jump_put_in_order(struct lane_context *context, uint32_t part);

/* Around vfork, in the parent: the child works on the same stack and in the same lane. */
void jump_before_vfork(void);
void jump_after_vfork(void);
