/* SPDX-License-Identifier: MIT */
/* Grafts a walk onto the call tree, from the outermost frame to the innermost. */
#include "shim/stacks/graft.h"

#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/patch/modes.h"
#include "shim/stacks/callers.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/places.h"

struct graft {
	struct lane_context *context;
	const struct walk *walk;
	int count;   /* of all frames; they are numbered from the outermost on */
	int outside; /* so many are further out than the function with a frame */
	int arrival; /* the innermost one whose function is only counted; -1: there is
			none */
	uint64_t function;  /* that one */
	uint64_t call_site; /* of the function with a frame; 0: it is not known */
};

uint32_t graft_frame(struct lane_context *context, uint32_t node, uint64_t address)
{
	uint32_t child = tree_child(context, node,
				    (address & SEGMENT_KEY_ADDRESS_MASK) |
					    SEGMENT_KEY_RETURN_ADDRESS);

	if (!child)
		context->lane->folded_call_count++;
	return child;
}

static const struct segment_frame *innermost(const struct lane_context *context)
{
	const struct segment_frame *frame = context->top;

	while (frame > context->frames && segment_key_is_region(frame[-1].function))
		frame--;
	return frame > context->frames ? frame - 1 : NULL;
}

int graft_is_innermost(const struct lane_context *context, uint64_t function)
{
	const struct segment_frame *frame = innermost(context);

	return frame && frame->function == function;
}

static struct stack_frame *frame_at(const struct graft *graft, int number)
{
	return &graft->context->known[number];
}

/* The frame of the function that has one of ours, or of the one that it is inlined into.
 * The frame inside of the call site is; where that is on another stack it may not be. */
static int is_own(const struct graft *graft, int number, uint64_t function)
{
	return number == graft->outside && innermost(graft->context) &&
	       (graft->walk->end == WALK_CALL_SITE || !modes_find(function) ||
		graft_is_innermost(graft->context, function));
}

/* The function that is only counted whose code a frame is in; 0: it is another's. Which
 * copies are inlined there, the collector tells. */
static uint64_t counted_at(const struct graft *graft, int number)
{
	uint64_t address = frame_at(graft, number)->return_address;
	uint64_t function = places_of(graft->context, address).function;

	return function && modes_find(function) && !is_own(graft, number, function)
		       ? function
		       : 0;
}

static void find_arrival(struct graft *graft, int first)
{
	graft->arrival = graft->count;
	do {
		if (--graft->arrival < first || graft->arrival < graft->outside) {
			graft->arrival = -1;
			return;
		}
		graft->function = counted_at(graft, graft->arrival);
	} while (!graft->function);
}

/* Recursion counts as one level, see events/levels.h. */
static uint32_t add_level(struct graft *graft, uint32_t below, int number)
{
	struct lane_context *context = graft->context;
	struct lane_place place =
		places_of(context, frame_at(graft, number)->return_address);
	uint64_t address = place.level;
	uint32_t node = below, known_count = context->node_next;

	if (is_own(graft, number, place.function) && !place.has_copies)
		address = 0;
	for (; address && segment_key_is_level(context->nodes[node].key);
	     node = context->nodes[node].parent) {
		if (context->nodes[node].key == (address | SEGMENT_KEY_LEVEL))
			return below;
	}
	if (!address || context->levels.count > LANE_LEVELS_MOST)
		return below;
	node = tree_level(context, below, address);
	context->levels.count += context->node_next - known_count;
	return node ? node : below;
}

/* The node of the function that is only counted. */
static uint32_t arrive(struct graft *graft, uint32_t below,
		       const struct stack_caller *caller)
{
	struct lane_context *context = graft->context;
	uint32_t parent = context->current, node = 0;

	if (below != parent)
		node = tree_arrive(context, parent, graft->function, below);
	if (!node)
		node = tree_child(context, parent, graft->function);
	return node ? callers_find_frameless(context, node, graft->function, caller,
					     graft->arrival
						     ? frame_at(graft, graft->arrival - 1)
							       ->return_address
						     : graft->call_site)
		    : 0;
}

/* The first frame that has no node, or whose node does not hold: what the known ones are
 * for depends on whether a function that is only counted is further in. Sets *ret_node to
 * the node outside of it. */
