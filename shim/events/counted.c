/* SPDX-License-Identifier: MIT */
/* Slow paths of calls without a frame, and the ends of those that have one. */
#include "shim/events/events.h"

#include "shim/budget/counting.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/spans.h"
#include "shim/patch/modes.h"
#include "shim/events/context.h"
#include "shim/events/frame_hooks.h"
#include "shim/study/study.h"
#include "shim/waits/off_cpu.h"

#define PULSE_TICKS (clock_tenth_of_second() >> 3) /* 12 ms */
#define PULSE_LEAST 64u
#define PULSE_MOST (1u << 20)

/* The stub found no counts: the lane is new or a forked child's, or recording is
 * paused. */
void realigned cold counted_enter(void *function, void *call_site)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	uintptr_t return_address = (uintptr_t)__builtin_return_address(0);
	uint32_t number = modes_find((uint64_t)function);

	off_cpu_book_switch(context);
	if (paused_is_on())
		return;
	context = context_settle(stack);
	if (!context)
		process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
	else if (!counted_add(context, modes_number_at(number, return_address,
						       (uintptr_t)call_site)))
		context->lane->folded_call_count++;
}

/* Sets the number of calls to the next pulse so that they take about PULSE_TICKS. */
static void load_pulse(struct lane_context *context, uint64_t now)
{
	struct lane_pulse *pulse = &context->pulses;
	uint64_t ticks = now - pulse->ticks;

	if (ticks < PULSE_TICKS / 2 && pulse->length < PULSE_MOST)
		pulse->length *= 2;
	else if (ticks > PULSE_TICKS * 2)
		pulse->length /= 2;
	if (pulse->length < PULSE_LEAST)
		pulse->length = PULSE_LEAST;
	pulse->ticks = now;
	context->pulse = (int32_t)pulse->length;
}

void realigned cold counted_pulse(void *function, void *call_site)
{
	struct lane_context *context = lane_self;
	uint64_t now = clock_now();

	(void)function;
	(void)call_site;
	now += off_cpu_book_switch(context);
	samples_look(context, now);
	load_pulse(context, now);
	changes_follow(context);
	spans_look(context, now);
	trials_look(context, now);
}

void realigned cold counted_edge(void *function, void *call_site, uint32_t place)
{
	uint32_t number = modes_number_of_edge(place, (uintptr_t)call_site);
	struct lane_context *context = lane_self;

	counted_add(context, number);
	if (--context->pulse < 0)
		counted_pulse(function, call_site);
}

/* A function that moves its stack pointer (alloca) addresses its data from %rbp. Does
 * %rbp lie above the frame's stack pointer, with this call's return address beside it? */
static int is_at_frame_pointer(const struct lane_context *context,
			       const struct segment_frame *frame,
			       const struct counted_place *place)
{
	uintptr_t at = place->frame_pointer;

	/* stack_low is 0 when the stack's bounds are not known */
	return context->stack_low && at > frame->stack_pointer &&
	       at % sizeof(uint64_t) == 0 && fiber_is_current(context, at) &&
	       fiber_is_current(context, at + 2 * sizeof(uint64_t)) &&
	       ((const uint64_t *)at)[1] == place->call_site;
}

/* Compilers may leave pushed arguments on the stack: gcc leaves those of a last call with
 * more than six until after the hook. */
#define PUSHED_MOST 128u

/* Is the stack only slightly deeper than when the frame began, so that the call itself
 * pushed what lies between? A deeper call of the function would have left its return
 * address there, which is the same. */
static int is_below_pushed(const struct lane_context *context,
			   const struct segment_frame *frame,
			   const struct counted_place *place)
{
	uintptr_t at = place->stack, end = frame->stack_pointer;

	if (!context->stack_low || at >= end || end - at > PUSHED_MOST ||
	    at % sizeof(uint64_t) || !fiber_is_current(context, end))
		return 0;
	for (; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t)) {
		if (*(const uint64_t *)at == place->call_site)
			return 0;
	}
	return 1;
}

/* Does this frame, the innermost, belong to this call? Calls without a frame lie deeper
 * on the stack than one of the same function with a frame, and return to another place or
 * at another depth. When the hook was jumped to, the stack pointer is back where the call
 * was made; for a function that calls itself, its caller's frame began there. */
