/* SPDX-License-Identifier: MIT */
/*
 * From a call of malloc to the call path it happened on: the instrumented part is the
 * lane's current node, the rest is unwound (walk.h, or libunwind where that cannot) and
 * grafted on it. Runs on: traced threads,
 * inside an allocation hook (BUSY_BOOKS held). Must not hold any lock: libunwind may
 * take the loader's.
 */
#pragma once

#include "shim/lane/functions.h"
#include "shim/lane/lane.h"
#include "shim/lane/tree.h"
#include "shim/stacks/callers.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/walk.h"

/* unw_backtrace(), or NULL when libunwind cannot be had. Set by boot. */
extern hidden int (*stack_unwinder)(void **buffer, int size);

/* Its code, and that of ld.so, which allocates its thread-local memory: so that its
 * allocations are known by their caller. */
struct stack_code {
	uint64_t start, end;
};

extern hidden struct stack_code stack_unwinder_code[2];

/* Unwinds and grafts. Where there is no room for the whole path it is folded into the
 * part that there is, and the fold counted. */
uint32_t stack_node_slow(struct lane_context *context, const struct stack_caller *caller);

/* The node of an allocation with this caller, as far as it is known at once; or NULL.
 *
 * That the caller is instrumented code, so that nothing needs unwinding, is a property
 * of the return address alone. It is learned once: then the address is a direct child
 * of the current function's node and has a site. */
static inline const struct segment_node *
stack_known_node(const struct lane_context *context, const struct stack_caller *caller)
{
	uint64_t key = caller->return_address | SEGMENT_KEY_RETURN_ADDRESS;
	uint32_t parent = callers_known_base(context);
	uint32_t index = context->front[tree_place(parent, key)];
	const struct segment_node *node = &context->nodes[index];

	return likely(node->key == key && node->parent == parent && node->site &&
		      parent > LANE_ROOT)
		       ? node
		       : NULL;
}

/* Where the innermost function with a frame returns to; 0: it is not known. */
static inline uint64_t stack_call_site(const struct lane_context *context)
{
	return context->top > context->frames
		       ? segment_frame_return_address(&context->top[-1])
		       : 0;
}

/* The same where functions that are only counted lie between, as far as the stack is kept
 * and the node has a site. */
static inline const struct segment_node *
stack_kept_node(struct lane_context *context, const struct stack_caller *caller)
{
	uint32_t base = callers_known_base(context);
	uint32_t index =
		base ? kept_find(context, base, stack_call_site(context), caller) : 0;

	return index && context->nodes[index].site ? &context->nodes[index] : NULL;
}

/* The same, whatever it takes. */
static inline uint32_t stack_node(struct lane_context *context,
				  const struct stack_caller *caller)
{
	const struct segment_node *node = stack_known_node(context, caller);

	return likely(node) ? (uint32_t)(node - context->nodes)
			    : stack_node_slow(context, caller);
}
