/* SPDX-License-Identifier: MIT */
/* Opens and closes windows, and the frames in them. */
#include "shim/record/windows.h"

#include "shim/core/process.h"
#include "shim/lane/frames.h"
#include "shim/lane/paused.h"
#include "shim/lane/spans.h"
#include "shim/patch/code.h"
#include "shim/patch/modes.h"
#include "shim/budget/budget.h"
#include "shim/budget/settings.h"
#include "shim/record/context.h"
#include "shim/record/ends.h"
#include "shim/record/frame_hooks.h"
#include "shim/record/paths/inlined.h"
#include "shim/record/paths/levels.h"
#include "shim/study/choose.h"
#include "shim/waits/off_cpu.h"

/* 24 us at 2.7 GHz: a thousand calls of the shortest. */
#define WINDOW_TICKS (clock_tenth_of_second() >> 12)
/* 50 us from pulse to pulse. */
#define PULSE_TICKS (clock_tenth_of_second() >> 11)
#define PULSE_LEAST 64u
#define PULSE_MOST (1u << 20)
#define PULSE_SOON                                                                       \
	8 /* calls until the next try, when a window cannot begin here; and              \
	     twice as many each time */

static uint32_t next_random(struct lane_windows *windows)
{
	uint32_t value = windows->random; /* xorshift32, Marsaglia 2003 */

	value ^= value << 13;
	value ^= value >> 17;
	value ^= value << 5;
	windows->random = value;
	return value;
}

/* The function that a call site is in, remembered: looking takes 0.2 us. */
static uint64_t caller_of(struct lane_context *context, uint64_t call_site)
{
	struct lane_caller *caller =
		&context->windows_callers[(call_site ^ call_site >> 6) %
					  LANE_WINDOWS_CALLERS];
	struct extent extent;
	struct code code;

	if (caller->call_site == call_site &&
	    caller->unload_count == process->unload_count)
		return caller->function;
	*caller = (struct lane_caller){.call_site = call_site,
				       .unload_count = process->unload_count};
	if (code_find(call_site, &code) == 0 &&
	    code_function(&code, call_site, &extent) == 0)
		caller->function = extent.low;
	return caller->function;
}

/* Is the caller the innermost function that has a frame? The call site is in its code,
 * or, of a copy inlined into it, is its own. The call site of a copy whose host has no
 * frame is in the code of whoever called the host. */
static int caller_has_frame(struct lane_context *context, uint64_t function,
			    uint64_t call_site, uintptr_t return_address)
{
	const struct segment_frame *frame = context->top - 1;
	uint64_t caller;

	if (segment_frame_caller(frame) == call_site)
		return 1;
	caller = caller_of(context, call_site);
	/* exact ones have a frame, and code without hooks is called by those as a rule:
	 * what calls qsort() is not tiny */
	if (caller && !modes_find(caller))
		return !inlined_is_elsewhere(function, return_address);
	/* copies that are inlined into the caller lie above its frame */
	while (frame > context->frames && frame->function != caller &&
	       segment_frame_caller(frame) == segment_frame_caller(frame - 1))
		frame--;
	return caller && frame->function == caller &&
	       !inlined_is_elsewhere(function, return_address);
}

