/* SPDX-License-Identifier: MIT */
/* Merged recursion, chunks of frames, and frames without an exit. Runs on: as frames.h
 * says. */
#include "shim/lane/frames.h"

#include <errno.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/spans.h"

uint32_t recursion_find(const struct lane_context *context, uint32_t node, uint64_t key)
{
	while (node > LANE_ROOT && context->nodes[node].key != key)
		node = context->nodes[node].parent;
	return node > LANE_ROOT ? node : 0;
}

uint64_t recursion_leave(struct segment_frame *bottom, struct segment_frame *frame,
			 uint32_t current, uint64_t now)
{
	uint64_t ticks = now - frame->start_ticks;

	if ((int64_t)ticks < 0)
		return 0;
	/* up to the call made from that node, or from a call merged into it */
	for (; frame > bottom && frame->parent_node != current; frame--)
		frame[-1].start_ticks += ticks;
	return ticks;
}

/*
 * Chunks of frames: powers of two, taken from the end of the lane's frames, free ones
 * kept by size. Runs on: the lane's thread, any context; slow paths only.
 */

#define RESERVED_FRAMES 16384 /* 640 KiB */
#define CHUNK_FRAMES 32u
#define COMMIT_FRAMES 1638u /* 64 KiB */

static struct segment_frame *frame_at(const struct lane_context *context, uint32_t index)
{
	return context->native.frames + index;
}

static uint32_t index_of(const struct lane_context *context,
			 const struct segment_frame *frame)
{
	return (uint32_t)(frame - context->native.frames);
}

static void begin_chunks(struct lane_context *context)
{
	context->chunk_floor = context->lane->frames.capacity;
	context->chunk_committed = context->lane->frames.capacity;
}

/* Lowers the floor by `count` frames. Its new place, 0: no room. */
static uint32_t lower_floor(struct lane_context *context, uint32_t count)
{
	const struct segment_lane *lane = context->lane;

	if (context->chunk_floor < count ||
	    context->chunk_floor - count <= index_of(context, context->native.limit))
		return 0;
	while (context->chunk_floor - count < context->chunk_committed) {
		uint32_t more = context->chunk_committed < COMMIT_FRAMES
					? context->chunk_committed
					: COMMIT_FRAMES;
		uint32_t first = context->chunk_committed - more;

		if (process_commit(context->lane, context->slot,
				   lane->frames.offset +
					   (uint64_t)first * sizeof(struct segment_frame),
				   more * sizeof(struct segment_frame)) < 0)
			return 0;
		context->chunk_committed = first;
	}
	context->chunk_floor -= count;
	return context->chunk_floor;
}

/* A chunk of CHUNK_FRAMES << class; a free one links to the next in its first frame. */
static uint32_t take(struct lane_context *context, uint32_t class)
{
	uint32_t index = context->free_chunks[class];

	if (!index)
		return lower_floor(context, CHUNK_FRAMES << class);
	context->free_chunks[class] = frame_at(context, index)->node;
	return index;
}

static void give(struct lane_context *context, uint32_t index, uint32_t class)
{
	frame_at(context, index)->node = context->free_chunks[class];
	context->free_chunks[class] = index;
}

static void place(struct lane_context *context, struct fiber *fiber, uint32_t index,
		  uint32_t class)
{
	struct segment_frame *first = frame_at(context, index);

	first->function = 0;
	fiber->frames = first + 1;
	fiber->limit = first + (CHUNK_FRAMES << class);
	fiber->chunk_class = class;
	fiber->shared->first_frame = index + 1;
	fiber->shared->frame_capacity = (CHUNK_FRAMES << class) - 1;
}

int frames_take(struct lane_context *context, struct fiber *fiber, uint32_t depth)
{
	uint32_t class = 0, index;

	while (class < LANE_CHUNK_CLASSES && (CHUNK_FRAMES << class) < depth + 2)
		class ++;
	index = class < LANE_CHUNK_CLASSES ? take(context, class) : 0;
	if (!index)
		return -ENOSPC;
	place(context, fiber, index, class);
	fiber->top = fiber->frames;
	return 0;
}

void frames_give(struct lane_context *context, struct fiber *fiber)
{
	give(context, index_of(context, fiber->frames) - 1, fiber->chunk_class);
	fiber->frames = fiber->top = fiber->limit = NULL;
}

