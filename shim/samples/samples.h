/* SPDX-License-Identifier: MIT */
/*
 * Adds the samples of a thread to its lane (common/segment_samples.h). Runs on: the
 * lane's thread, any context; slow paths only, but for samples_wait().
 *
 * A ring costs some 15 us to make, a sample 1 to 16 us where the kernel runs on another
 * one. So a thread gets its ring when it has had some CPU time; samples take no more than
 * 2 % of it, by what the collector has measured. Each switch of the thread has the timer
 * set anew, which costs as much as a sample: one that is switched often has its ring for
 * a part of its time only (sampling_share()), in windows as short as making one allows,
 * whose samples tell of the rests between them, too. One that is switched without end has
 * none.
 */
#pragma once

#include <signal.h>

#include "shim/lane/lane.h"

/* A thread begins with the lane, and leaves it. */
void samples_begin_lane(struct lane_context *context);
void samples_end_lane(struct lane_context *context);

/* The thread may be on another stack than before: a handler that interrupts it has no
 * room on those of coroutines. */
void samples_settle(const struct lane_context *context);

/* Coroutines are to come, or a filter of system calls. Any thread. */
void samples_end_timers(void);

/* The calling thread asks for this signal stack, which may be NULL or unreadable. */
void samples_use_signal_stack(const stack_t *stack);

/* In the hooks, of a context that is settled: has a sample come since? */
static inline int samples_wait(const struct lane_context *context)
{
	return *context->sample_head != context->sample_tail;
}

/* Adds those that have come to the current node. */
void samples_take(struct lane_context *context);

/* What has come is nobody's: the recording was paused. */
void samples_skip(struct lane_context *context);

/* In hooks, before a frame is opened or closed: takes what has come, and leaves the time
 * for that out of all open calls. Switches have been booked: one before this would be
 * left out, too. context: of the thread, whatever it is. Earlier readings of the clock
 * are to be moved by what it returns. */
uint64_t samples_book(struct lane_context *context);

/* Now and then: makes the ring when it is due, or anew with another period. */
void samples_look(struct lane_context *context, uint64_t now);
