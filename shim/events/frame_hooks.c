/* SPDX-License-Identifier: MIT */
/* The cold parts of entry and exit. */
#include "shim/events/frame_hooks.h"

#include "shim/budget/counting.h"
#include "shim/lane/functions.h"
#include "shim/lane/frames.h"
#include "shim/lane/spans.h"
#include "shim/core/process.h"
#include "shim/lane/ways.h"
#include "shim/patch/modes.h"
#include "shim/patch/known.h"
#include "shim/events/levels.h"
#include "shim/stacks/kept.h"
#include "shim/events/events.h"
#include "shim/waits/off_cpu.h"

cold void frame_histogram_overflow(struct segment_function *function, uint32_t bucket)
{
	function->overflow_bucket = bucket;
	function->overflow_count++;
}

/* A call reached the hook itself though its function has an entry: its site is not known
 * yet, or cannot be written. 1: it is to have a frame. */
static int has_frame(struct lane_context *context, uint32_t number,
		     uintptr_t return_address, uint64_t call_site)
{
	enum segment_recording recording = modes_recording(number);

	if (recording == SEGMENT_RECORDING_EXACT)
		return 1;
	if (return_address)
		modes_note_enter(number, return_address);
	if (recording == SEGMENT_RECORDING_OFF)
		return 0;
	if (!counted_add(context, modes_number_at(number, return_address, call_site)))
		context->lane->folded_call_count++;
	return 0;
}

/* Is this a new path of a function that is not selected? Such functions come here first,
 * and again when their object is loaded again. */
static cold int is_off(struct lane_context *context, uint32_t parent, uint64_t function)
{
	enum selected selected;

	if (segment_key_is_region(function) || tree_find(context, parent, function))
		return 0;
	changes_follow(context);
	selected = selected_find(function);
	if (selected == SELECTED_UNKNOWN) {
		upcalls.select_module(function);
		selected = selected_find(function);
	}
	return selected == SELECTED_OFF;
}

static cold void turn_off(uint64_t function, uintptr_t return_address)
{
	uint32_t number =
		modes_set(function, SEGMENT_RECORDING_OFF, SEGMENT_REASON_ASKED);

	if (number && return_address)
		modes_note_enter(number, return_address);
}

/* A function whose calls wait keeps its frames under a budget, unless few of its many
 * calls do. Otherwise its waits would be booked on its caller. */
static void note_waits(const struct lane_context *context,
		       const struct segment_frame *frame)
{
	while (frame > context->frames && segment_key_is_region(frame[-1].function))
		frame--;
	if (frame > context->frames)
		waiters_note(frame[-1].function);
}

/* Notes, once, what a new path of a call of libc needs. The return address lies just
 * below the wrapper's CFA, which is in the frame. */
static cold void note_libc_call(struct lane_context *context, uint32_t node,
				const struct segment_frame *frame)
{
	note_waits(context, frame);
	tree_note_call(context, node, ((const uint64_t *)frame->stack_pointer)[-1]);
}

/* find_child() returns this for a call that is to have no frame. */
#define NO_FRAME UINT32_MAX

/* Are the node's calls made by the code of the same function as this one? The function,
 * which may be inlined there, is known as long as all have frames. */
static int has_same_caller(struct lane_context *context, uint32_t node, uint32_t parent,
			   uint64_t call_site)
{
	const struct segment_node *nodes = context->nodes;

	return (modes_count > 1 || nodes[nodes[node].parent].key == nodes[parent].key) &&
	       places_of(context, context->call_sites[node].key).function ==
		       places_of(context, call_site).function;
}

/* So many open calls of a function are looked at: a deep recursion has thousands. */
#define OUTER_CALLS_MOST 64

/* The nearest open call of the function by the same caller, whose path a recursive one
 * may join: then every call stays with the function that made it. 0: there is none. */