static int is_of_frame(const struct lane_context *context,
		       const struct segment_frame *frame,
		       const struct counted_place *place)
{
	int was_jump = place->return_address == place->call_site;

	if (frame->function != place->function)
		return 0;
	if (segment_frame_caller(frame) != place->call_site)
		return !was_jump && place->stack == frame->stack_pointer;
	if (place->stack > frame->stack_pointer)
		return 1;
	if (place->stack == frame->stack_pointer)
		return !was_jump;
	return is_at_frame_pointer(context, frame, place) ||
	       (!was_jump && is_below_pushed(context, frame, place));
}

/* A function that got triggers after it was counted still has its exits here. */
static cold void close_triggered(struct lane_context *context,
				 struct segment_frame *frame, uint64_t now)
{
	struct study_call call = ends_call_of(context, frame, now);

	frame_pop(context, frame, frame->node, now);
	ends_triggered(context, &call);
}

int counted_close_frame(struct lane_context *context, const struct counted_place *place,
			uint64_t now)
{
	struct segment_frame *frame = context->top - 1;
	uint64_t ticks;

	if (!is_of_frame(context, frame, place) || segment_frame_is_inherited(frame))
		return 0;
	if (unlikely(frame->caller & SEGMENT_FRAME_TRIGGERS)) {
		close_triggered(context, frame, now - context->clock_offset);
		return 1;
	}
	ticks = frame_pop(context, frame, frame->node, now - context->clock_offset);
	trials_note_call(context, &(struct trials_call){.function = place->function,
							.exit_return_address =
								place->return_address,
							.call_site = place->call_site,
							.ticks = ticks,
							.now = now});
	return 1;
}

cold void counted_look(struct lane_context *context, const struct counted_place *place,
		       uint32_t node)
{
	uint64_t now = clock_now();

	spans_look(context, now);
	samples_look(context, now);
	budget_look(context, place->function, place->call_site, node,
		    place->return_address, now);
	choose_look(context, now);
	off_cpu_leave_out(context, now);
}

/* Exits of functions that are recorded exactly again end here. A thread that calls no
 * others would otherwise never notice that it is over the budget. */
void counted_leave(struct lane_context *context, const struct counted_place *place,
		   uint64_t now)
{
	uint32_t node = context->top[-1].node;

	if (!counted_close_frame(context, place, now) ||
	    likely(now < context->check_ticks))
		return;
	counted_look(context, place, node);
}

void counted_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack)
{
	struct lane_context *context = lane_own();
	struct segment_frame *frame;

	if (!context)
		return;
	if (unlikely(!paused_holds(context, stack)))
		context = context_settle(stack);
	frame = context ? context->top - 1 : NULL;
	/* calls made in the pause lie deeper on the stack than the function's open
	 * call */
	if (!frame || frame->function != function ||
	    segment_frame_caller(frame) != call_site || stack < frame->stack_pointer ||
	    segment_frame_is_inherited(frame))
		return;
	frame_pop(context, frame, frame->node, paused_clock() - context->clock_offset);
}

/* Does a call without a frame end, inside an outer call of the same function that has
 * one? Most exits that come here are such, and reading the clock would take longer than
 * all the rest. 0: it may be the frame's end, see is_of_frame(). */
static inline int is_farther_in(const struct lane_context *context,
				const struct counted_place *place)
{
	const struct segment_frame *frame = context->top - 1;

	if (segment_frame_caller(frame) != place->call_site)
		return place->stack != frame->stack_pointer;
	return place->stack + PUSHED_MOST < frame->stack_pointer &&
	       place->frame_pointer <= frame->stack_pointer;
}

static realigned __attribute__((noinline)) void
exit_near(uint64_t function, uint64_t call_site, uintptr_t frame_pointer, uintptr_t stack,
	  uintptr_t return_address)
{
	struct lane_context *context = lane_self;
	struct counted_place place = {function, call_site, stack, return_address,
				      frame_pointer};
	uint64_t now = clock_now();

	now += off_cpu_book_switch(context);
	if (unlikely(!context_is_settled(context, stack))) {
		if (paused_is_on()) {
			counted_leave_paused(function, call_site, stack);
			return;
		}
		context = context_settle(stack);
		if (!context)
			return;
	}
	counted_leave(context, &place, now);
}

void counted_exit(void *function, void *call_site, uintptr_t frame_pointer)
{
	struct lane_context *context = lane_self;
	const struct counted_place place = {
		(uint64_t)function, (uint64_t)call_site, (uintptr_t)__builtin_dwarf_cfa(),
		(uintptr_t)__builtin_return_address(0), frame_pointer};

	if (!context_is_settled(context, place.stack) || switches_has_been(context) ||
	    !is_farther_in(context, &place))
		exit_near(place.function, place.call_site, frame_pointer, place.stack,
			  place.return_address);
}
