/* SPDX-License-Identifier: MIT */
/* Closes the frames that a jump skips. Must not call libc or lock. */
#include "shim/waits/off_cpu.h"
#include "shim/waits/stalls.h"
#include "shim/record/jump.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/io/transfers.h"
#include "shim/lane/lane.h"
#include "shim/lane/paused.h"
#include "shim/lane/spans.h"
#include "shim/lane/tree.h"
#include "shim/lane/unwind.h"
#include "shim/memory/deferred.h"
#include "shim/record/marks/series.h"
#include "shim/samples/samples.h"
#include "shim/stacks/fiber.h"
#include "shim/study/study.h"

static struct jump_mark *mark_of(struct lane_context *context, uintptr_t stack_pointer,
				 uint64_t return_address)
{
	uint64_t hash = (stack_pointer ^ return_address << 7) * 0x9e3779b97f4a7c15ull;

	return &context->jump_marks[hash >> 57];
}

_Static_assert(LANE_JUMP_MARKS == 128, "mark_of() shifts by 57");

/* The calling thread's context, on the stack of this address; NULL: nothing is open. */
static struct lane_context *context_at(uintptr_t stack_pointer)
{
	struct lane_context *context = lane_own();

	if (context && !paused_holds(context, stack_pointer))
		fiber_settle(context, stack_pointer);
	return context;
}

void jump_mark(uintptr_t stack_pointer, uint64_t return_address)
{
	struct lane_context *context = context_at(stack_pointer);

	if (!context)
		return;
	*mark_of(context, stack_pointer, return_address) = (struct jump_mark){
		.stack_pointer = stack_pointer,
		.return_address = return_address,
		.frame_ticks = context->top[-1].start_ticks,
		.fiber = context->fiber,
		.depth = (uint32_t)(context->top - context->frames),
		.counted_depth = *context->depth,
		.current = context->current,
	};
}

static void unwind(struct lane_context *context, struct segment_frame *new_top)
{
	if (new_top != context->top)
		unwind_to(context, new_top, paused_clock() - context->clock_offset);
}

/* Frames called from below the stack pointer are gone. A handler's, on an alternate
 * stack, are gone when control is back on the stack of the functions below it. */
static void unwind_below(struct lane_context *context, uintptr_t stack_pointer)
{
	int on_signal_stack = paused_stack_low(context) != context->fiber->low;
	struct segment_frame *frame = context->top;

	for (; frame > context->frames; frame--) {
		uintptr_t called_from = frame[-1].stack_pointer;

		if (paused_holds(context, called_from) ? called_from >= stack_pointer
						       : on_signal_stack)
			break;
	}
	unwind(context, frame);
}

/* Does control that goes on at stack_pointer leave the hook at work at this address? */
static int leaves(const struct lane_context *context, uintptr_t at,
		  uintptr_t stack_pointer)
{
	return at && paused_holds(context, at) && at < stack_pointer;
}

/* A handler that interrupted a hook jumps out of both. */
static void leave_hooks(struct lane_context *context, uintptr_t stack_pointer)
{
	if (leaves(context, context->tree_busy, stack_pointer))
		tree_abandon(context);
	if (leaves(context, context->off_cpu.busy, stack_pointer))
		off_cpu_abandon(context);
	if (leaves(context, context->transfer_busy, stack_pointer))
		transfers_abandon(context);
	if (leaves(context, context->stalls_busy, stack_pointer))
		stalls_abandon(context);
	if (leaves(context, context->spans.busy, stack_pointer))
		spans_abandon(context);
	if (leaves(context, context->series_busy, stack_pointer))
		series_abandon(context);
	if (leaves(context, context->study.busy, stack_pointer))
		study_abandon(context);
	if (leaves(context, context->samples.busy, stack_pointer))
		samples_abandon(context);
	if (leaves(context, context->alloc_busy, stack_pointer)) {
		context->own_work = OWN_WORK_NONE;
		context->alloc_busy = 0;
		if (context->deferred_count)
			deferred_book(context);
	}
}

/* Are the frames open that were when the place was marked? Functions are, since the one
 * with the place goes on; regions may have ended, here or below another function, and
 * others taken their place. */
static int is_as_marked(const struct lane_context *context, const struct jump_mark *mark)
{
	const struct segment_frame *innermost = context->frames + mark->depth - 1;

	return mark->fiber == context->fiber &&
	       mark->depth <= (uint64_t)(context->top - context->frames) &&
	       innermost->start_ticks == mark->frame_ticks &&
	       innermost->function != LANE_ENDED_REGION;
}

void jump_land(uintptr_t stack_pointer, uint64_t return_address)
{
	struct lane_context *context = lane_own();
	const struct jump_mark *mark;
	const struct fiber *from;

	if (!context)
		return; /* nothing is open */
	from = context->fiber;
	if (!paused_holds(context, stack_pointer))
		fiber_jump(context, stack_pointer);
	leave_hooks(context, stack_pointer);
	mark = mark_of(context, stack_pointer, return_address);
	if (mark->stack_pointer == stack_pointer &&
	    mark->return_address == return_address && is_as_marked(context, mark)) {
		unwind(context, context->frames + mark->depth);
		context->current = mark->current;
		*context->depth = mark->counted_depth;
	} else if (context->fiber == from)
		unwind_below(context, stack_pointer);
}

void jump_unwind(uintptr_t stack_pointer)
{
	struct lane_context *context = context_at(stack_pointer);

	if (!context)
		return;
	leave_hooks(context, stack_pointer);
	unwind_below(context, stack_pointer);
}

void jump_before_vfork(void)
{
	struct lane_context *context = lane_own();

	if (!context)
		return;
	context->vfork_depth = (uint32_t)(context->top - context->frames);
	context->is_vforking = 1;
}

/* What the child entered and left by exec or _exit ends here. It is no repair: that is
 * how a vfork child ends. */
void jump_after_vfork(void)
{
	struct lane_context *context = lane_own();
	uint64_t repaired;

	if (!context)
		return;
	context->is_vforking = 0;
	if ((uint64_t)(context->top - context->frames) <= context->vfork_depth)
		return;
	repaired = context->lane->repaired_frame_count;
	unwind(context, context->frames + context->vfork_depth);
	context->lane->repaired_frame_count = repaired;
}
