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
 * the segment uses, counts a frame before it gets its node, and until after it has lost
 * it: who finds a topmost frame that was left knows whether it is counted (frames.c).
 *
 * ORDER OF WORK
 *
 * The clock is read late in enter and early in exit; what lies inside of the measured
 * time is calibrated (shim/boot/calibrate.c). A read of the TSC takes 30 cycles, and what
 * comes after it waits for it: so what counts is not the instructions but the longest
 * chain of loads from one read to the next, of which 16 cycles cost nothing. Between the
 * read in enter and that in exit there is little to do: that is where the node that the
 * front table names is looked at. With that before the read a call of Lua's took 3 ns
 * more.
 *
 * PATHS THAT ARE NOT AT HAND
 *
 * When the node is another path's, it had to come to the cache to be seen so, and the
 * right one has to be found: 100 to 200 ns in a program of many paths, of which tcc, with
 * 800,000, has 29 in 100 calls. No calibration knows that. So it is measured there: the
 * reading of the clock that was to be the call's beginning was before all of it, another
 * one is behind it and waits for what was asked of the memory, and what is between them
 * is left out of all open calls. The call is then as if its path had been at hand.
 */
#pragma once

#include "shim/core/clock.h"
#include "shim/lane/tree.h"
#include "shim/samples/samples.h"
#include "shim/stacks/fiber.h"
#include "shim/stacks/walk.h"
#include "shim/waits/switches.h"

#define compiler_barrier() __asm__ volatile("" : : : "memory")