static uint32_t find_outer_call(struct lane_context *context, uint32_t parent,
				const struct segment_frame *frame)
{
	uint32_t node = recursion_find(context, parent, frame->function);

	for (int i = 0; node && i < OUTER_CALLS_MOST; i++) {
		if (has_same_caller(context, node, parent, segment_frame_caller(frame)))
			return node;
		node = recursion_find(context, context->nodes[node].parent,
				      frame->function);
	}
	return 0;
}

/* Finds or makes the node of a call; 0: no room. It may be an ancestor of the current
 * node that the call is merged into. */
static uint32_t find_path(struct lane_context *context, uint32_t parent,
			  uint64_t function, struct segment_frame *frame,
			  const struct stack_caller *hook)
{
	uint32_t child = 0;

	/* direct recursion is not merged: it makes no more paths than its depth */
	if (recursion_is_merged(context) && context->nodes[parent].key != function &&
	    !segment_key_is_region(function) &&
	    !tree_find_any(context, parent, function) &&
	    !inlined_is_copy(context, frame, hook ? hook->return_address : 0))
		child = find_outer_call(context, parent, frame);
	if (!child)
		child = levels_child(context, frame, hook);
	if (!child && !segment_key_is_region(function)) /* their ends are never slow */
		child = recursion_find(context, parent, function);
	return child;
}

/* Notes, once, what a new path of a function needs. */
static void note_path(struct lane_context *context, uint32_t node,
		      const struct segment_frame *frame, uintptr_t return_address)
{
	uint64_t call_site = segment_frame_return_address(frame);

	if (inlined_is_copy(context, frame, return_address)) {
		context->nodes[node].unfinished |= SEGMENT_NODE_INLINED;
		call_site = return_address; /* the other one is the host's */
	}
	tree_note_call(context, node, call_site);
}

/* Finds the child when the front table does not have it; the table never has functions
 * with triggers. Their frames get a call site that no exit has, so the exit takes its
 * slow path, too, and triggers cost other functions nothing. */
static uint32_t find_child(struct lane_context *context, uint32_t parent,
			   uint64_t function, struct segment_frame *frame,
			   const struct stack_caller *hook)
{
	uintptr_t return_address = hook ? hook->return_address : 0;
	uint32_t number = modes_find(function), known_count, child;
	const struct trigger *trigger;

	if (number && !has_frame(context, number, return_address, frame->caller))
		return NO_FRAME;
	if (unlikely(selected_is_active) && is_off(context, parent, function)) {
		turn_off(function, return_address);
		return NO_FRAME;
	}
	if (unlikely(trigger_count) && trigger_actions(function) & TRIGGER_UNTIL) {
		pause_begin();
		return NO_FRAME;
	}
	known_count = context->node_next;
	child = find_path(context, parent, function, frame, hook);
	if (child >= known_count && !segment_key_is_region(function))
		note_path(context, child, frame, return_address);
	if (child >= known_count && unlikely(segment_key_is_libc(function)))
		note_libc_call(context, child, frame);
	if (number && modes_has_early_sites(number)) { /* come here again */
		context->front[tree_place(parent, function)] = 0;
		ways_at(context, parent, function, frame->caller)->child = 0;
	}

	trigger = unlikely(trigger_count) ? trigger_find(function) : NULL;
	if (!trigger)
		return child;
	frame->caller |= SEGMENT_FRAME_TRIGGERS;
	if (trigger->enter_label)
		snapshot_take(trigger->enter_label, SEGMENT_SNAPSHOT_FUNCTION);
	return child;
}

static cold void note_folded(struct lane_context *context, uint32_t caller)
{
	uint32_t *bits = &context->nodes[caller].unfinished;

	__asm__("orl %1, %0" : "+m"(*bits) : "i"(SEGMENT_NODE_FOLDED) : "cc");
	context->lane->folded_call_count++;
}

