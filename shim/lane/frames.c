/* SPDX-License-Identifier: MIT */
/*
 * Chunks of frames: powers of two, taken from the end of the lane's frames, free ones
 * kept by size. Runs on: the lane's thread, any context; slow paths only.
 */
#include "shim/lane/frames.h"

#include <errno.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"

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

/* The lane's own frames, and the thread's own stack as the one in use. */
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
