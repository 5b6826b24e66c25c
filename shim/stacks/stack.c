/* SPDX-License-Identifier: MIT */
/*
 * Unwinding of the uninstrumented frames between an allocation and the innermost
 * instrumented function, grafted onto the call tree. Runs on: traced threads, inside an
 * allocation hook. Must not hold a lock, or change errno.
 *
 * Where the unwound part ends: the enter hook of the innermost instrumented function
 * was given its call site, the address this function returns to. So the return address
 * just inside of that one in the unwound stack lies in the instrumented function, and
 * everything farther in is grafted. No CFA has to be known.
 */
#include "shim/stacks/stack.h"

#include <errno.h>

#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/patch/modes.h"
#include "shim/stacks/graft.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/places.h"

/* Our own frames on top of the caller's: stack_node_slow, the recorder, malloc. How many
 * the usual build has, and the most: clang inlines less, -O0 nothing. */
#define OWN_FRAMES 6
#define OWN_FRAMES_LIMIT 16

int (*stack_unwinder)(void **buffer, int size);
struct stack_code stack_unwinder_code[2];

/* Looks for the caller behind our own frames. Returns its index, or -1. */
static int find_caller(void *const *stack, int count, uint64_t return_address)
{
	for (int i = 0; i < count && i < OWN_FRAMES_LIMIT; i++) {
		if ((uint64_t)stack[i] == return_address)
			return i;
	}
	return -1;
}

/* Number of frames from the caller up to the one inside the instrumented function; all
 * of them when the call site does not show (0 is never returned). */
static int find_call_site(void *const *stack, int first, int count, uint64_t call_site)
{
	for (int i = first + 1; i < count; i++) {
		if ((uint64_t)stack[i] == call_site)
			return i - first;
	}
	return -1;
}

/* Return addresses from the caller outwards, as far as the call site of the innermost
 * open frame or some more than the depth limit. Asks for few first: what is not asked for
 * costs nothing. Returns how many; *ret_first: where they start in stack. */
static int unwind(struct lane_context *context, uint64_t return_address,
		  uint64_t call_site, void **stack, int *ret_first)
{
	int limit = (int)process_facts.stack_depth_limit;
	int ask, got, first, count;

	ask = call_site ? (int)context->unwind_hint + OWN_FRAMES
			: limit + OWN_FRAMES_LIMIT;
	for (;;) {
		if (ask > limit + OWN_FRAMES_LIMIT)
			ask = limit + OWN_FRAMES_LIMIT;
		got = stack_unwinder(stack, ask);
		first = find_caller(stack, got, return_address);
		if (first < 0 && got == ask && ask < limit + OWN_FRAMES_LIMIT) {
			ask *= 2; /* our own frames took all */
			continue;
		}
		if (first < 0)
			return 0;
		count = call_site ? find_call_site(stack, first, got, call_site) : -1;
		if (count > 0) {
			context->unwind_hint = (uint32_t)count + 2;
			break;
		}
		if (got < ask || ask == limit + OWN_FRAMES_LIMIT) {
			count = got - first;
			break;
		}
		ask *= 2;
	}
	*ret_first = first;
	return count;
}

/* Grafts what libunwind has found. Frames shared with the last stack that it found
 * need no look-up. */
static uint32_t graft_addresses(struct lane_context *context, uint32_t base,
				void *const *stack, int count)
{
	struct stack_asked *asked = &context->asked;
	uint32_t node = base;
	int same = 0;

	if (asked->base == node && asked->unload_count == process->unload_count) {
		int known = (int)asked->count;

		while (same < count && same < known &&
		       asked->frames[same] == stack[count - 1 - same])
			same++;
		if (same)
			node = asked->nodes[same - 1];
	}
	/* a handler may jump out of here: what is not whole is not there */
	asked->count = (uint32_t)same;
	__asm__ volatile("" : : : "memory");
	asked->base = base;
	asked->unload_count = process->unload_count;
	for (; same < count; same++) {
		void *address = stack[count - 1 - same];
		uint32_t child = graft_frame(context, node, (uint64_t)address);

		if (!child)
			break;
		asked->frames[same] = address;
		asked->nodes[same] = node = child;
	}
	__asm__ volatile("" : : : "memory");
	asked->count = (uint32_t)same;
	return node;
}

