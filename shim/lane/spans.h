/* SPDX-License-Identifier: MIT */
/*
 * Calls and steps that took long are kept, with their times (common/slow/spans.h).
 * Runs on: the lane's thread, any context, slow paths: a hook asks only whether a call
 * took as long as context->span_ticks. Must not lock, or call libc.
 *
 * WHEN IT BEGAN. A frame has the clock of its stack, which stands still while the
 * recorder works and while another stack runs. What was left out before it began, and
 * what its thread had waited then, is in no frame: that would be paid for in each call.
 * Both change at rare moments only. At each of these, and when a span is kept, the calls
 * that are open and have not been looked at yet get a mark, all of them together: a frame
 * is the first mark's that is not older than the frame. So waits are exact, the beginning
 * comes up to that first moment too late by what was left out until then, and a call is
 * never before its caller.
 */
#pragma once

#include "common/slow/spans.h"
#include "shim/lane/lane.h"

/* No call is that long. One whose clock went back is, as a number without a sign: hooks
 * find both by one comparison. */
#define SPANS_NEVER (1ull << 63)

/* For a lane that begins. */
void spans_begin(struct lane_context *context);

/* Takes room now: later the file may not grow any more. */
void spans_reserve(struct lane_context *context);

/* The call of this node, which is not 0, began and ended then, by the clock of this
 * stack, and its frame is closed. Kept when it is as long as span_ticks. */
void spans_keep_call(struct lane_context *context, const struct fiber *fiber,
		     uint32_t node, uint64_t begin, uint64_t end,
		     enum segment_span_kind kind);

/* The same of a step; filled in but for node and thread. */
void spans_keep_step(struct lane_context *context, const struct segment_span *step);

/* Before what the thread has waited is added to the sums of its lane. */
void spans_note_frames(struct lane_context *context);

/* Now and then: the threshold comes down when few are kept. now: the run's clock. */
void spans_look(struct lane_context *context, uint64_t now);

/* A stack is begun, left, and gone on with: what is waited meanwhile is others'. */
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
	spans_leave_stack(context, fiber); /* sums without it, and again with it */
}