static uint32_t clip(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void load_pulse(struct lane_context *context, uint32_t length)
{
	context->windows.pulse_loaded = length;
	context->pulse = (int32_t)length;
}

static void begin_window(struct lane_context *context, uint64_t now)
{
	struct lane_windows *windows = &context->windows;

	windows->start_ticks = now;
	windows->end_ticks = now + WINDOW_TICKS;
	windows->call_count = 0;
	context->is_at_window = 1;
	context->check_ticks = windows->end_ticks;
	compiler_barrier();
	context->counts = NULL;
}

/* The pair of a window and the stretch before it: the first ones, then at random. */
static void keep_pair(struct lane_context *context, uint64_t window_ticks)
{
	struct lane_windows *windows = &context->windows;
	struct segment_lane *lane = context->lane;
	struct segment_pair *pairs = arrays_entries(lane, &lane->pairs);
	uint32_t index = lane->pairs.count;

	if (!windows->call_count || !windows->between_call_count ||
	    context->off_cpu.seen_ticks >= windows->start_ticks)
		return; /* without a CPU for a time, it tells nothing of hooks */
	if (index >= SEGMENT_PAIR_LIMIT ||
	    process_grow(lane, context->slot, ARRAY_PAIRS, index + 1) < 0)
		index = (uint32_t)(next_random(windows) % (lane->window_count + 1));
	if (index > lane->pairs.count || index >= lane->pairs.committed)
		return;
	pairs[index] = (struct segment_pair){
		clip(window_ticks), clip(windows->call_count), windows->between_ticks,
		windows->between_call_count};
	if (index == lane->pairs.count)
		arrays_publish(&lane->pairs, index + 1);
}

void windows_end(struct lane_context *context, uint64_t now)
{
	struct lane_windows *windows = &context->windows;
	uint64_t ticks = now - windows->start_ticks, gap;
	struct segment_lane *lane = context->lane;

	windows->end_ticks = 0;
	context->is_at_window = 0;
	compiler_barrier();
	context->counts = context->all_counts;
	keep_pair(context, ticks);
	lane->window_count++;
	lane->window_ticks += ticks;
	lane->window_call_count += windows->call_count;
	windows->cost_ticks += budget_window_cost(windows->call_count);
	gap = budget_window_gap(windows->call_count);
	windows->next_ticks = lane_busy_ticks(context, now) + gap / 2 +
			      (gap >> 16) * (next_random(windows) >> 16);
	windows->pulse_start_ticks = now;
	load_pulse(context, windows->pulse_length);
	budget_resume(context);
	levels_forget_one(context);
}

void windows_open_frame(struct lane_context *context, void *function, void *call_site,
			uintptr_t stack, uintptr_t return_address)
{
	uint32_t known_count = context->node_next;

	if (context->top == context->limit && frames_grow(context) < 0) {
		context->lane->folded_call_count++;
		return;
	}
	frame_push(context, (uint64_t)function, (uint64_t)call_site, stack, NULL, 0);
	/* frame_push() notes where it is called from, which is known here */
	if (unlikely(context->node_next > known_count) &&
	    inlined_is_elsewhere((uint64_t)function, return_address))
		context->nodes[context->current].unfinished |= SEGMENT_NODE_INLINED;
	context->windows.call_count++;
}

/* Outside of a window: the lane has just been made, or could not get counts. Or there has
 * been a switch, which is the caller's. */
static cold void enter_elsewhere(struct lane_context *context, void *function,
				 void *call_site, uintptr_t stack,
				 uintptr_t return_address)
{
	uint32_t number = modes_find((uint64_t)function);

	off_cpu_book_switch(context);
	if (paused_is_on())
		return;
	context = context_settle(stack);
	if (!context)
		process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
	else if (number && modes_recording(number) == SEGMENT_RECORDING_OFF)
		settings_follow(context);
	else if (context->is_at_window &&
		 modes_recording(number) == SEGMENT_RECORDING_WINDOWS)
		windows_open_frame(context, function, call_site, stack, return_address);
	else if (context->all_counts)
		add64(&context->all_counts[number], 1);
	else
		context->lane->folded_call_count++;
}

void windows_enter(void *function, void *call_site)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	uintptr_t return_address = (uintptr_t)__builtin_return_address(0);

	if (likely(context_is_settled(context, stack) && context->is_at_window &&
		   !switches_has_been(context)))
		windows_open_frame(context, function, call_site, stack, return_address);
	else
		enter_elsewhere(context, function, call_site, stack, return_address);
}

/* Calls from pulse to pulse, so many that they take about PULSE_TICKS. */
static void set_pulse(struct lane_context *context, uint64_t ticks)
{
	struct lane_windows *windows = &context->windows;
	uint32_t length = windows->pulse_length;

	if (ticks < PULSE_TICKS / 2)
		length *= 2;
	else if (ticks > PULSE_TICKS * 2)
		length /= 2;
	if (length < PULSE_LEAST)
		length = PULSE_LEAST;
	if (length > PULSE_MOST)
		length = PULSE_MOST;
	windows->pulse_length = length;
	load_pulse(context, length);
}

#define QUIET_TICKS (clock_tenth_of_second() >> 3) /* 12 ms */

/* Functions without windows, and those that are off, have a pulse of their own, which is
 * in no pair: so that their threads find out what is asked for now. */
static void look_quietly(struct lane_context *context, uint64_t now)
{
	struct lane_windows *windows = &context->windows;
	uint64_t ticks = now - windows->quiet_ticks;
	uint32_t length = windows->quiet_length;

	if (ticks < QUIET_TICKS / 2 && length < PULSE_MOST)
		length *= 2;
	else if (ticks > QUIET_TICKS * 2)
		length /= 2;
	if (length < PULSE_LEAST)
		length = PULSE_LEAST;
	windows->quiet_length = length;
	windows->quiet_ticks = now;
	context->quiet_pulse = (int32_t)length;
	settings_follow(context);
}

