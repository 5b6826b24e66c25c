/* SPDX-License-Identifier: MIT */
/* Where the code of headers was called from, by the stack, and a node for each place. */
#include "shim/stacks/callers.h"

#include "shim/lane/paused.h"
#include "shim/lane/tree.h"
#include "shim/stacks/user_code.h"

#define CALLERS_MOST 64
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
	struct callers_memo *memo = callers_memo_of(context);
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

/* Nothing is twice in a list of places, so recursion counts as one call; what is first in
 * it is what was met first. Returns how many there are. */
static int add_place(uint64_t *places, int count, uint64_t return_address)
{
	for (int i = 0; i < count; i++) {
		if (places[i] == return_address)
			return count;
	}
	if (count < CALLERS_MOST)
		places[count++] = return_address;
	return count;
}

/* Where the first function from the top that no header has brought was called from; 0: it
 * is not among those that are looked at. */
static uint64_t end_of_walk(const struct lane_context *context)
{
	int count = count_frames(context);
	const struct segment_frame *frame = context->top - count;

	return count < FRAMES_MOST && frame > context->frames
		       ? segment_frame_return_address(&frame[-1])
		       : 0;
}

/* The places on the stack outside of the call of this call site (0: of the innermost
 * one), as far as the first that is not in a header's code. Of functions without a frame
 * of ours, which are counted, off, or have no hooks, only the stack tells. -1: it cannot
 * be walked. */
static int walk_out(const struct lane_context *context, const struct stack_caller *caller,
		    uint64_t call_site, uint64_t *places)
{
	uintptr_t low = paused_stack_low(context), high = low + context->stack_size;
	uint64_t end = end_of_walk(context);
	struct stack_frame frame = {.return_address = caller->return_address,
				    .stack_pointer = (uintptr_t)(caller + 1),
				    .frame_pointer = caller->frame_pointer};
	int is_outside = 0, count = 0;

	if (!low || frame.stack_pointer - low > context->stack_size)
		return -1;
	for (int i = 0; i < FRAMES_MOST && !user_code_has(frame.return_address); i++) {
		enum cfi_kind kind = walk_step(&frame, high);

		if (kind == CFI_END || (end && frame.return_address == end))
			break;
		if (kind != CFI_STEP)
			return -1;
		is_outside |= !call_site || frame.return_address == call_site;
		if (is_outside)
			count = add_place(places, count, frame.return_address);
	}
	return count;
}

/* The same as the frames' hooks were told it. */
static int read_frames(const struct lane_context *context,
		       const struct callers_memo *memo, uint64_t *places)
{
	int count = 0;

	if (context->top - context->frames <= 63 - __builtin_clzll(memo->frames))
		return 0; /* there was no room for the frames' nodes */
	for (uint64_t left = memo->frames; left; left &= left - 1)
		places[count++] = segment_frame_return_address(
			&context->top[-1 - __builtin_ctzll(left)]);
	return count;
}

/* The node of this chain of places below a function's node. */
static uint32_t chain_of(struct lane_context *context, uint32_t function,
			 const uint64_t *places, int count)
{
	struct callers_chain *chain;
	uint64_t hash = function;
	uint32_t node = function;

	for (int i = 0; i < count; i++)
		hash = (hash ^ places[i]) * 0x9e3779b97f4a7c15ull;
	chain = &context->chains[hash >> 56];
	if (chain->hash == hash && chain->node == function &&
	    chain->unload_count == process->unload_count)
		return chain->innermost;
	for (int i = 0; i < count; i++) {
		uint32_t child =
			tree_child(context, node, places[i] | SEGMENT_KEY_CALL_SITE);

		if (!child)
			return node;
		node = child;
	}
	chain->hash = 0;
	__asm__ volatile("" : : : "memory");
	chain->node = function;
	chain->innermost = node;
	chain->unload_count = process->unload_count;
	__asm__ volatile("" : : : "memory");
	chain->hash = hash;
	return node;
}

uint32_t callers_find_base(struct lane_context *context,
			   const struct stack_caller *caller)
{
	const struct callers_memo *memo = callers_memo_of(context);
	uint32_t node = context->current;
	uint64_t places[CALLERS_MOST];
	int count;

	if (memo->node != node)
		memo = learn(context);
	if (!memo->frames)
		return node;
	count = walk_out(context, caller, segment_frame_return_address(&context->top[-1]),
			 places);
	if (count < 0)
		count = read_frames(context, memo, places);
	return chain_of(context, node, places, count);
}

uint32_t callers_find_frameless(struct lane_context *context, uint32_t node,
				uint64_t function, const struct stack_caller *caller)
{
	uint64_t places[CALLERS_MOST];
	int count;

	if (!headers_any || !headers_has(function))
		return node;
	count = walk_out(context, caller, 0, places);
	return count > 0 ? chain_of(context, node, places, count) : node;
}
