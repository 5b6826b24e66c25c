/* SPDX-License-Identifier: MIT */
/* A lane that is being merged: its nodes, and the path of each. */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"

#define LANE_ROOT 1u

/* Where a node of the lane is in the merged tree. */
struct node_place {
	uint32_t path;
	uint32_t user; /* in identify.places: the innermost so far that is no library's */
	/* the node itself, or the first above it that is no region; a level has the node
	 * below which its levels begin */
	uint32_t around;
	/* the path whose time has its calls; while a node with levels has no place yet,
	 * the last of these levels. Kept small: there is one for each node */
	uint32_t owner;
	uint8_t is_placed;
	uint8_t is_folded; /* path is the nearest ancestor's: no room for its own */
	uint8_t is_nested; /* path is that of the node above: see variants.h */
};

struct lane_walk {
	struct merge *merge;
	struct read_lane_data data;
	struct module_list *modules; /* of the lane's process */
	struct node_place *nodes;    /* owned: free; parallel to data.nodes */
	uint32_t lane;
	uint32_t process_index;
};

/* Adds calls to what the paths between a node's and its owner's passed on, which are
 * levels. */
static inline void place_pass(const struct lane_walk *walk, uint32_t node, uint64_t calls,
			      uint64_t ticks)
{
	merge_pass(walk->merge, walk->nodes[node].path, walk->nodes[node].owner, calls,
		   ticks);
}

static inline int place_is_return_address(const struct segment_node *node)
{
	return (node->key & SEGMENT_KEY_RETURN_ADDRESS) != 0;
}

static inline int place_is_function(const struct segment_node *node)
{
	return !place_is_return_address(node) && !segment_key_is_region(node->key);
}

/* A node that was not read, as the process has too many. */
static inline int place_is_cut(const struct lane_walk *walk, uint32_t node)
{
	return node >= walk->data.node_count &&
	       node - walk->data.node_count < walk->data.cut_node_count;
}

/* Which variant of its function the node is. */
enum demangle_variant place_variant(const struct lane_walk *walk, uint32_t node);

/* Fills in walk->nodes; paths are made where there are none yet. */
void place_nodes(struct lane_walk *walk);

/* The same of the nodes from `first` on: those before it have been placed, walk->nodes
 * has room for all, zeroed where they have not. */
void place_more(struct lane_walk *walk, uint32_t first);