void cold windows_pulse(void *function, void *call_site)
{
	uint64_t now = clock_now(), ticks;
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
	struct lane_windows *windows = &context->windows;
	uint32_t length = windows->pulse_loaded;
	int was_interrupted;

	now += off_cpu_book_switch(context);
	samples_look(context, now);
	if (context->quiet_pulse < 0) {
		look_quietly(context, now);
		if (context->pulse >= 0)
			return;
	}
	ticks = now - windows->pulse_start_ticks;
	was_interrupted = context->off_cpu.seen_ticks >= windows->pulse_start_ticks;
	windows->pulse_start_ticks = now;
	settings_follow(context);
	spans_look(context, now);
	if (context->is_at_window) {
		context->pulse = PULSE_MOST;
		return;
	}
	windows->counted_calls += length;
	if (was_interrupted && windows->pulse_length) {
		windows->between_call_count = 0;
		load_pulse(context, windows->pulse_length);
	} else if (length == windows->pulse_length && length) {
		windows->between_ticks = clip(ticks);
		windows->between_call_count = length;
		set_pulse(context, ticks);
	} else {
		load_pulse(context,
			   windows->pulse_length ? windows->pulse_length : PULSE_LEAST);
		if (!windows->pulse_length)
			windows->pulse_length = PULSE_LEAST;
	}
	if (process_facts.overhead_percent <= 0)
		return;
	budget_pulse(context, now);
	if (lane_busy_ticks(context, now) < windows->next_ticks ||
	    !context_is_settled(context, stack))
		return;
	if (caller_has_frame(context, (uint64_t)function, (uint64_t)call_site,
			     (uintptr_t)__builtin_return_address(0)))
		begin_window(context, now);
	else if (length >= windows->pulse_length)
		load_pulse(context, PULSE_SOON);
	else if (length < windows->pulse_length / 2)
		load_pulse(context, length ? length * 2 : PULSE_SOON);
}

static void add_window_call(struct lane_context *context, uint64_t function,
			    uint64_t ticks)
{
	uint32_t number = modes_find(function);
	struct segment_window *windows, *window;

	if (!number || number >= context->lane->windows.count || (int64_t)ticks < 0)
		return;
	windows = arrays_entries(context->lane, &context->lane->windows);
	window = &windows[number];
	window->call_count++;
	window->total_ticks += ticks;
	window->squared_ticks += (double)ticks * (double)ticks;
}

/* A function that moves its stack pointer (alloca) finds its data from %rbp: is this
 * call's shallower than the frame's, with its return address beside it? */
static int is_at_frame_pointer(const struct lane_context *context,
			       const struct segment_frame *frame,
			       const struct windows_place *place)
{
	uintptr_t at = place->frame_pointer;

	/* where the stack's bounds are not known they begin at 0 */
	return context->stack_low && at > frame->stack_pointer &&
	       at % sizeof(uint64_t) == 0 && fiber_is_current(context, at) &&
	       fiber_is_current(context, at + 2 * sizeof(uint64_t)) &&
	       ((const uint64_t *)at)[1] == place->call_site;
}

/* Compilers leave arguments that they pushed for calls on the stack: gcc, of a call with
 * more than six right before the end, until after the hook. */
#define PUSHED_MOST 128u

/* Does the stack end so little below where it did when the frame began that what lies
 * between was pushed by the call itself? Of a deeper call of the function the return
 * address lies there, which is the same. */
static int is_below_pushed(const struct lane_context *context,
			   const struct segment_frame *frame,
			   const struct windows_place *place)
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

/* Is the innermost frame this call's? Calls without a frame lie deeper on the stack than
 * one of the same function that has one, and come back to another place or another depth.
 * Where the hook was jumped to, the stack is back where the call was made, which is where
 * a function that calls itself was when its frame began. In a window all have one,
 * wherever the stack pointer is (alloca). */
