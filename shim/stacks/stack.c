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
#include "shim/patch/modes.h"
#include "shim/stacks/graft.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/places.h"

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