/* The node when it was learned that nothing needs unwinding, and the front table has lost
 * it or never had it: a child that goes on in the tree of others knows what they learned,
 * and is spared the unwinder's start, which costs it more than all the rest. */
static uint32_t known_node(struct lane_context *context, uint32_t base,
			   uint64_t return_address)
{
	uint32_t parent = base, node;

	if (parent == LANE_ROOT)
		return 0;
	node = tree_find(context, parent, return_address | SEGMENT_KEY_RETURN_ADDRESS);
	return node && context->nodes[node].site ? node : 0;
}

/* libunwind's answer, or the caller alone when it has none. Returns how many frames, from
 * stack[*ret_first] on. */
static int ask_unwinder(struct lane_context *context, uint64_t return_address,
			uint64_t call_site, void **stack, int *ret_first)
{
	int saved_errno = errno, count = 0;

	/* it maps memory, and asks the kernel what can be read */
	if (stack_unwinder && !context->own_work && gate_is_open()) {
		context->own_work = OWN_WORK_UNWINDING;
		count = unwind(context, return_address, call_site, stack, ret_first);
		context->own_work = OWN_WORK_NONE;
	}
	errno = saved_errno;
	if (count > 0)
		return count;
	stack[0] = (void *)return_address;
	*ret_first = 0;
	return 1;
}

static cold uint32_t unwound_node(struct lane_context *context, uint32_t base,
				  uint64_t return_address, uint64_t call_site)
{
	void *stack[LANE_STACK_LIMIT + OWN_FRAMES_LIMIT];
	int first, count;

	context->lane->asked_stack_count += stack_unwinder != NULL;
	count = ask_unwinder(context, return_address, call_site, stack, &first);
	if (count > (int)process_facts.stack_depth_limit) {
		context->lane->truncated_stack_count++;
		count = (int)process_facts.stack_depth_limit;
	}
	return graft_addresses(context, base, stack + first, count);
}

/* Does libunwind find the frames of a walk? */
static cold void check(struct lane_context *context, uint64_t return_address,
		       uint64_t call_site, const struct walk *walk)
{
	void *stack[LANE_STACK_LIMIT + OWN_FRAMES_LIMIT];
	int count = walk->inner_count + walk->known_count, found, first = 0, same = 0;

	found = ask_unwinder(context, return_address, call_site, stack, &first);
	if (found > (int)process_facts.stack_depth_limit)
		found = (int)process_facts.stack_depth_limit;
	while (same < count && same < found) {
		const struct stack_frame *frame =
			same < walk->inner_count ? &walk->inner[same]
						 : &context->known[count - 1 - same];

		if (frame->return_address != (uint64_t)stack[first + same])
			break;
		same++;
	}
	context->lane->differing_stack_count += same != count || same != found;
}

static uint32_t walked_node(struct lane_context *context,
			    const struct stack_caller *caller, uint64_t call_site,
			    const struct walk *walk)
{
	struct segment_lane *lane = context->lane;

	lane->reused_stack_count += walk->known_count > 0;
	lane->rebuilt_stack_count += walk->known_count == 0;
	lane->truncated_stack_count += walk->end == WALK_LIMIT;
	if (unlikely(process_facts.check_stacks))
		check(context, caller->return_address, call_site, walk);
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
	walk = walk_stack(context, base, caller, call_site,
			  (int)process_facts.stack_depth_limit);
	if (likely(walk.end != WALK_FAILED))
		return walked_node(context, caller, call_site, &walk);
	node = frameless_node(context, caller);
	if (!node)
		node = known_node(context, base, caller->return_address);
	return node ? node
		    : unwound_node(context, base, caller->return_address, call_site);
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