static int is_of_frame(const struct lane_context *context,
		       const struct segment_frame *frame,
		       const struct windows_place *place)
{
	int is_of_window =
		context->is_at_window && frame->start_ticks + context->clock_offset >=
						 context->windows.start_ticks;
	int was_jump = place->return_address == place->call_site;

	if (frame->function != place->function)
		return 0;
	if (segment_frame_caller(frame) != place->call_site)
		return !was_jump && place->stack == frame->stack_pointer;
	if (is_of_window || place->stack > frame->stack_pointer)
		return 1;
	if (place->stack == frame->stack_pointer)
		return !was_jump;
	return is_at_frame_pointer(context, frame, place) ||
	       (!was_jump && is_below_pushed(context, frame, place));
}

/* Of a function that got triggers after it was counted: its exits are still here. */
static cold void close_triggered(struct lane_context *context,
				 struct segment_frame *frame, uint64_t now)
{
	struct study_call call = ends_call_of(context, frame, now);

	frame_pop(context, frame, frame->node, now);
	ends_triggered(context, &call);
}

int windows_close_frame(struct lane_context *context, const struct windows_place *place,
			uint64_t now)
{
	struct segment_frame *frame = context->top - 1;
	/* of the run's clock: what keeping the call takes is left out of the others */
	uint64_t start = frame->start_ticks + context->clock_offset;

	if (!is_of_frame(context, frame, place) || segment_frame_is_inherited(frame))
		return 0;
	if (unlikely(frame->caller & SEGMENT_FRAME_TRIGGERS)) {
		close_triggered(context, frame, now - context->clock_offset);
		return 1;
	}
	frame_pop(context, frame, frame->node, now - context->clock_offset);
	if (context->is_at_window && start >= context->windows.start_ticks &&
	    start >= context->off_cpu.seen_ticks)
		add_window_call(context, place->function, now - start);
	return 1;
}

/* Functions that are recorded exactly again have their ends here: were there no looks, a
 * thread that calls no others would never find that it is over the budget. */
static cold void look(struct lane_context *context, const struct windows_place *place,
		      uint32_t node)
{
	uint64_t now = clock_now();

	spans_look(context, now);
	budget_look(context, place->function, place->call_site, node,
		    place->return_address, now);
	choose_look(context, now);
	off_cpu_leave_out(context, now);
}

void windows_leave(struct lane_context *context, const struct windows_place *place,
		   uint64_t now)
{
	uint32_t node = context->top[-1].node;

	if (!windows_close_frame(context, place, now) ||
	    likely(now < context->check_ticks))
		return;
	if (context->is_at_window)
		windows_end(context, now);
	else
		look(context, place, node);
}

void windows_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack)
{
	struct lane_context *context = lane_own();
	struct segment_frame *frame;

	if (!context)
		return;
	if (unlikely(!paused_holds(context, stack)))
		context = context_settle(stack);
	frame = context ? context->top - 1 : NULL;
	/* calls in the pause lie deeper on the stack than an open one of the function */
	if (!frame || frame->function != function ||
	    segment_frame_caller(frame) != call_site || stack < frame->stack_pointer ||
	    segment_frame_is_inherited(frame))
		return;
	frame_pop(context, frame, frame->node, paused_clock() - context->clock_offset);
}

/* The end of a call without a frame, of a function that calls itself and has one farther
 * out: most of what comes here is that, and reading the clock takes longer than all of
 * the rest. 0: it may be the frame's end, see is_of_frame(). */
static inline int is_farther_in(const struct lane_context *context,
				const struct windows_place *place)
{
	const struct segment_frame *frame = context->top - 1;

	if (segment_frame_caller(frame) != place->call_site)
		return place->stack != frame->stack_pointer;
	return !context->is_at_window &&
	       place->stack + PUSHED_MOST < frame->stack_pointer &&
	       place->frame_pointer <= frame->stack_pointer;
}

void windows_exit(void *function, void *call_site, uintptr_t frame_pointer)
{
	struct lane_context *context = lane_self;
	struct windows_place place = {
		(uint64_t)function, (uint64_t)call_site, (uintptr_t)__builtin_dwarf_cfa(),
		(uintptr_t)__builtin_return_address(0), frame_pointer};
	uint64_t now;

	if (context_is_settled(context, place.stack) && !switches_has_been(context) &&
	    is_farther_in(context, &place))
		return;
	now = clock_now();
	now += off_cpu_book_switch(context);
	if (unlikely(!context_is_settled(context, place.stack))) {
		if (paused_is_on()) {
			windows_leave_paused(place.function, place.call_site,
					     place.stack);
			return;
		}
		context = context_settle(place.stack);
		if (!context)
			return;
	}
	windows_leave(context, &place, now);
}
