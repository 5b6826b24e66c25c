/* SPDX-License-Identifier: MIT */
/*
 * The nodes of a profile: those of the call tree, with what calls itself directly in one,
 * depth first. Must not recurse, or search lists.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

/* Before they are in their order. */
struct raw {
	uint32_t parent, function, first_child, last_child, next, number;
	uint8_t recording;
	int64_t first_id, self_error_ns, total_error_ns;
};

struct placing {
	const struct calltree *tree;
	struct raw *raws;
	uint32_t count;
	struct raw roots; /* first_child and last_child */
	struct map children;
	uint32_t *places;
	size_t folded_count;
};

static uint32_t add(struct placing *placing, uint32_t parent, uint32_t function)
{
	struct raw *above =
		parent == PROFILE_NONE ? &placing->roots : &placing->raws[parent];
	uint32_t number = placing->count++;

	placing->raws[number] = (struct raw){.parent = parent,
					     .function = function,
					     .first_child = PROFILE_NONE,
					     .last_child = PROFILE_NONE,
					     .next = PROFILE_NONE};
	if (above->last_child == PROFILE_NONE)
		above->first_child = number;
	else
		placing->raws[above->last_child].next = number;
	above->last_child = number;
	return number;
}

static uint32_t child_of(struct placing *placing, uint32_t parent, uint32_t function)
{
	uint32_t number = MAP_NONE;

	if (function != CALLTREE_NONE)
		number = map_get(&placing->children, parent, function, 0);
	if (number != MAP_NONE)
		return number;
	number = add(placing, parent, function);
	if (function != CALLTREE_NONE)
		map_put(&placing->children, parent, function, 0, number);
	return number;
}

static void place(struct placing *placing, uint32_t at)
{
	const struct calltree_node *node = &placing->tree->nodes[at];
	uint32_t parent = node->parent == CALLTREE_NONE ? PROFILE_NONE
							: placing->places[node->parent];
	struct raw *raw;
	uint32_t number;

	if (parent != PROFILE_NONE && node->function != CALLTREE_NONE &&
	    placing->raws[parent].function == node->function) {
		number = parent;
		placing->folded_count++;
	} else {
		number = child_of(placing, parent, node->function);
	}
	if (!node->is_frame && node->recording > placing->raws[number].recording)
		placing->raws[number].recording = node->recording;
	raw = &placing->raws[number];
	if (!raw->first_id || node->path_id < raw->first_id)
		raw->first_id = node->path_id;
	quantity_add(&raw->self_error_ns, node->self_error_ns);
	if (number != parent)
		quantity_add(&raw->total_error_ns, node->total_error_ns);
	placing->places[at] = number;
}

static void add_node(struct profile *profile, const struct placing *placing,
		     struct raw *raw, uint32_t depth)
{
	struct profile_node *node = &profile->nodes[profile->node_count];

	raw->number = (uint32_t)profile->node_count++;
	*node = (struct profile_node){.parent = PROFILE_NONE,
				      .function = raw->function,
				      .depth = depth,
				      .outer = raw->number,
				      .recording = raw->recording,
				      .first_id = raw->first_id,
				      .self_error_ns = raw->self_error_ns,
				      .total_error_ns = raw->total_error_ns};
	if (raw->parent != PROFILE_NONE)
		node->parent = placing->raws[raw->parent].number;
	if (depth > PROFILE_STACK_MOST / 2)
		node->outer = profile->nodes[node->parent].outer;
	if (depth > profile->depth)
		profile->depth = depth;
}

static void put_in_order(struct placing *placing, struct profile *profile)
{
	uint32_t at = placing->roots.first_child, depth = 1;

	profile->nodes = xcalloc((size_t)placing->count + 1, sizeof(*profile->nodes));
	while (at != PROFILE_NONE) {
		struct raw *raw = &placing->raws[at];

		add_node(profile, placing, raw, depth);
		if (raw->first_child != PROFILE_NONE) {
			at = raw->first_child;
			depth++;
			continue;
		}
		for (; at != PROFILE_NONE; at = placing->raws[at].parent, depth--) {
			profile->nodes[placing->raws[at].number].end =
				(uint32_t)profile->node_count;
			if (placing->raws[at].next != PROFILE_NONE)
				break;
		}
		if (at != PROFILE_NONE)
			at = placing->raws[at].next;
	}
}

uint32_t *profile_place(const struct calltree *tree, struct profile *profile,
			size_t *ret_folded_count)
{
	struct placing placing = {
		.tree = tree,
		.roots = {.first_child = PROFILE_NONE, .last_child = PROFILE_NONE}};
	size_t count = tree->node_count + 1;

	placing.raws = xcalloc(count, sizeof(*placing.raws));
	placing.places = xcalloc(count, sizeof(*placing.places));
	for (size_t i = 0; i < count; i++)
		placing.places[i] = PROFILE_NONE;
	for (size_t i = 0; i < tree->order_count; i++)
		place(&placing, tree->order[i]);
	put_in_order(&placing, profile);
	for (size_t i = 0; i < count; i++)
		if (placing.places[i] != PROFILE_NONE)
			placing.places[i] = placing.raws[placing.places[i]].number;
	map_done(&placing.children);
	free(placing.raws);
	*ret_folded_count = placing.folded_count;
	return placing.places;
}
