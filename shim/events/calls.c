/* SPDX-License-Identifier: MIT */
/*
 * The two call hooks, each a short fast path and cold slow paths; begin and end of
 * regions. Runs on: traced threads, any context; a signal handler may interrupt either
 * hook at any instruction and run both itself. Must not call libc, lock, or make a system
 * call on the fast paths.
 */
#include "shim/events/events.h"

#include "shim/budget/counting.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/frames.h"
#include "shim/lane/spans.h"
#include "shim/lane/functions.h"
#include "shim/lane/ways.h"
#include "shim/patch/modes.h"
#include "shim/patch/known.h"
#include "shim/events/context.h"
#include "shim/events/early.h"
#include "shim/events/frame_hooks.h"
#include "shim/study/study.h"
#include "shim/waits/off_cpu.h"
#include "shim/waits/switches.h"

/*
 * A coroutine left for good with functions open may have its stack reused for another one
 * without our noticing. We then see its first function entered again where we think it is
 * open. We compare only the outermost frames, and only right after a switch to the stack:
 * a function inlined into itself also enters twice at one address.
 */
static void drop_replaced(struct lane_context *context, uint64_t function,
			  uint64_t call_site, uintptr_t stack)
{
	struct segment_frame *frame = context->frames;

	for (int i = 0; i < 4 && frame < context->top; i++, frame++) {
		if (frame->function == function && frame->stack_pointer == stack &&
		    segment_frame_caller(frame) == call_site) {
			unwind_to(context, frame, clock_now() - context->clock_offset);
			return;
		}
	}
}

/* The hook reaches this by a jump and leaves %rbp alone. So the return address beside the
 * frame pointer saved here is the hook's own, or a copy of it, and the saved one is that
 * of the hook's caller. 0: not known. */
static inline uint64_t frame_pointer_of_hook(const struct stack_caller *own,
					     uintptr_t return_address)
{
	return own->return_address == return_address ? own->frame_pointer : 0;
}

static realigned cold void enter_slow(struct lane_context *context, uint64_t function,
				      uint64_t call_site, uintptr_t stack,
				      uintptr_t return_address, enum frame_result result)
{
	struct stack_caller hook = {
		frame_pointer_of_hook(__builtin_frame_address(0), return_address),
		return_address};
	int was_settled = context_is_settled(context, stack);
	uint64_t since = 0, booked_ticks;

	if (result == FRAME_MISSED) {
		since = frame_missed_since(context);
		samples_take(context);
		if (frame_open_second(context, function, call_site, stack, since))
			return;
	}
	booked_ticks = off_cpu_book_switch(context);
	if (!since)
		samples_book(context);
	if (since && booked_ticks) /* the switch came later and is booked on the caller */
		since = clock_now();
	if (paused_is_on() && !pause_enter(function, stack))
		return;
	if (was_settled && early_count(context, function, call_site, return_address))
		return;
	context = context_settle(stack);
	if (!context) {
		process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
		return;
	}
	if (!was_settled && context->fiber != &context->native)
		drop_replaced(context, function, call_site, stack);
	if (context->top == context->limit && frames_grow(context) < 0) {
		context->lane->folded_call_count++;
		return; /* its exit will be an orphan, or close nothing */
	}
	frame_push(context, function, call_site, stack, &hook, since);
}

/* Saves no registers: enter_slow() must find the stack as the hook left it. */
static __attribute__((noinline)) void
enter_by_way(struct lane_context *context, uint64_t function, uint64_t call_site,
	     uintptr_t stack, uintptr_t return_address, enum frame_result result)
{
	if (likely(tree_notes_ways() && context_is_settled(context, stack) &&
		   context->top != context->limit && clock_is_tsc) &&
	    frame_open_way(context, function, call_site, stack))
		return;
	enter_slow(context, function, call_site, stack, return_address, result);
}

static __attribute__((noinline)) void
enter_elsewhere(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t stack, uintptr_t return_address, enum frame_result result)
{
	uint32_t number = 0;

	if (likely(context))
		number = early_number(context, function, call_site, return_address);
	if (!number || !counted_add(context, number)) {
		enter_by_way(context, function, call_site, stack, return_address, result);
		return;
	}
	if (unlikely(--context->pulse < 0))
		counted_pulse((void *)function, (void *)call_site);
}

