/* SPDX-License-Identifier: MIT */
/* A thread's lane, and what becomes of frames that are left without their exit. */
#include "shim/lane/lane.h"

#include "shim/core/clock.h"

struct lane_context lane_absent, lane_none;
__thread struct lane_context *lane_self = &lane_absent;
__thread uint32_t lane_left_slot;

void lane_close_frame(struct lane_context *context, struct segment_frame *frame,
		      uint64_t now)
{
	struct segment_node *node = &context->nodes[frame->node];

	if (frame->function == LANE_ENDED_REGION)
		return; /* it has had its end */
	context->lane->repaired_frame_count++;
	if (!frame->node)
		return;
	if ((int64_t)(now - frame->start_ticks) > 0)
		node->total_ticks += now - frame->start_ticks;
	if (segment_node_unfinished_count(node) < ~SEGMENT_NODE_INLINED)
		node->unfinished++;
	frame->node = 0;
}

void lane_close_frames(struct lane_context *context, struct fiber *fiber)
{
	uint64_t now = fiber->clock->left_ticks - fiber->clock->suspended_ticks;

	while (fiber->top > fiber->frames) {
		fiber->top--;
		lane_close_frame(context, fiber->top, now);
	}
	fiber->current = LANE_ROOT;
}

cold uint64_t lane_leave_out(struct lane_context *context, uint64_t since)
{
	uint64_t ticks = clock_behind() - since;

	if ((int64_t)ticks <= 0)
		return 0;
	/* a reader has the one or the other; a handler in between has its own frames */
	context->lane->left_out_ticks += ticks;
	context->fiber->clock->suspended_ticks += ticks;
	context->clock_offset = context->fiber->clock->suspended_ticks;
	return ticks;
}

void lane_unwind(struct lane_context *context, struct segment_frame *new_top,
		 uint64_t now)
{
	while (context->top > new_top) {
		struct segment_frame *frame = context->top - 1;

		lane_close_frame(context, frame, now);
		context->current = frame->parent_node;
		__atomic_fetch_sub(context->depth, 1, __ATOMIC_RELAXED);
		context->top = frame;
	}
}
