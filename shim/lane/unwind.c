/* SPDX-License-Identifier: MIT */
/* Closes frames that are left without their exit. */
#include "shim/lane/unwind.h"

#include "shim/lane/recursion.h"
#include "shim/lane/spans.h"
#include "shim/lane/upcalls.h"

/* For who leaves this in the middle, too. */
static inline void order_stores(void)
{
	__asm__ volatile("" : : : "memory");
}

static void note_unfinished(struct segment_node *node)
{
	if (segment_node_unfinished_count(node) < SEGMENT_NODE_UNFINISHED_MOST)
		node->unfinished++;
}

/* Closes one open frame of this stack, which begins at bottom, without its exit, at time
 * `now` of the stack. current: the node below which it calls. */
static void close_frame(struct lane_context *context, const struct fiber *fiber,
			struct segment_frame *bottom, struct segment_frame *frame,
			uint32_t current, uint64_t now)
{
	struct segment_node *node = &context->nodes[frame->node];
	uint32_t number = frame->node;

	if (frame->function == LANE_ENDED_REGION)
		return; /* it has had its end */
	context->lane->repaired_frame_count++;
	if (recursion_is_frame(context, frame, current)) {
		recursion_leave(bottom, frame, current, now);
		note_unfinished(&context->nodes[current]);
	}
	if (!frame->node)
		return;
	if ((int64_t)(now - frame->start_ticks) > 0)
		node->total_ticks += now - frame->start_ticks;
	note_unfinished(node);
	frame->node = 0;
	if (now - frame->start_ticks >= context->span_ticks &&
	    !segment_frame_is_inherited(frame))
		spans_keep_call(context, fiber, number, frame->start_ticks, now,
				SEGMENT_SPAN_UNWOUND);
	if (frame->caller & SEGMENT_FRAME_TRIGGERS)
		upcalls.leave_call(context, frame->function, number,
				   frame->start_ticks + fiber->clock->suspended_ticks,
				   now - frame->start_ticks);
}

void unwind_stack(struct lane_context *context, struct fiber *fiber)
{
	uint64_t now = fiber->clock->left_ticks - fiber->clock->suspended_ticks;

	while (fiber->top > fiber->frames) {
		fiber->top--;
		close_frame(context, fiber, fiber->frames, fiber->top, fiber->current,
			    now);
		fiber->current = fiber->top->parent_node;
	}
	fiber->current = LANE_ROOT;
}

/* A handler may have left a hook in the middle: it has taken the topmost frame and not
 * counted it yet, or does not count it any more; neither has a node then. */
static int is_counted(const struct lane_context *context,
		      const struct segment_frame *frame)
{
	return frame->node || *context->depth > (uint64_t)(frame - context->frames);
}

void unwind_to(struct lane_context *context, struct segment_frame *new_top, uint64_t now)
{
	while (context->top > new_top) {
		struct segment_frame *frame = context->top - 1;
		uint32_t counted = (uint32_t)is_counted(context, frame);

		close_frame(context, context->fiber, context->frames, frame,
			    context->current, now);
		context->current = frame->parent_node;
		order_stores();
		__atomic_fetch_sub(context->depth, counted, __ATOMIC_RELAXED);
		order_stores();
		context->top = frame;
	}
}