/* Both hooks make only tail calls, so neither saves a register. Saving them for rare
 * calls in the middle cost 4 ns a pair. */
exported __attribute__((aligned(64))) void __cyg_profile_func_enter(void *function,
								    void *call_site)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	enum frame_result result = FRAME_UNKNOWN;

	if (unlikely(!context_is_settled(context, stack) ||
		     context->top == context->limit || !clock_comes_at_entry ||
		     (result = frame_open(context, (uint64_t)function,
					  (uint64_t)call_site, stack)) != FRAME_OPENED))
		enter_elsewhere(context, (uint64_t)function, (uint64_t)call_site, stack,
				(uintptr_t)__builtin_return_address(0), result);
}

void calls_enter(void *function, void *call_site)
	__attribute__((alias("__cyg_profile_func_enter")));

/* A frame taken over from the parent process is not a call of this one, so only its time
 * counts. */
static void pop_inherited(struct lane_context *context, struct segment_frame *frame,
			  uint64_t now)
{
	if (frame->node)
		add64(&context->nodes[frame->node].total_ticks, now - frame->start_ticks);
	frame->node = 0;
	context->current = frame->parent_node;
	add32(context->depth, -1u);
	compiler_barrier();
	context->top = frame;
}

/*
 * The open frame that this exit belongs to: the innermost of this function and call site,
 * else the innermost of this function (an inlined body's exit may name another site),
 * else none. For a region, the innermost: its end may come from anywhere.
 *
 * Time bounds the search: exits that match nothing (hooks switched on in mid-run, clang's
 * code after exceptions) may come by the million on a deep stack. So it looks at 64
 * frames, plus one for every 16 ticks since the last search. Calls that began in a pause
 * have no frame; they lie deeper on the stack than a call of the same function that has
 * one.
 */
static struct segment_frame *find_frame(struct lane_context *context, uint64_t function,
					uint64_t call_site, uintptr_t stack, uint64_t now)
{
	uint64_t steps = 64 + (now - context->last_search_ticks) / 16;
	struct segment_frame *frame = context->top, *same_function = NULL;

	context->last_search_ticks = now;
	for (; frame > context->frames && steps; steps--) {
		frame--;
		if (frame->function != function ||
		    (unlikely(paused.total_ticks) && stack < frame->stack_pointer))
			continue;
		/* the call may have begun before or after its function got triggers */
		if (segment_frame_caller(frame) == call_site ||
		    segment_key_is_region(function))
			return frame;
		if (!same_function)
			same_function = frame;
	}
	return same_function;
}

/* Does what frame_pop() does not do for a frame without a node. */
static cold void close_merged(struct lane_context *context, struct segment_frame *frame,
			      uint64_t now)
{
	uint32_t number = context->nodes[context->current].function;
	struct segment_function *function = &context->functions[number];
	uint64_t bucket = segment_histogram_bucket(
		recursion_leave(context->frames, frame, context->current, now));

	if (count32(&function->histogram[bucket]))
		frame_histogram_overflow(function, (uint32_t)bucket);
}

/* Closes this frame, and those above it as unwound. */
static void close_at(struct lane_context *context, struct segment_frame *frame,
		     uint64_t now)
{
	if (frame + 1 < context->top)
		busy_leave(context, frame->stack_pointer);
	unwind_to(context, frame + 1, now);
	if (unlikely(recursion_is_frame(context, frame, context->current)))
		close_merged(context, frame, now);
	if (segment_frame_is_inherited(frame))
		pop_inherited(context, frame, now);
	else
		frame_pop(context, frame, frame->node, now);
}

/* Of a thread that is switched in most of its calls, no exit is a fast one. */
static cold void look_at_samples(struct lane_context *context)
{
	uint64_t now = clock_now();

	samples_look(context, now);
	off_cpu_leave_out(context, now);
}

