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

/* The same for a caller that is code of a function known to allocate there, which has no
 * frame now: it is on the path as if it had one. The front table has the allocation's
 * node as if it were a child of the current one, since it has no functions then
 * (lane/ways.h). */
static inline const struct segment_node *
stack_frameless_node(const struct lane_context *context, uint64_t return_address)
{
	uint64_t function = allocators_function(return_address);
	uint64_t key = return_address | SEGMENT_KEY_RETURN_ADDRESS;
	uint32_t parent = context->current;
	const struct segment_node *node =
		&context->nodes[context->front[tree_place(parent, key)]];
	const struct segment_node *own = &context->nodes[node->parent];

	if (!function || context->nodes[parent].key == function ||
	    segment_key_is_region(context->nodes[parent].key) ||
	    (headers_any && headers_has(function)))
		return NULL;
	return node->key == key && node->site && own->key == function &&
			       own->parent == parent &&
			       !(own->unfinished & SEGMENT_NODE_DETOUR)
		       ? node
		       : NULL;
}

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

	if (likely(node->key == key && node->parent == parent && node->site &&
		   parent > LANE_ROOT))
		return node;
	return stack_frameless_node(context, caller->return_address);
}

/* The same, whatever it takes. */
static inline uint32_t stack_node(struct lane_context *context,
				  const struct stack_caller *caller)
{
	const struct segment_node *node = stack_known_node(context, caller);

	return likely(node) ? (uint32_t)(node - context->nodes)
			    : stack_node_slow(context, caller);
}
