/* SPDX-License-Identifier: MIT */
/*
 * What the entry of a call does to the frames of the stack in use, and what its end does:
 * inline, for the files whose hooks open and close frames. Runs on: traced threads, any
 * context. The context is settled (context.h); on entry there is room for a frame.
 *
 * ORDER OF STORES
 *
 * enter moves top first and fills the frame afterwards, exit reads the frame first and
 * moves top last: a handler in between works on frames above and leaves top and current
 * as it found them. Counters that a handler may share with the interrupted code (a
 * recursive function's node) are changed by single instructions. A frame's node is 0
 * before it is filled and after its time has been taken: a handler that jumps out of a
 * hook (siglongjmp) leaves no frame whose time is wrong. depth, which only the reader of
 * the segment uses, covers a frame when it is whole.
 *
 * Clock: read last in enter and first in exit, so that as little of the hooks as can be
 * lies inside the measured time. What remains is calibrated (shim/boot/calibrate.c).
 */
#pragma once

#include "shim/core/clock.h"
#include "shim/lane/tree.h"

#define compiler_barrier() __asm__ volatile("" : : : "memory")

static inline void add64(uint64_t *counter, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

static inline void add32(uint32_t *counter, uint32_t value)
{
	__asm__ volatile("addl %1, %0" : "+m"(*counter) : "ir"(value) : "cc");
}

/* The bucket has passed 2^32. */
void frame_histogram_overflow(struct segment_function *function, uint32_t bucket);

/* What frame_find_child() says of a call that is to have no frame. */
#define FRAME_NONE UINT32_MAX

/* The child when the front table does not have it, as it never has functions at whose
 * calls snapshots are taken. Their frames get a call site that no exit has, which brings
 * the exit to its slow path, too: so triggers cost other functions nothing. */
uint32_t frame_find_child(struct lane_context *context, uint32_t parent,
			  uint64_t function, struct segment_frame *frame,
			  uintptr_t return_address);

/* Adds a finished call to its node and its function's histogram. */
static inline void frame_finish(struct lane_context *context, struct segment_node *node,
				uint64_t ticks)
{
	struct segment_function *function = &context->functions[node->function];
	uint32_t bucket;

	if (unlikely((int64_t)ticks < 0))
		ticks = 0; /* another core's clock is a little behind */
	add64(&node->total_ticks, ticks);
	if (unlikely(ticks < node->min_ticks))
		node->min_ticks = ticks;
	if (unlikely(ticks > node->max_ticks))
		node->max_ticks = ticks;
	bucket = segment_histogram_bucket(ticks);
	add32(&function->histogram[bucket], 1);
	if (unlikely(function->histogram[bucket] == 0))
		frame_histogram_overflow(function, bucket);
}

/* Opens a frame for a call of this function (or region) from this call site. stack: the
 * caller's stack pointer; return_address: of the hook, 0: nobody's. */
static inline __attribute__((always_inline)) void
frame_push(struct lane_context *context, uint64_t function, uint64_t call_site,
	   uintptr_t stack, uintptr_t return_address)
{
	struct segment_frame *frame = context->top;
	uint32_t parent = context->current, child;

	context->top = frame + 1;
	compiler_barrier();
	frame->function = function;
	frame->caller = call_site;
	child = tree_front(context, parent, function);
	if (unlikely(!child)) {
		child = frame_find_child(context, parent, function, frame,
					 return_address);
		if (child == FRAME_NONE) {
			context->top = frame;
			return;
		}
	}
	frame->stack_pointer = stack;
	frame->parent_node = parent;
	if (likely(child))
		context->current = child;
	else
		context->lane->folded_call_count++;
	frame->start_ticks = clock_now() - context->clock_offset;
	compiler_barrier();
	frame->node = child;
	add64(&context->nodes[child].call_count, 1); /* node 0 is nobody's */
	add32(context->depth, 1);
}

/* Closes the topmost frame as an ordinary exit at time `now` of its stack (ticks less
 * clock_offset). It is no inherited one. */
static inline __attribute__((always_inline)) void
frame_pop(struct lane_context *context, struct segment_frame *frame, uint64_t now)
{
	uint32_t node = frame->node;

	frame->node = 0;
	compiler_barrier();
	if (likely(node))
		frame_finish(context, &context->nodes[node], now - frame->start_ticks);
	context->current = frame->parent_node;
	add32(context->depth, -1u);
	compiler_barrier();
	context->top = frame;
}