static realigned cold void exit_slow(uint64_t function, uint64_t call_site,
				     uintptr_t stack, uint64_t now,
				     uintptr_t return_address)
{
	struct lane_context *context;
	struct segment_frame *frame;
	struct study_call call;
	uint32_t number = modes_find(function);
	struct counted_place place = {function, call_site, stack, return_address, 0};

	now += off_cpu_book_switch(lane_self);
	now += samples_book(lane_self);
	if (paused_is_on()) {
		counted_leave_paused(function, call_site, stack);
		return;
	}
	context = context_settle(stack);
	if (!context)
		return;
	if (number) {
		uint64_t since = clock_now();

		modes_note_exit(number, &(struct modes_exit){return_address, call_site});
		now += off_cpu_leave_out(context, since);
		if (counted_close_frame(context, &place, now))
			return;
		if (modes_recording(number) != SEGMENT_RECORDING_EXACT)
			return; /* the exit of a call without a frame */
	} else if (unlikely(selected_is_active) &&
		   selected_find(function) == SELECTED_OFF) {
		return; /* there was no room to note that it is off */
	}
	now -= context->clock_offset;
	frame = find_frame(context, function, call_site, stack, now);
	if (!frame) {
		context->lane->orphan_exit_count++;
		return;
	}
	call = ends_call_of(context, frame, now);
	close_at(context, frame, now);
	if (unlikely(trigger_count))
		ends_triggered(context, &call);
	look_at_samples(context);
}

/* Closes the topmost frame, which is this call's, and checks budget and studies. */
static realigned cold void pop_and_look(struct lane_context *context, uint64_t now,
					uintptr_t return_address)
{
	struct segment_frame *frame = context->top - 1;
	struct counted_place place = {frame->function, frame->caller, 0, return_address,
				      0};
	uint32_t node = frame->node;

	frame_pop(context, frame, node, now - context->clock_offset);
	counted_look(context, &place, node);
}

static inline __attribute__((always_inline)) void
leave(struct lane_context *context, uint64_t function, uint64_t call_site,
      uintptr_t stack, uint64_t now, uintptr_t return_address)
{
	struct segment_frame *frame;

	if (unlikely(!context_is_settled(context, stack) ||
		     switches_has_been(context) | samples_wait(context)))
		goto slow;
	frame = context->top - 1; /* on an empty stack, a frame that matches no exit */
	if (unlikely(frame->function != function || frame->caller != call_site ||
		     frame->node != context->current))
		goto slow;
	if (unlikely(now >= context->check_ticks))
		pop_and_look(context, now, return_address);
	else
		frame_pop(context, frame, context->current, now - context->clock_offset);
	return;
slow:
	exit_slow(function, call_site, stack, now, return_address);
}

static realigned __attribute__((noinline)) void exit_elsewhere(uint64_t function,
							       uint64_t call_site,
							       uintptr_t stack,
							       uintptr_t return_address)
{
	struct counted_place place = {function, call_site, stack, return_address, 0};
	struct lane_context *context = lane_self;
	uint64_t now;

	/* this may end a call that was only counted */
	if (context_is_settled(context, stack) && context->top > context->frames &&
	    modes_find_early(function, return_address)) {
		now = clock_now();
		now += off_cpu_book_switch(context);
		if (context->top[-1].function == function)
			counted_leave(context, &place, now);
		return;
	}
	now = clock_now();
	leave(context, function, call_site, stack, now, return_address);
}

exported __attribute__((aligned(64))) void __cyg_profile_func_exit(void *function,
								   void *call_site)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	uint64_t now;

	if (unlikely(!clock_comes_first)) {
		exit_elsewhere((uint64_t)function, (uint64_t)call_site, stack,
			       (uintptr_t)__builtin_return_address(0));
		return;
	}
	/* Load the context, and nothing else, before reading the clock. Behind the
	 * reading the load would be waited for, and the measured time would be 3.5 ns
	 * longer. */
	__asm__ volatile("" : "+r"(context));
	now = clock_tsc();
	leave(context, (uint64_t)function, (uint64_t)call_site, stack, now,
	      (uintptr_t)__builtin_return_address(0));
}

void calls_exit(void *function, void *call_site)
	__attribute__((alias("__cyg_profile_func_exit")));

