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

#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/trigger.h"

/* Our own frames on top of the caller's: stack_node_slow, the recorder, malloc. */
#define OWN_FRAMES 6

int (*stack_unwinder)(void **buffer, int size);
struct stack_code stack_unwinder_code[2];

/* Looks for the caller behind our own frames. Returns its index, or -1. */
static int find_caller(void *const *stack, int count, uint64_t return_address)
{
	for (int i = 0; i < count && i < OWN_FRAMES + 2; i++) {
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
 * open frame or the depth limit. Asks for few first: what is not asked for costs
 * nothing. Returns how many; *ret_first: where they start in stack. */
static int unwind(struct lane_context *context, uint64_t return_address, void **stack,
		  int *ret_first)
{
	int limit = (int)process_facts.stack_depth_limit;
	uint64_t call_site = 0;
	int ask, got, first, count;

	if (context->top > context->frames)
		call_site = segment_frame_return_address(&context->top[-1]);
	ask = call_site ? (int)context->unwind_hint + OWN_FRAMES : limit + OWN_FRAMES;
	for (;;) {
		if (ask > limit + OWN_FRAMES)
			ask = limit + OWN_FRAMES;
		got = stack_unwinder(stack, ask);
		first = find_caller(stack, got, return_address);
		if (first < 0 && got == ask && ask < limit + OWN_FRAMES) {
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
		if (got < ask || ask == limit + OWN_FRAMES) {
			count = got - first;
			break;
		}
		ask *= 2;
	}
	*ret_first = first;
	return count < limit ? count : limit;
}

/* Walks the stack from its outermost frame down the tree, starting at the current node.
 * Frames shared with the last unwound stack need no look-up. */
static uint32_t graft(struct lane_context *context, void *const *stack, int count)
{
	uint32_t node = context->current;
	int same = 0;

	if (context->memo_base == node &&
	    context->memo_unload_count == process->unload_count) {
		int known = (int)context->memo_count;

		while (same < count && same < known &&
		       context->memo_stack[same] == stack[count - 1 - same])
			same++;
		if (same)
			node = context->memo_nodes[same - 1];
	}
	context->memo_base = context->current;
	context->memo_unload_count = process->unload_count;
	for (; same < count; same++) {
		void *address = stack[count - 1 - same];

		uint32_t child =
			tree_child(context, node,
				   ((uint64_t)address & SEGMENT_KEY_ADDRESS_MASK) |
					   SEGMENT_KEY_RETURN_ADDRESS);

		if (!child) { /* no room: the path ends at its nearest known frame */
			context->lane->folded_call_count++;
			break;
		}
		node = child;
		context->memo_stack[same] = address;
		context->memo_nodes[same] = node;
	}
	context->memo_count = (uint32_t)same;
	return node;
}

/* The node when it was learned that nothing needs unwinding, and the front table has lost
 * it or never had it: a child that goes on in the tree of others knows what they learned,
 * and is spared the unwinder's start, which costs it more than all the rest. */
static uint32_t known_node(struct lane_context *context, uint64_t return_address)
{
	uint32_t parent = context->current, node;

	if (parent == LANE_ROOT)
		return 0;
	node = tree_find(context, parent, return_address | SEGMENT_KEY_RETURN_ADDRESS);
	return node && context->nodes[node].site ? node : 0;
}

static uint32_t unwound_node(struct lane_context *context, uint64_t return_address)
{
	void *stack[LANE_STACK_LIMIT + OWN_FRAMES];
	int saved_errno = errno, first = 0, count = 0;

	/* libunwind maps memory, and asks the kernel what can be read */
	if (stack_unwinder && !context->own_work && gate_is_open()) {
		context->own_work = OWN_WORK_UNWINDING;
		count = unwind(context, return_address, stack, &first);
		context->own_work = OWN_WORK_NONE;
	}
	if (count <= 0) { /* no unwinder, or it lost its way: the caller alone */
		stack[0] = (void *)return_address;
		first = 0;
		count = 1;
	}
	errno = saved_errno;
	return graft(context, stack + first, count);
}

uint32_t stack_node_slow(struct lane_context *context, uint64_t return_address)
{
	uint32_t node = known_node(context, return_address);

	return node ? node : unwound_node(context, return_address);
}
