/* SPDX-License-Identifier: MIT */
/* Tells inlined copies from calls, and walks the stack from a hook to the frame of the
 * path's parent. */
#include "shim/events/levels.h"

#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/tree.h"
#include "shim/lane/ways.h"
#include "shim/code/code.h"
#include "shim/patch/known.h"
#include "shim/patch/modes.h"
#include "shim/patch/sites.h"
#include "shim/stacks/fiber.h"
#include "shim/stacks/kept.h"

/* Frames further apart belong to calls: a copy's hook lies where its host's did, less
 * what the host has since taken from the stack (alloca, arguments). */
#define MOST_BYTES (64u << 10)

/* A function calls its own hook within its first bytes. */
#define FIRST_BYTES 512u

/* Reads other functions' frames, which the address sanitizer would report. */
static __attribute__((no_sanitize("address"))) int
was_pushed(uint64_t address, uintptr_t from, uintptr_t to)
{
	for (; from < to; from += sizeof(uint64_t)) {
		if (*(const uint64_t *)from == address)
			return 1;
	}
	return 0;
}

static int is_in_frame_below(const struct lane_context *context,
			     const struct segment_frame *frame)
{
	const struct segment_frame *host = frame - 1;
	uintptr_t stack = frame->stack_pointer;

	if (frame == context->frames)
		return 0;
	/* the caller of an inherited frame is not known */
	if (!segment_frame_is_inherited(host) &&
	    segment_frame_caller(host) != segment_frame_caller(frame))
		return 0;
	/* what lies between two addresses of one stack can be read */
	if (!fiber_is_current(context, host->stack_pointer) || stack % sizeof(uint64_t) ||
	    (stack < host->stack_pointer && host->stack_pointer - stack > MOST_BYTES))
		return 0;
	return !was_pushed(segment_frame_caller(frame), stack, host->stack_pointer);
}

/* Is the hook that returns there called by the code of another function that has an
 * entry? */
static cold int inlined_is_elsewhere(uint64_t function, uintptr_t return_address)
{
	struct extent extent;
	struct code code;

	if (!return_address || code_find(return_address, &code) < 0 ||
	    code_function(&code, return_address, &extent) < 0 || extent.low == function)
		return 0;
	/* a compiler's clone also calls the hook of its own function first */
	for (uintptr_t at = extent.low + 1;
	     at < return_address && at - extent.low < FIRST_BYTES; at++) {
		if (known_has(at))
			return 1;
	}
	return 0;
}

cold int inlined_is_copy(const struct lane_context *context,
			 const struct segment_frame *frame, uintptr_t return_address)
{
	uint64_t low;

	if (segment_key_is_region(frame->function))
		return 0;
	if (return_address) {
		switch (sites_entry_of(frame->function, return_address, &low)) {
		case SITE_ENTRY_OWN:
			return 0;
		case SITE_ENTRY_COPY:
			return 1;
		default:
			break;
		}
	}
	return is_in_frame_below(context, frame) ||
	       (modes_count && inlined_is_elsewhere(frame->function, return_address));
}

/* Frames between a hook and its parent's frame: qsort() calls itself before it calls
 * back. */
#define FRAMES_MOST 64

/* Stack that must be left for a walk. It needs 0.4 KiB more than the rest of making a
 * path. */
#define STACK_LEAST 4096u

struct levels {
	uint64_t addresses[SEGMENT_LEVELS_MOST]; /* innermost first */
	int count;
};

/* Recursion counts as one level; otherwise each way through it would be a path. */
static void add_level(struct levels *levels, uint64_t address)
{
	for (int i = 0; i < levels->count; i++) {
		if (levels->addresses[i] == address)
			return;
	}
	if (address && levels->count < (int)SEGMENT_LEVELS_MOST)
		levels->addresses[levels->count++] = address;
}

/* Was the function called by the parent itself, which has a frame? */
static int is_called_directly(struct lane_context *context,
			      const struct segment_frame *frame,
			      const struct stack_caller *hook)
{
	struct lane_place own, caller;

	if (frame == context->frames || frame[-1].function == LANE_ENDED_REGION)
		return 0;
	own = places_of(context, hook->return_address);
	if (own.function != frame->function)
		return 0;
	caller = places_of(context, segment_frame_caller(frame));
	return caller.function == frame[-1].function && !caller.has_copies;
}

