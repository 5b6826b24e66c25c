/* SPDX-License-Identifier: MIT */
/* Learning whose callers count, once for each node, and a node for each of them. */
#include "shim/stacks/callers.h"

#include "shim/lane/tree.h"

#define CALLERS_MOST 24
#define FRAMES_MOST 64

/* Is the frame that of a header's function, which a call of this process began? */
static int counts(const struct segment_frame *frame)
{
	return !segment_key_is_region(frame->function) &&
	       segment_frame_return_address(frame) && headers_has(frame->function);
}

/* How many frames, from the innermost one outwards, are of headers' functions. */
static int count_frames(const struct lane_context *context)
{
	int count = 0;

	while (count < FRAMES_MOST && context->top - count > context->frames &&
	       counts(&context->top[-1 - count]))
		count++;
	return count;
}

/* The outermost of the frames that is of the same function as this one. */
static int outermost_of(const struct lane_context *context, int frame, int count)
{
	uint64_t function = context->top[-1 - frame].function;

	while (--count > frame) {
		if (context->top[-1 - count].function == function)
			return count;
	}
	return frame;
}

static struct callers_memo *learn(struct lane_context *context)
{
	struct callers_memo *memo = &context->callers[context->current % LANE_CALLERS];
	int count = count_frames(context), used = 0;
	uint64_t frames = 0;

	for (int i = 0; i < count && used < CALLERS_MOST; i++, used++) {
		i = outermost_of(context, i, count);
		frames |= 1ull << i;
	}
	/* a handler may jump out of here */
	memo->node = 0;
	__asm__ volatile("" : : : "memory");
	memo->frames = context->current == LANE_ROOT ? 0 : frames;
	__asm__ volatile("" : : : "memory");
	memo->node = context->current;
	return memo;
}

uint32_t cold callers_find_base(struct lane_context *context)
{
	const struct callers_memo *memo = learn(context);
	uint32_t node = context->current;
	struct callers_chain *chain;
	uint64_t hash;

	if (!memo->frames)
		return node;
	hash = callers_hash(context, memo);
	for (uint64_t left = memo->frames; left; left &= left - 1) {
		const struct segment_frame *frame =
			&context->top[-1 - __builtin_ctzll(left)];
		uint32_t child = tree_child(context, node,
					    segment_frame_return_address(frame) |
						    SEGMENT_KEY_CALL_SITE);

		if (!child)
			return node;
		node = child;
	}
	chain = &context->chains[hash >> 56];
	chain->hash = 0;
	__asm__ volatile("" : : : "memory");
	chain->node = context->current;
	chain->innermost = node;
	chain->unload_count = process->unload_count;
	__asm__ volatile("" : : : "memory");
	chain->hash = hash;
	return node;
}
