/* SPDX-License-Identifier: MIT */
/*
 * The call tree of a lane: finds and adds children. Runs on: the lane's thread, any
 * context. Must not call libc or lock. A handler may add nodes in the middle of an
 * insertion (see tree.c).
 */
#pragma once

#include "shim/lane/lane.h"

static inline uint32_t tree_hash(uint32_t parent, uint64_t key)
{
	return (uint32_t)key * 0x85ebca6bu + parent * 0x9e3779b1u;
}

/* True when functions are looked up in ways.h instead of the front table. */
extern hidden uint32_t ways_are_noted;

/* Another thread may set it at any time. */
static inline uint32_t tree_notes_ways(void)
{
	return __atomic_load_n(&ways_are_noted, __ATOMIC_RELAXED);
}

/* Hash lookup, insertion when absent. 0: the node could not be made (fold). */
uint32_t tree_child_slow(struct lane_context *context, uint32_t parent, uint64_t key);

/* The child's first place in the front table. Two places form a set: tree_other_place()
 * holds the child that was here before. */
static inline uint32_t tree_place(uint32_t parent, uint64_t key)
{
	return tree_hash(parent, key) >> 20;
}

static inline uint32_t tree_other_place(uint32_t place)
{
	return place ^ 1;
}

/* Nodes without a function entry, for want of room, are compared by key. */
static inline int tree_is_same_function(const struct lane_context *context, uint32_t a,
					uint32_t b)
{
	const struct segment_node *one = &context->nodes[a], *other = &context->nodes[b];

	return one->function ? one->function == other->function : one->key == other->key;
}

/* The child of parent with this key, if it is in its first place; or 0. */
static inline uint32_t tree_front(const struct lane_context *context, uint32_t parent,
				  uint64_t key)
{
	uint32_t index = context->front[tree_place(parent, key)];
	const struct segment_node *node = &context->nodes[index];

	return likely(node->key == key && node->parent == parent) ? index : 0;
}

/* The same if it is in the other place; swaps the two. 0: it is not. */
static inline uint32_t tree_second(struct lane_context *context, uint32_t parent,
				   uint64_t key)
{
	uint32_t place = tree_place(parent, key), other = tree_other_place(place);
	uint32_t index = context->front[other];
	const struct segment_node *node = &context->nodes[index];

	if (!index || node->key != key || node->parent != parent)
		return 0;
	context->front[other] = context->front[place];
	context->front[place] = index;
	return index;
}

/* The child of parent with this key; 0: no room for a new one. */
static inline uint32_t tree_child(struct lane_context *context, uint32_t parent,
				  uint64_t key)
{
	uint32_t index = tree_front(context, parent, key);

	return likely(index) ? index : tree_child_slow(context, parent, key);
}

/* The child of parent with this key; 0: there is none. */
uint32_t tree_find(struct lane_context *context, uint32_t parent, uint64_t key);

/* The same, whether it has levels (common/segment_tree.h) or not; the latest of several.
 * Does not touch the front table. */
uint32_t tree_find_any(const struct lane_context *context, uint32_t parent, uint64_t key);

/* The level of this address below a node, made when it is not there; 0: no room. */
uint32_t tree_level(struct lane_context *context, uint32_t below, uint64_t address);

/* The child of parent with this key that is reached by the levels up to `below`, made
 * when it is not there; 0: no room. It is not put in the front table. */
uint32_t tree_arrive(struct lane_context *context, uint32_t parent, uint64_t key,
		     uint32_t below);

/* Notes where a function was called from, if nothing is noted of its node yet. */
static inline void tree_note_call(struct lane_context *context, uint32_t node,
				  uint64_t address)
{
	if (!context->call_sites[node].key)
		context->call_sites[node].key = address & SEGMENT_KEY_ADDRESS_MASK;
}

/* A handler that interrupted an insertion has jumped away: repairs the tree. */
void tree_abandon(struct lane_context *context);

/* Makes the root and the tables of an empty lane. 0, or -errno. */
int tree_begin(struct lane_context *context);

/* Builds the tables for a lane whose tree is already there. 0, or -errno. */
int tree_resume(struct lane_context *context);

/* Reserves room for thousands more nodes and hundreds of functions, as far as possible.
 * Signals are blocked. */
void tree_reserve(struct lane_context *context);

/* Forgets the private tables (the nodes stay). */
void tree_end(struct lane_context *context);

_Static_assert(LANE_FRONT_COUNT == 1u << 12, "tree_place shifts by 20");