/* Signal handlers see the frame once depth is counted. */
static inline __attribute__((always_inline)) int open_on(struct lane_context *context,
							 struct segment_frame *frame,
							 uint32_t child,
							 uint64_t start_ticks)
{
	frame->start_ticks = start_ticks - context->clock_offset;
	compiler_barrier();
	add32(context->depth, 1);
	compiler_barrier();
	frame->node = child;
	context->current = child;
	add64(&context->nodes[child].call_count, 1);
	return 1;
}

int frame_open_way(struct lane_context *context, uint64_t function, uint64_t call_site,
		   uintptr_t stack)
{
	struct segment_frame *frame;
	uint32_t parent = context->current, child;

	if (unlikely(switches_has_been(context) | samples_wait(context)))
		return 0;
	child = ways_find(context, parent, function, call_site);
	if (unlikely(!child))
		return 0;
	frame = frame_take(context, parent, function, call_site, stack);
	return open_on(context, frame, child, clock_tsc());
}

int frame_open_second(struct lane_context *context, uint64_t function, uint64_t call_site,
		      uintptr_t stack, uint64_t since)
{
	struct segment_frame *frame;
	uint32_t parent = context->current, child;
	uint64_t left_out_ticks;

	if (switches_has_been(context))
		return 0;
	child = tree_second(context, parent, function);
	if (!child)
		return 0;
	frame = frame_take(context, parent, function, call_site, stack);
	left_out_ticks = off_cpu_leave_out(context, since);
	return open_on(context, frame, child, since + left_out_ticks);
}

void frame_push(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t stack, const struct stack_caller *hook, uint64_t since)
{
	struct segment_frame *frame;
	uint32_t parent = context->current, child;
	uint64_t left_out_ticks = 0;
	int is_merged;

	frame = frame_take(context, parent, function, call_site, stack);
	child = tree_front(context, parent, function);
	if (!child)
		child = tree_second(context, parent, function);
	if (unlikely(!child)) {
		if (!since)
			since = clock_now();
		child = find_child(context, parent, function, frame, hook);
	}
	/* with many paths the search takes longer than the rest of the hook */
	if (since)
		left_out_ticks = off_cpu_leave_out(context, since);
	if (child == NO_FRAME) {
		context->top = frame;
		return;
	}
	if (likely(child))
		context->current = child;
	else
		note_folded(context, parent);
	is_merged = child && unlikely(context->nodes[child].parent != parent);
	context->lane->merged_call_count += is_merged;
	/* left_out_ticks end at the last reading of the clock, where this call begins */
	frame->start_ticks = (left_out_ticks ? since + left_out_ticks : clock_now()) -
			     context->clock_offset;
	compiler_barrier();
	add32(context->depth, 1);
	compiler_barrier();
	frame->node = is_merged ? 0 : child;
	add64(&context->nodes[child].call_count, 1); /* node 0 is nobody's */
}

cold void frame_pop_overflowed(struct lane_context *context, struct segment_frame *frame,
			       struct segment_function *function, uint32_t bucket)
{
	frame_histogram_overflow(function, bucket);
	context->current = frame->parent_node;
	add32(context->depth, -1u);
	compiler_barrier();
	context->top = frame;
}

realigned cold uint64_t frame_pop_long(struct lane_context *context, uint64_t ticks)
{
	struct segment_frame *frame = context->top - 1;
	uint32_t node = frame->node;
	uint64_t begin = frame->start_ticks, end = begin + ticks, since = clock_now();

	if ((int64_t)ticks < 0)
		ticks = 0;
	frame->node = 0;
	compiler_barrier();
	frame_finish(context, &context->nodes[node], ticks);
	context->current = frame->parent_node;
	add32(context->depth, -1u);
	compiler_barrier();
	context->top = frame;
	if (node && ticks >= context->span_ticks) {
		spans_keep_call(context, context->fiber, node, begin, end,
				SEGMENT_SPAN_CALL);
		off_cpu_leave_out(context, since);
	}
	return ticks;
}
