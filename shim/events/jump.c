/* SPDX-License-Identifier: MIT */
/* Closes the frames that a jump skips. Runs on: traced threads, any context. Must not
 * call libc or lock. */
#include "shim/events/events.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/budget/counting.h"
#include "shim/lane/busy.h"
#include "shim/lane/lane.h"
#include "shim/lane/tree.h"
#include "shim/lane/frames.h"
#include "shim/memory/site.h"
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

static int is_on_signal_stack(const struct lane_context *context)
{
	return paused_stack_low(context) != context->fiber->low;
}

/* Frames called from below the stack pointer are gone. A handler's, on an alternate
 * stack, are gone when control is back on the stack of the functions below it. */
static void unwind_below(struct lane_context *context, uintptr_t stack_pointer)
{
	int on_signal_stack = is_on_signal_stack(context);
	struct segment_frame *frame = context->top;

	for (; frame > context->frames; frame--) {
		uintptr_t called_from = frame[-1].stack_pointer;

		if (paused_holds(context, called_from) ? called_from >= stack_pointer
						       : on_signal_stack)
			break;
	}
	unwind(context, frame);
}

/* The interrupted hook held the books, and perhaps a site. */
static void abandon_books(struct lane_context *context)
{
	context->own_work = 0;
	site_unlock_left(context);
	if (context->deferred_count)
		deferred_book(context);
}

/* A part without a function here needs no repair: it stands interruption anywhere. */
void jump_put_in_order(struct lane_context *context, uint32_t part)
{
	static void (*const abandon[LANE_PARTS])(struct lane_context *) = {
		[BUSY_BOOKS] = abandon_books,
		[BUSY_TREE] = tree_abandon,
		[BUSY_STUDY] = study_abandon,
		[BUSY_CHANGES] = changes_abandon,
	};

	if (abandon[part])
		abandon[part](context);
}

/* Are the same frames open as when the place was marked? Functions are, since the one
 * that was marked goes on. But regions may have ended, and others taken their place. */
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
	if (!paused_holds(context, stack_pointer)) {
		if (is_on_signal_stack(context)) /* the signal stack is left for good */
			busy_leave(context, UINTPTR_MAX);
		fiber_jump(context, stack_pointer);
	}
	busy_leave(context, stack_pointer);
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
	busy_leave(context, stack_pointer);
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

/* Closes the frames that the child left open when it called exec or _exit. They are not
 * counted as repaired: that is how a vfork child ends. */
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