/* Collects the levels between the hook and the next outer frame. 0: the stack cannot be
 * walked. The stack's end need not be known: nothing is read beyond that frame.
 */
static int walk_out(struct lane_context *context, const struct segment_frame *frame,
		    const struct stack_caller *hook, struct levels *levels)
{
	uintptr_t low = paused_stack_low(context), high = low + context->stack_size;
	uintptr_t parent = frame > context->frames ? frame[-1].stack_pointer : high;
	struct stack_frame at = {.return_address = hook->return_address,
				 .stack_pointer = frame->stack_pointer,
				 .frame_pointer = hook->frame_pointer};

	if (parent - low > context->stack_size || parent < at.stack_pointer)
		return 0;
	for (int i = 0; i < FRAMES_MOST; i++) {
		struct lane_place place = places_of(context, at.return_address);

		if (parent < walk_end_of(&at)) {
			/* the parent's own, with what is inlined into it */
			add_level(levels, place.has_copies ? place.level : 0);
			return 1;
		}
		if (i > 0 || place.function != frame->function)
			add_level(levels, place.level);
		switch (walk_step(&at, parent)) {
		case CFI_STEP:
			break;
		case CFI_END:
			return parent == high;
		default:
			return 0;
		}
	}
	return 0;
}

/* How many levels are kept. With few paths left only the innermost one is: who made the
 * call is exact, which way led there no longer. The last paths are for calls. */
static int levels_to_keep(const struct lane_context *context, const struct levels *levels)
{
	uint32_t most = process_facts.path_limit;

	if (process->path_count > most - most / 8)
		return 0;
	if (context->levels.count > LANE_LEVELS_MOST || process->path_count > most / 2)
		return levels->count > 0;
	return levels->count;
}

static uint32_t child_at(struct lane_context *context, const struct segment_frame *frame,
			 const struct levels *levels)
{
	uint32_t below = frame->parent_node, known_count = context->node_next;
	int count = levels_to_keep(context, levels);

	if (!count) {
		process_count(SEGMENT_COUNTER_UNKNOWN_LEVELS, levels->count > 0);
		return 0;
	}
	for (int i = count; below && i-- > 0;)
		below = tree_level(context, below, levels->addresses[i]);
	context->levels.count += context->node_next - known_count;
	return below ? tree_arrive(context, frame->parent_node, frame->function, below)
		     : 0;
}

static int has_room(const struct lane_context *context, const struct segment_frame *frame)
{
	return frame->stack_pointer - paused_stack_low(context) >= STACK_LEAST;
}

/* When the stack cannot be walked, only the function of the call site is known. */
static void find_levels(struct lane_context *context, const struct segment_frame *frame,
			const struct stack_caller *hook, struct levels *levels)
{
	levels->count = 0; /* the rest is written before it is read */
	if (has_room(context, frame) && walk_out(context, frame, hook, levels))
		return;
	levels->count = 0;
	process_count(SEGMENT_COUNTER_UNKNOWN_LEVELS, 1);
	add_level(levels, places_of(context, segment_frame_caller(frame)).level);
}

uint32_t cold levels_child(struct lane_context *context,
			   const struct segment_frame *frame,
			   const struct stack_caller *hook)
{
	uint32_t parent = frame->parent_node, child = 0, calls = UINT32_MAX;
	uint64_t call_site = segment_frame_caller(frame);
	struct levels levels;

	if (!hook || modes_count < 2)
		return tree_child_slow(context, parent, frame->function);
	if (!is_called_directly(context, frame, hook)) {
		find_levels(context, frame, hook, &levels);
		child = child_at(context, frame, &levels);
		calls = LEVELS_MANY;
	}
	if (!child)
		child = tree_child_slow(context, parent, frame->function);
	if (child && context->nodes[child].parent == parent &&
	    (calls > LEVELS_MANY || context->nodes[child].call_count >= LEVELS_RARE))
		ways_note(context, child, call_site, calls);
	return child;
}
