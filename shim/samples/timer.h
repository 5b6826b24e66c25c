/* SPDX-License-Identifier: MIT */
/*
 * Samples by a timer of the thread's CPU clock, whose signal interrupts it: where the
 * kernel has no ring for us. Runs on: the lane's thread, any context, but for
 * timer_give_up(); the gate is entered. Must not be seen by the program.
 *
 * The signal is one that glibc keeps for itself (SIGCANCEL): its functions neither let a
 * program have a handler for it, or the default, which would kill it, nor block it, wait
 * for it or read it from a descriptor, and sigfillset() leaves it out. glibc has use for
 * it in programs that call pthread_cancel(); its handler then takes the place of ours,
 * and passes over what is not of pthread_kill(). The kernel makes the signal on the way
 * back to user mode, so no system call ends for it. exec and fork drop timer and signal.
 *
 * The handler writes the address and some of the stack where the next hook of the thread
 * finds it, as the kernel writes to its ring. It takes 3.5 KiB of the stack, or of the
 * thread's signal stack. So there is no timer where that may be too much, in a process
 * with coroutines above all; nor where a filter of system calls came later, which may
 * kill who returns from a handler.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"

/* The least signal stack: a frame with AVX-512, and as much for the program's own. */
#define TIMER_STACK_BYTES 8192u

/* Sets the timer of the calling thread, which is made when there is none. 0, or -errno:
 * -EBUSY: not for this thread as it is now, or for none of this process any more, which
 * is noted. Without one nothing is left of it. */
int timer_set(struct lane_context *context, uint64_t period_ns);

/* No samples come any more. */
void timer_end(struct lane_context *context);

/* Atomic. */
extern hidden uint32_t timer_is_given_up;

/* Any thread: no thread of this process has one any more, from now on. */
void timer_give_up(void);

static inline int timer_is_set(const struct lane_context *context)
{
	return __atomic_load_n(&context->samples.timer, __ATOMIC_RELAXED) != 0;
}