static int move_chunk(struct lane_context *context)
{
	struct fiber *fiber = context->fiber;
	struct segment_frame *from = context->frames;
	uint32_t class = fiber->chunk_class, old = index_of(context, from) - 1;
	uint32_t depth = (uint32_t)(context->top - from), index;
	int lowest = old == context->chunk_floor;

	if (class + 1 >= LANE_CHUNK_CLASSES)
		return -ENOSPC;
	/* the lowest chunk grows downwards into the free room and is moved by its own
	 * size: a copy elsewhere would need three times the room of a deep recursion */
	index = lowest ? lower_floor(context, CHUNK_FRAMES << class)
		       : take(context, class + 1);
	if (!index)
		return -ENOSPC;
	place(context, fiber, index, class + 1);
	for (uint32_t i = 0; i < depth; i++)
		fiber->frames[i] = from[i];
	if (!lowest)
		give(context, old, class);
	context->frames = fiber->frames;
	context->limit = fiber->limit;
	context->top = fiber->frames + depth;
	return 0;
}

static int grow_chunk(struct lane_context *context)
{
	uint64_t mask;
	int result = 0;

	/* a handler must not push onto frames that are being moved */
	if (!process_may_grow() || !gate_block_signals(&mask))
		return -ENOSPC;
	if (context->top == context->limit)
		result = move_chunk(context);
	gate_restore_signals(&mask);
	return result;
}

static int commit_frames(void *data, uint64_t offset, uint64_t size)
{
	const struct lane_context *context = data;

	return process_commit(context->lane, context->slot, offset, size);
}

int frames_grow(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_array at = lane->frames;
	uint32_t have = (uint32_t)(context->limit - context->frames);

	if (context->fiber != &context->native)
		return grow_chunk(context);
	at.capacity = context->chunk_committed;
	if (arrays_grow(ARRAY_FRAMES, &at, &lane->frames.committed, have + 1,
			commit_frames, context) < 0)
		return -ENOSPC;
	context->limit = context->frames + lane->frames.committed;
	context->native.limit = context->limit;
	return 0;
}

int frames_begin(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct fiber *native = &context->native;

	native->frames = arrays_entries(lane, &lane->frames);
	native->top = native->limit = native->frames;
	native->depth = &lane->frames.count;
	native->clock = (void *)&lane->suspended_ticks;
	context->fiber = native;
	context->frames = context->top = context->limit = native->frames;
	begin_chunks(context);
	context->limit = native->limit = native->frames + lane->frames.committed;
	if (lane->frames.committed || frames_grow(context) == 0)
		return 0;
	context->frames = context->limit = context->top = NULL;
	return -ENOSPC;
}

void frames_reserve(struct lane_context *context)
{
	uint64_t have = 0;

	/* grows by doubling, until it does not grow */
	while (context->fiber == &context->native &&
	       context->limit - context->top < RESERVED_FRAMES &&
	       have != (uint64_t)(context->limit - context->frames)) {
		have = (uint64_t)(context->limit - context->frames);
		frames_grow(context);
	}
}

#define LANES_SEARCHED 16u
#define FRAMES_SEARCHED 256u

static int is_open_in(const struct lane_context *lane, uint64_t function)
{
	const struct segment_frame *frame = lane->top;

	if (lane->fiber_count)
		return 1;
	for (uint32_t i = 0; i < FRAMES_SEARCHED && frame > lane->frames; i++) {
		if ((--frame)->function == function)
			return 1;
	}
	return frame > lane->frames;
}

int frames_are_open(uint64_t function)
{
	uint32_t count = 0;

	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane) {
		if (++count > LANES_SEARCHED || is_open_in(lane, function))
			return 1;
	}
	return 0;
}

/* The order also holds when a handler jumps out in between. */
static inline void order_stores(void)
{
	__asm__ volatile("" : : : "memory");
}

static void note_unfinished(struct segment_node *node)
{
	if (segment_node_unfinished_count(node) < SEGMENT_NODE_UNFINISHED_MOST)
		node->unfinished++;
}

/* Closes an open frame of this stack without its exit, at time `now` of the stack.
 * bottom: the stack's first frame; current: the node that its callees are children of. */
static void close_frame(struct lane_context *context, const struct fiber *fiber,
			struct segment_frame *bottom, struct segment_frame *frame,
			uint32_t current, uint64_t now)
{
	struct segment_node *node = &context->nodes[frame->node];
	uint32_t number = frame->node;

	if (frame->function == LANE_ENDED_REGION)
		return; /* it has ended already */
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

/* A handler may have abandoned a hook that had taken the topmost frame but not counted it
 * in depth, or no longer counted it. Such a frame has no node. */
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
