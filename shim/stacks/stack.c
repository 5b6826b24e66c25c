/* SPDX-License-Identifier: MIT */
/*
 * Which way leads from an allocation to its node. Runs on: traced threads, inside an
 * allocation hook. Must not hold a lock, or change errno.
 *
 * Where the walked part ends: the enter hook of the innermost instrumented function
 * was given its call site, the address this function returns to. So the return address
 * just inside of that one on the stack lies in the instrumented function, and
 * everything farther in is grafted.
 */
#include "shim/stacks/stack.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/patch/modes.h"
#include "shim/stacks/callers.h"
#include "shim/stacks/kept.h"

/* Grafts a walk onto the call tree, from the outermost frame to the innermost. */

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

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/*
 * The child of a node for a frame. 0: no room (counted), the path ends at the node. The
 * wrappers of functions of libc are the recorder's: on the path the wrapped call stands.
 */
static uint32_t graft_frame(struct lane_context *context, uint32_t node, uint64_t address)
{
	uint32_t child;

	if (address - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start))
		return node;
	child = tree_child(context, node,
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

/* Is this the innermost function with a frame, not counting regions open in it? */
static int graft_is_innermost(const struct lane_context *context, uint64_t function)
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

/* Recursion counts as one level, see events/levels.h, where also is how many are kept. */
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
	if (!address ||
	    (context->levels.count > LANE_LEVELS_MOST && number != graft->arrival - 1))
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

static uint32_t walked_node(struct lane_context *context,
			    const struct stack_caller *caller, uint64_t call_site,
			    const struct walk *walk)
{
	struct segment_lane *lane = context->lane;

	lane->reused_stack_count += walk->known_count > 0;
	lane->rebuilt_stack_count += walk->known_count == 0;
	lane->truncated_stack_count += walk->end == WALK_LIMIT;
	lane->partial_stack_count += walk->end == WALK_CUT;
	return graft_walk(context, walk, caller, call_site);
}

/* Code of a function that is only counted: it is on the path as if it had a frame,
 * without the levels around it, as the stack cannot be walked. 0: it is not of this kind,
 * or there is no room. */
static uint32_t frameless_node(struct lane_context *context,
			       const struct stack_caller *caller)
{
	uint64_t function =
		modes_count ? places_of(context, caller->return_address).function : 0;
	uint32_t own;

	if (!function || !modes_find(function) || graft_is_innermost(context, function))
		return 0;
	own = tree_child(context, context->current, function);
	if (!own)
		return 0;
	process_count(SEGMENT_COUNTER_UNKNOWN_LEVELS, 1);
	return graft_frame(context,
			   callers_find_frameless(context, own, function, caller, 0),
			   caller->return_address);
}

/* The node of a caller in code of the base's function. Its front table does not have it:
 * a forked child that goes on in the tree of others finds what they learned, and touches
 * none of the pages that its first walk would have the kernel copy. 0: it is not known.
 */
static uint32_t inherited_node(struct lane_context *context, uint32_t base,
			       uint64_t return_address)
{
	uint32_t node;

	if (likely(!process->segment->forked_from_slot) || base == LANE_ROOT)
		return 0;
	node = tree_find(context, base, return_address | SEGMENT_KEY_RETURN_ADDRESS);
	return node && context->nodes[node].site ? node : 0;
}

static uint32_t find_node(struct lane_context *context, const struct stack_caller *caller,
			  uint32_t known_base)
{
	uint32_t base = known_base ? known_base : callers_base(context, caller), node;
	uint64_t call_site = stack_call_site(context);
	struct walk walk;

	node = !kept_is_missed(context, caller)
		       ? kept_find(context, base, call_site, caller)
		       : 0;
	if (node) {
		if (unlikely(kept_is_truncated(context)))
			context->lane->truncated_stack_count++;
		return node;
	}
	node = inherited_node(context, base, caller->return_address);
	if (node)
		return node;
	walk = walk_stack(context, base, caller, call_site,
			  (int)process_facts.stack_depth_limit);
	if (likely(walk.end != WALK_FAILED))
		return walked_node(context, caller, call_site, &walk);
	context->lane->partial_stack_count++;
	node = frameless_node(context, caller);
	if (!node)
		node = graft_frame(context, base, caller->return_address);
	return node ? node : base;
}

/* Headers' functions have bases for each of their callers. */
static void note_if_walked(struct lane_context *context,
			   const struct stack_caller *caller, uint32_t node)
{
	const struct segment_node *found = &context->nodes[node];
	uint32_t base = callers_front_base(context);

	if (base &&
	    (found->key != (caller->return_address | SEGMENT_KEY_RETURN_ADDRESS) ||
	     found->parent != base))
		stack_note_site(context, caller, 0, base);
}

/* What this takes is subtracted from the times: of each 16th call, but for those that
 * were interrupted or read unwind tables. */
#define TIMED_PART 16
#define TIMED_TICKS_MOST (clock_tenth_of_second() >> 14) /* 6 us */

uint32_t stack_node_slow(struct lane_context *context, const struct stack_caller *caller,
			 uint32_t base)
{
	struct segment_lane *lane = context->lane;
	const struct segment_node *known =
		base ? NULL : stack_front_node(context, caller);
	uint64_t start, ticks;
	uint32_t node;

	if (known)
		return (uint32_t)(known - context->nodes);
	if (likely(lane->slow_stack_count++ % TIMED_PART))
		return find_node(context, caller, base);
	start = clock_now();
	node = find_node(context, caller, base);
	note_if_walked(context, caller, node);
	ticks = clock_now() - start;
	if (ticks < TIMED_TICKS_MOST) {
		lane->timed_stack_count++;
		lane->timed_stack_ticks += ticks;
	}
	return node;
}
