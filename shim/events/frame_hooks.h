/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes frames on the stack in use, inline for the hooks. Runs on: traced
 * threads, any context. The context is settled (context.h); on entry there is room for a
 * frame.
 *
 * ORDER OF STORES
 *
 * enter moves top first and fills the frame afterwards, exit reads the frame first and
 * moves top last: a handler that interrupts either works on the frames above and leaves
 * top and current as it found them. Counters that it may share with the interrupted code
 * (a recursive function's node) change in a single instruction. A frame's node is 0
 * before it is filled and after its time has been taken: a handler that jumps out of a
 * hook (siglongjmp) leaves no frame whose time is wrong. depth is for the segment's
 * reader. It counts a frame before the frame gets its node, and until after the frame has
 * lost it. So whoever finds an abandoned topmost frame knows whether it is counted
 * (frames.c).
 *
 * ORDER OF WORK
 *
 * The clock is read late in enter and early in exit; the hooks' own share of the measured
 * time is calibrated (shim/boot/calibrate.c). A read of the TSC takes 30 cycles and holds
 * up what follows. So the cost is not the number of instructions but the longest chain of
 * loads between two reads, of which 16 cycles are free. There is little to do between the
 * reads in enter and exit, so the hook looks at the front table's node there. Before the
 * read it made a call of Lua 3 ns slower.
 *
 * PATHS THAT ARE NOT AT HAND
 *
 * When the front table names another path's node, the hook has loaded that node in vain
 * and must find the right one. This takes 100 to 200 ns in a program with many paths;
 * tcc, with 800,000, pays it in 29 of 100 calls. No calibration can know that, so the
 * hook measures it: it reads the clock again when it has the node, and the time since the
 * first reading is left out of all open calls. The call then counts as if its path had
 * been at hand.
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

/* Counts a call without a frame. 0: there are no counts now. The pointer is read once:
 * another thread that begins a pause may clear it. */
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

/* Takes the next frame, for a call made by this node. The frame has no node yet. */
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

/* Opens a frame for a call of this function (or region) from this call site if the front
 * table has the child. The clock must be the TSC. stack: the caller's stack pointer.
 * FRAME_MISSED: the table named another path's node; the next free frame's start_ticks
 * hold the time before it was loaded. After that or FRAME_UNKNOWN, call frame_push(). */
enum frame_result { FRAME_OPENED, FRAME_MISSED, FRAME_UNKNOWN };

static inline __attribute__((always_inline)) enum frame_result
frame_open(struct lane_context *context, uint64_t function, uint64_t call_site,
	   uintptr_t stack)
{
	struct segment_frame *frame;
	uint32_t parent = context->current;
	uint32_t child = context->front[tree_place(parent, function)];
	struct segment_node *node = &context->nodes[child];

	if (unlikely(!child))
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

/* The time before a FRAME_MISSED, in ticks of the run's clock. */
static inline uint64_t frame_missed_since(const struct lane_context *context)
{
	return context->top->start_ticks + context->clock_offset;
}

/* The same if the front table has the child in its second place. The time since `since`
 * is left out of all open calls. 0: it has not. */
int frame_open_second(struct lane_context *context, uint64_t function, uint64_t call_site,
		      uintptr_t stack, uint64_t since);

/* The same if the caller at this call site is known (lane/ways.h). 0: it is not. */
int frame_open_way(struct lane_context *context, uint64_t function, uint64_t call_site,
		   uintptr_t stack);

/* The same for any call, even one that is to have no frame. hook: the hook's caller, at
 * `stack`; NULL: there is no hook. The time from `since` on is left out of all open
 * calls; 0: from the beginning of the search. */
void frame_push(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t stack, const struct stack_caller *hook, uint64_t since);

/* The rest of frame_pop() when a bucket has passed 2^32. */
void frame_pop_overflowed(struct lane_context *context, struct segment_frame *frame,
			  struct segment_function *function, uint32_t bucket);

/* frame_pop() of a call that took long, or whose clock went back. It finds the rest in
 * the frame: one more argument would make every exit save a register. */
uint64_t frame_pop_long(struct lane_context *context, uint64_t ticks);

/* Closes the topmost frame, of this node, as an ordinary exit at time `now` of its stack
 * (ticks less clock_offset). The frame must not be inherited. Node 0 is a dummy: the call
 * was folded, or its time has been taken. Returns the call's ticks. */
static inline __attribute__((always_inline)) uint64_t
frame_pop(struct lane_context *context, struct segment_frame *frame, uint32_t node_index,
	  uint64_t now)
{
	struct segment_node *node = &context->nodes[node_index];
	struct segment_function *function = &context->functions[node->function];
	uint64_t ticks = now - frame->start_ticks, bucket;

	if (unlikely(ticks >=
		     context->span_ticks)) /* unsigned: also when the clock went back */
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

/* A region's call site is its function's, where unwound stacks meet it. Never 0: that
 * would mark the frame as inherited. */
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

/* The context is settled. 0: take the slow path. */
static inline __attribute__((always_inline)) int
frame_begin_region(struct lane_context *context, uint64_t key, uintptr_t stack)
{
	return likely(context->top[-1].function != LANE_ENDED_REGION &&
		      context->top != context->limit && clock_is_tsc) &&
	       frame_open_region(context, key, stack);
}

/* Reads the clock after the context's pointer. After a system call the context has left
 * the first-level cache, so its load and the clock overlap. */
static inline uint64_t frame_clock_behind(const struct lane_context *context)
{
	__asm__ volatile("" : : "r"(context));
	return clock_now();
}

/* One comparison: neither inherited (caller 0) nor with triggers. */
static inline int frame_is_plain(const struct segment_frame *frame)
{
	return frame->caller - 1 < SEGMENT_FRAME_TRIGGERS - 1;
}

/* The region's frame if it is the topmost one and needs nothing else; or NULL. */
static inline __attribute__((always_inline)) struct segment_frame *
frame_of_region(struct lane_context *context, uint64_t key, uintptr_t stack)
{
	struct segment_frame *frame;

	if (unlikely(!(context && fiber_is_current(context, stack))))
		return NULL;
	frame = context->top - 1;
	return likely(frame->function == key && frame_is_plain(frame)) ? frame : NULL;
}
