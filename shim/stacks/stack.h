/* SPDX-License-Identifier: MIT */
/*
 * Finds the call path of an allocation: the instrumented part is the lane's current node;
 * the rest is walked (walk.h) and grafted on it. Runs on: traced threads, inside an
 * allocation hook (BUSY_BOOKS held). Must not lock.
 */
#pragma once

#include "shim/lane/functions.h"
#include "shim/lane/lane.h"
#include "shim/lane/tree.h"
#include "shim/stacks/callers.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/walk.h"

/*
 * Makes nodes for the frames between an allocation and the innermost function with a
 * frame of ours. Runs on: traced threads, inside an allocation hook (BUSY_BOOKS held).
 * Must not lock, nor read anything but the stack in use.
 *
 * Code without hooks gets a node for each return address. Counted functions have no frame
 * of ours, but lie on the stack: the innermost one gets the allocation, and those around
 * it are levels (common/segment_tree.h). So the path is as if each call were recorded.
 * The stack is walked for each allocation: the way that the last one came tells nothing
 * about the next.
 */

/* Grafts a walk; returns the node of its innermost frame that there is room for. */
uint32_t graft_walk(struct lane_context *context, const struct walk *walk,
		    const struct stack_caller *caller, uint64_t call_site);

/* Walks and grafts. When there is no room for the whole path, it is folded into the part
 * that there is, and the fold is counted. base: stack_walked_base(). */
uint32_t stack_node_slow(struct lane_context *context, const struct stack_caller *caller,
			 uint32_t base);

static inline __attribute__((always_inline)) struct stack_site *
stack_site_at(struct lane_context *context, const struct stack_caller *caller)
{
	uint32_t hash = tree_hash(context->current, caller->return_address) +
			(uint32_t)context->top[-1].caller * 0xc2b2ae35u;

	return &context->known_sites[hash >> 22];
}

static inline __attribute__((always_inline)) int
stack_site_is_of(const struct stack_site *known, const struct lane_context *context,
		 const struct stack_caller *caller)
{
	return known->return_address == caller->return_address &&
	       known->call_site == context->top[-1].caller &&
	       known->node == context->current;
}

/* The site of an allocation with this caller, if it is known at once; or 0.
 *
 * Whether the caller is instrumented code, which needs no unwinding, depends on the
 * return address alone. We learn it once: then the address is a child of the current
 * function's node, or of a node for its call site, and has a site. */
static inline __attribute__((always_inline)) uint32_t
stack_known_site(struct lane_context *context, const struct stack_caller *caller)
{
	const struct stack_site *known = stack_site_at(context, caller);

	return likely(stack_site_is_of(known, context, caller)) ? known->site : 0;
}

/* The base to walk the stack from, if the caller is known not to be instrumented; or
 * 0. */
static inline uint32_t stack_walked_base(struct lane_context *context,
					 const struct stack_caller *caller)
{
	const struct stack_site *known = stack_site_at(context, caller);

	return stack_site_is_of(known, context, caller) && !known->site ? known->base : 0;
}

/* A handler sees the whole entry or none. */
static inline void stack_note_site(struct lane_context *context,
				   const struct stack_caller *caller, uint32_t site,
				   uint32_t base)
{
	struct stack_site *known = stack_site_at(context, caller);

	known->return_address = 0;
	__asm__ volatile("" : : : "memory");
	known->call_site = context->top[-1].caller;
	known->node = context->current;
	known->site = site;
	known->base = base;
	__asm__ volatile("" : : : "memory");
	known->return_address = caller->return_address;
}

/* The caller's node, if the front table has it and it has a site; or NULL. */
static inline const struct segment_node *
stack_front_node(const struct lane_context *context, const struct stack_caller *caller)
{
	uint64_t key = caller->return_address | SEGMENT_KEY_RETURN_ADDRESS;
	uint32_t parent = callers_front_base(context);
	uint32_t index = context->front[tree_place(parent, key)];
	const struct segment_node *node = &context->nodes[index];

	return likely(node->key == key && node->parent == parent && node->site &&
		      parent > LANE_ROOT)
		       ? node
		       : NULL;
}

/* Where the innermost function with a frame returns to; 0: not known. */
static inline uint64_t stack_call_site(const struct lane_context *context)
{
	return context->top > context->frames
		       ? segment_frame_return_address(&context->top[-1])
		       : 0;
}

/* The same for code without hooks, or below counted functions, if the stack is kept and
 * its node has a site. */
static inline const struct segment_node *
stack_kept_node(struct lane_context *context, const struct stack_caller *caller,
		uint32_t known_base)
{
	uint32_t base = known_base ? known_base : callers_front_base(context);
	uint32_t index =
		base ? kept_find(context, base, stack_call_site(context), caller) : 0;

	return index && context->nodes[index].site ? &context->nodes[index] : NULL;
}

/* The node of an allocation with this caller, walked to if need be. */
static inline uint32_t stack_node(struct lane_context *context,
				  const struct stack_caller *caller)
{
	return stack_node_slow(context, caller, stack_walked_base(context, caller));
}

_Static_assert(LANE_KNOWN_SITES == 1u << 10, "stack_site_at() shifts by 22");
