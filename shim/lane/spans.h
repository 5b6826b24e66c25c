/* SPDX-License-Identifier: MIT */
/*
 * Keeps calls and steps that took long, with their times (common/segment_slow.h). Runs
 * on: the lane's thread, any context, slow paths: a hook only compares a call's ticks
 * with context->span_ticks. Must not lock, or call libc.
 *
 * WHEN IT BEGAN. A frame's times are those of its stack's clock, which stands still while
 * the recorder works and while another stack runs. The frame does not hold how far that
 * clock was behind, nor how long its thread had waited, when it began: every call would
 * pay for that. Both change only at rare moments. At each of these, and when a span is
 * kept, all open calls that have no mark yet get one in common. A frame belongs to the
 * first mark that is not older than the frame. So waits are exact, and no call begins
 * before its caller; a beginning may be late by what was left out between it and its
 * mark.
 */
#pragma once

#include "common/segment_slow.h"
#include "shim/lane/lane.h"

/* No call is that long, except one whose clock went back, taken as unsigned. So hooks
 * find both by one comparison. */
#define SPANS_NEVER (1ull << 63)

/* Sets up a new lane. */
void spans_begin(struct lane_context *context);

/* Reserves room now: the file may not be able to grow later. */
void spans_reserve(struct lane_context *context);

/* Keeps a call of this node (not 0) if it is at least span_ticks long. begin and end are
 * by the stack's clock; the frame is closed already. */
void spans_keep_call(struct lane_context *context, const struct fiber *fiber,
		     uint32_t node, uint64_t begin, uint64_t end,
		     enum segment_span_kind kind);

/* The same for a step. The caller fills in all but node and thread. */
void spans_keep_step(struct lane_context *context, const struct segment_span *step);

/* Marks the open calls. Call it before adding a wait to the lane's sums. */
void spans_note_frames(struct lane_context *context);

/* Call now and then: lowers the threshold when few spans are kept. now: the run's
 * clock. */
void spans_look(struct lane_context *context, uint64_t now);

/* A stack is begun, left or resumed: waits in between are not its own. */
static inline void spans_begin_stack(const struct lane_context *context,
				     struct fiber *fiber)
{
	fiber->ready_ns = context->off_cpu.ready_ns;
	fiber->blocked_ns = context->off_cpu.blocked_ns;
}

static inline void spans_leave_stack(const struct lane_context *context,
				     struct fiber *fiber)
{
	fiber->ready_ns = context->off_cpu.ready_ns - fiber->ready_ns;
	fiber->blocked_ns = context->off_cpu.blocked_ns - fiber->blocked_ns;
}

static inline void spans_resume_stack(const struct lane_context *context,
				      struct fiber *fiber)
{
	spans_leave_stack(context, fiber); /* the same subtraction undoes it */
}