static inline void add64(uint64_t *counter, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

/* Adds a call without a frame. 0: they are not counted now. The counts are read once:
 * another thread may begin a pause, and take them away. */
static inline int counted_add(struct lane_context *context, uint32_t number)
{
	uint64_t *counts = __atomic_load_n(&context->counts, __ATOMIC_RELAXED);

	if (unlikely(!counts))
		return 0;
	add64(&counts[number], 1);
	return 1;
}

static inline void add32(uint32_t *counter, uint32_t value)
{
	__asm__ volatile("addl %1, %0" : "+m"(*counter) : "ir"(value) : "cc");
}

/* Adds 1. Returns true when the counter has passed its end, and is 0. */
static inline int count32(uint32_t *counter)
{
	char is_over;

	__asm__ volatile("addl $1, %0" : "+m"(*counter), "=@ccc"(is_over));
	return is_over;
}

/* A bucket of the function's histogram has passed 2^32. */
void frame_histogram_overflow(struct segment_function *function, uint32_t bucket);

static inline void frame_add_ticks(struct segment_node *node, uint64_t ticks)
{
	add64(&node->total_ticks, ticks);
	if (unlikely(ticks < node->min_ticks))
		node->min_ticks = ticks;
	if (unlikely(ticks > node->max_ticks))
		node->max_ticks = ticks;
}

/* Adds a finished call to its node and its function's histogram. */
static inline void frame_finish(struct lane_context *context, struct segment_node *node,
				uint64_t ticks)
{
	struct segment_function *function = &context->functions[node->function];
	uint64_t bucket;

	if (unlikely((int64_t)ticks < 0))
		ticks = 0; /* another core's clock is a little behind */
	frame_add_ticks(node, ticks);
	bucket = segment_histogram_bucket(ticks);
	if (unlikely(count32(&function->histogram[bucket])))
		frame_histogram_overflow(function, (uint32_t)bucket);
}

/* Takes the next frame, of a call from this node; it has none of its own yet. */
static inline __attribute__((always_inline)) struct segment_frame *
frame_take(struct lane_context *context, uint32_t parent, uint64_t function,
	   uint64_t call_site, uintptr_t stack)
{
	struct segment_frame *frame = context->top;

	context->top = frame + 1;
	compiler_barrier();
	frame->function = function;
	frame->caller = call_site;
	frame->stack_pointer = stack;
	frame->parent_node = parent;
	return frame;
}

/* Opens a frame for a call of this function (or region) from this call site, when the
 * front table has the child and the clock is the TSC. stack: the caller's stack pointer.
 * FRAME_MISSED: it has not, and the next free frame's start_ticks say when it was asked,
 * before the node of another path had come to the cache. Then, and when nothing was
 * asked, frame_push() does it. */
enum frame_result { FRAME_OPENED, FRAME_MISSED, FRAME_UNKNOWN };

static inline __attribute__((always_inline)) enum frame_result
frame_open(struct lane_context *context, uint64_t function, uint64_t call_site,
	   uintptr_t stack)
{
	struct segment_frame *frame;
	uint32_t parent = context->current;
	uint32_t child = context->front[tree_place(parent, function)];
	struct segment_node *node = &context->nodes[child];

	if (unlikely(!child)) /* nor does a call know the time that is only counted */
		return FRAME_UNKNOWN;
	frame = frame_take(context, parent, function, call_site, stack);
	frame->start_ticks = clock_tsc() - context->clock_offset;
	compiler_barrier();
	if (unlikely(node->key != function || node->parent != parent ||
		     switches_has_been(context) | samples_wait(context))) {
		context->top = frame;
		return FRAME_MISSED;
	}
	add32(context->depth, 1);
	compiler_barrier();
	frame->node = child;
	context->current = child;
	add64(&node->call_count, 1);
	return FRAME_OPENED;
}

/* When a call was asked for that FRAME_MISSED, in ticks of the run's clock. */
static inline uint64_t frame_missed_since(const struct lane_context *context)
{
	return context->top->start_ticks + context->clock_offset;
}

/* The same when the front table has the child in the other place, and that is all there
 * is to it. What has been since is left out of all calls. 0: it has not. */
int frame_open_second(struct lane_context *context, uint64_t function, uint64_t call_site,
		      uintptr_t stack, uint64_t since);

/* The same when it is known who calls from there (lane/ways.h). 0: it is not. */
int frame_open_way(struct lane_context *context, uint64_t function, uint64_t call_site,
		   uintptr_t stack);

/* The same for any call, which may be one that is to have no frame. hook: of the call of
 * the hook, which lies at `stack`; NULL: nobody's. since: from where on what it takes is
 * left out of all calls, 0: from where it begins to search. */
void frame_push(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t stack, const struct stack_caller *hook, uint64_t since);

/* What is left of frame_pop() when a bucket has passed 2^32. */
void frame_pop_overflowed(struct lane_context *context, struct segment_frame *frame,
			  struct segment_function *function, uint32_t bucket);

/* frame_pop() of a call that took long, or whose clock went back. Whatever else it needs
 * is in the frame: an argument more cost each exit a register that is saved. */
uint64_t frame_pop_long(struct lane_context *context, uint64_t ticks);

/* Closes the topmost frame, of this node, as an ordinary exit at time `now` of its stack
 * (ticks less clock_offset). It is no inherited one. Node 0, which is nobody's: it was
 * folded, or its time has been taken. Returns the call's ticks. */
static inline __attribute__((always_inline)) uint64_t
frame_pop(struct lane_context *context, struct segment_frame *frame, uint32_t node_index,
	  uint64_t now)
{
	struct segment_node *node = &context->nodes[node_index];
	struct segment_function *function = &context->functions[node->function];
	uint64_t ticks = now - frame->start_ticks, bucket;

	if (unlikely(ticks >= context->span_ticks)) /* no sign is left */
		return frame_pop_long(context, ticks);
	frame->node = 0;
	compiler_barrier();
	frame_add_ticks(node, ticks);
	bucket = segment_histogram_bucket(ticks);
	if (unlikely(count32(&function->histogram[bucket]))) {
		frame_pop_overflowed(context, frame, function, (uint32_t)bucket);
		return ticks;
	}
	context->current = frame->parent_node;
	add32(context->depth, -1u);
	compiler_barrier();
	context->top = frame;
	return ticks;
}

/* The function's own, where the unwinder's stacks meet it; never 0, see
 * pop_inherited(). */
static inline uint64_t frame_region_site(const struct lane_context *context, uint64_t key)
{
	uint64_t call_site = segment_frame_caller(&context->top[-1]);

	return call_site ? call_site : key;
}

static inline __attribute__((always_inline)) int
frame_open_region(struct lane_context *context, uint64_t key, uintptr_t stack)
{
	return frame_open(context, key, frame_region_site(context, key), stack) ==
	       FRAME_OPENED;
}

/* The context is settled. 0: it takes more. */
static inline __attribute__((always_inline)) int
frame_begin_region(struct lane_context *context, uint64_t key, uintptr_t stack)
{
	return likely(context->top[-1].function != LANE_ENDED_REGION &&
		      context->top != context->limit && clock_is_tsc) &&
	       frame_open_region(context, key, stack);
}

/* Now, read behind the context, of which nothing is left in the first cache after a
 * system call: so both take their time at once. */
static inline uint64_t frame_clock_behind(const struct lane_context *context)
{
	__asm__ volatile("" : : "r"(context));
	return clock_now();
}

/* Neither inherited, whose caller is 0, nor with triggers: by one comparison. */
static inline int frame_is_plain(const struct segment_frame *frame)
{
	return frame->caller - 1 < SEGMENT_FRAME_TRIGGERS - 1;
}

/* The call's frame, when that is all there is to close. */
static inline __attribute__((always_inline)) struct segment_frame *
frame_of_region(struct lane_context *context, uint64_t key, uintptr_t stack)
{
	struct segment_frame *frame;

	if (unlikely(!(context && fiber_is_current(context, stack))))
		return NULL;
	frame = context->top - 1;
	return likely(frame->function == key && frame_is_plain(frame)) ? frame : NULL;
}