static void drop_ended_regions(struct lane_context *context)
{
	while (context->top > context->frames &&
	       context->top[-1].function == LANE_ENDED_REGION) {
		context->current = context->top[-1].parent_node;
		add32(context->depth, -1u);
		compiler_barrier();
		context->top--;
	}
}

static cold void begin_region_slow(uint64_t key, uintptr_t stack)
{
	struct lane_context *context = lane_self;

	off_cpu_book_switch(context);
	samples_book(context);
	if (unlikely(!context_is_settled(context, stack))) {
		if (paused_is_on()) {
			pause_begin_region();
			return;
		}
		context = context_settle(stack);
		if (!context) {
			process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
			return;
		}
	}
	drop_ended_regions(context);
	if (context->top == context->limit && frames_grow(context) < 0) {
		context->lane->folded_call_count++;
		return; /* its end will be an orphan */
	}
	if (unlikely(!clock_is_tsc || !frame_open_region(context, key, stack)))
		frame_push(context, key, frame_region_site(context, key), stack, NULL, 0);
}

on_short_calls void calls_begin_region(uint64_t key, uintptr_t stack)
{
	struct lane_context *context = lane_self;

	if (unlikely(!context_is_settled(context, stack) ||
		     !frame_begin_region(context, key, stack)))
		begin_region_slow(key, stack);
}

/* Ends a region while a function called from it is still open. Its frame stays. */
static void end_below(struct lane_context *context, struct segment_frame *frame,
		      uint64_t now)
{
	uint32_t node = frame->node;

	frame->node = 0;
	compiler_barrier();
	if (node && !segment_frame_is_inherited(frame)) {
		frame_finish(context, &context->nodes[node], now - frame->start_ticks);
		spans_keep_call(context, context->fiber, node, frame->start_ticks, now,
				SEGMENT_SPAN_CALL);
	} else if (node)
		add64(&context->nodes[node].total_ticks, now - frame->start_ticks);
	frame->function = LANE_ENDED_REGION;
	/* what is still open gets the region's parent, past other ended regions */
	do {
		frame[1].parent_node = frame->parent_node;
	} while ((++frame)->function == LANE_ENDED_REGION);
}

static int is_below_function(const struct lane_context *context,
			     const struct segment_frame *frame)
{
	while (++frame < context->top) {
		if (!segment_key_is_region(frame->function))
			return 1;
	}
	return 0;
}

static cold void end_region_slow(uint64_t key, uintptr_t stack, uint64_t now)
{
	struct lane_context *context;
	struct segment_frame *frame;
	struct study_call call;

	if (paused_is_on()) {
		if (pause_end_region())
			return;
		now = paused_clock();
	}
	context = context_settle(stack);
	if (!context)
		return;
	now -= context->clock_offset;
	frame = find_frame(context, key, 0, UINTPTR_MAX, now);
	if (!frame) {
		if (context->lane->orphan_region_count < UINT32_MAX)
			context->lane->orphan_region_count++;
		return;
	}
	call = ends_call_of(context, frame, now);
	if (is_below_function(context, frame))
		end_below(context, frame, now);
	else
		close_at(context, frame, now);
	if (unlikely(trigger_count))
		ends_triggered(context, &call);
}

static cold void end_region(uint64_t key, uintptr_t stack, uint64_t now)
{
	struct lane_context *context = lane_self;
	struct segment_frame *frame;

	now += off_cpu_book_switch(context);
	now += samples_book(context);
	frame = frame_of_region(context, key, stack);
	if (likely(frame))
		frame_pop(context, frame, frame->node, now - context->clock_offset);
	else
		end_region_slow(key, stack, now);
}

on_short_calls void calls_end_region(uint64_t key, uintptr_t stack)
{
	struct lane_context *context = lane_self;
	uint64_t now = frame_clock_behind(context);
	struct segment_frame *frame;

	frame = frame_of_region(context, key, stack);
	if (unlikely(!frame || switches_has_been(context) | samples_wait(context)))
		end_region(key, stack, now);
	else
		frame_pop(context, frame, frame->node, now - context->clock_offset);
}