static int begin(struct graft *graft, uint32_t *ret_node)
{
	struct lane_context *context = graft->context;
	int first = graft->walk->known_count;
	uint32_t node = first ? frame_at(graft, first - 1)->node : 0;
	int is_level = first && (node == context->current ||
				 segment_key_is_level(context->nodes[node].key));

	find_arrival(graft, first);
	if (first && (is_level != (graft->arrival >= 0) ||
		      graft->arrival - graft->outside > (int)SEGMENT_LEVELS_MOST)) {
		first = 0;
		find_arrival(graft, first);
	}
	if (!first)
		node = graft->arrival >= 0 ? context->current : graft->walk->base;
	*ret_node = node;
	return first;
}

/* A frame inside of the others, whose node is this. */
static uint32_t add(struct graft *graft, uint32_t node, int number,
		    const struct stack_caller *caller)
{
	uint64_t address = frame_at(graft, number)->return_address;

	if (number > graft->arrival)
		return graft_frame(graft->context, node, address);
	if (number == graft->arrival) {
		node = arrive(graft, node, caller);
		return node ? graft_frame(graft->context, node, address) : 0;
	}
	return number < graft->outside ||
			       graft->arrival - number > (int)SEGMENT_LEVELS_MOST
		       ? node
		       : add_level(graft, node, number);
}

/* Of a stack that was walked to its end, as who called the function with a frame is not
 * known (a forked child inherited it) or not on this stack. */
static int count_outside(const struct graft *graft)
{
	const struct segment_frame *frame = innermost(graft->context);
	int count = 0;

	if (!frame || (graft->call_site && graft->walk->end != WALK_OUTERMOST))
		return 0;
	while (count < graft->count &&
	       frame_at(graft, count)->stack_pointer > frame->stack_pointer)
		count++;
	return count;
}

/* When all frames have their nodes. Not where the call site does not show: which frames
 * are outside of the function with a frame, its words do not tell. */
static void keep(const struct graft *graft, const struct stack_caller *caller)
{
	const struct walk *walk = graft->walk;
	const struct stack_frame *frame = frame_at(graft, graft->count - 1);
	struct kept_words words;

	if (walk->end == WALK_OUTERMOST && innermost(graft->context))
		return;
	words = kept_begin(graft->context, walk->base, graft->call_site, caller,
			   2 * (uint32_t)graft->count);
	if (words.kept) {
		words.kept->is_truncated = walk->end == WALK_LIMIT;
		words.kept->frame_pointer_mask =
			walk_frame_pointer_matters(frame) ? ~0ull : 0;
	}
	for (int i = graft->count - 2; i >= 0; i--) {
		frame = frame_at(graft, i);
		if (walk_frame_pointer_matters(frame) && frame->saved_at)
			kept_add(&words, frame->saved_at, frame->frame_pointer);
		kept_add(&words, frame->stack_pointer - 8, frame->return_address);
	}
	if (walk->end == WALK_CALL_SITE)
		kept_add(&words, walk->end_at - 8, graft->call_site);
	kept_end(&words, frame_at(graft, graft->count - 1)->node);
}

/* Returns how many frames have their nodes, the outermost ones. */
static int add_all(struct graft *graft, const struct stack_caller *caller,
		   uint32_t *ret_node)
{
	int number = begin(graft, ret_node);

	for (; number < graft->count; number++) {
		uint32_t child = add(graft, *ret_node, number, caller);

		if (!child)
			break;
		frame_at(graft, number)->node = *ret_node = child;
	}
	return number;
}

uint32_t graft_walk(struct lane_context *context, const struct walk *walk,
		    const struct stack_caller *caller, uint64_t call_site)
{
	struct graft graft = {.context = context,
			      .walk = walk,
			      .call_site = call_site,
			      .count = walk->known_count + walk->inner_count};
	uint32_t node = walk->node;
	int number = graft.count;

	if (!node) {
		walk_remember(context, walk, call_site);
		graft.outside = count_outside(&graft);
		number = add_all(&graft, caller, &node);
		walk_keep(context, walk->is_single && number > walk->known_count
					   ? walk->known_count
					   : number);
	}
	if (number == graft.count && !walk->is_single)
		keep(&graft, caller);
	return node;
}
