/* SPDX-License-Identifier: MIT */
/* A tree in which one node stands for many that are nobody's code. Must not lose or
 * double what a node has. */
#include "analyzer/tree/calltree.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "analyzer/tree/frames.h"

#include <stdlib.h>

/* Nodes in tree order, as frames_fold() takes them; numbers: the place of each node. */
static struct frames_node *list_nodes(const struct calltree *tree, uint32_t *numbers)
{
	struct frames_node *nodes = xcalloc(tree->order_count + 1, sizeof(*nodes));

	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];
		const struct calltree_function *function =
			node->function == CALLTREE_NONE
				? NULL
				: &tree->functions[node->function];

		numbers[tree->order[i]] = (uint32_t)i;
		nodes[i] = (struct frames_node){
			.parent = node->parent == CALLTREE_NONE ? FRAMES_NONE
								: numbers[node->parent],
			.function = node->function,
			.name = calltree_name(tree, tree->order[i]),
			.is_library =
				function && function->is_library && !function->is_libc,
		};
	}
	return nodes;
}

struct making {
	const struct calltree *from;
	struct calltree *to;
	struct frames_node *nodes;
	struct frames frames;
	struct map functions; /* of labels */
	uint32_t *made;	      /* of each node in order: its new node */
	uint32_t *last_child; /* of each new node, for appending */
	uint32_t last_root;
};

/* The function of a label, in the new tree; made when there is none. */
static uint32_t function_called(struct making *making, const char *label)
{
	uint64_t key = (uintptr_t)label;
	uint32_t number = map_get(&making->functions, key, 0, 0);
	struct calltree_function *function;

	if (number != MAP_NONE)
		return number;
	number = (uint32_t)making->to->function_count;
	function = calltree_add_function(making->to, CALLTREE_FOLDED_FUNCTION, label);
	function->is_library = true;
	map_put(&making->functions, key, 0, 0, number);
	return number;
}

static void append(struct making *making, uint32_t number)
{
	struct calltree *to = making->to;
	uint32_t parent = to->nodes[number].parent;
	uint32_t *last = parent == CALLTREE_NONE ? &making->last_root
						 : &making->last_child[parent];

	if (*last != CALLTREE_NONE)
		to->nodes[*last].next = number;
	else if (parent == CALLTREE_NONE)
		to->first_root = number;
	else
		to->nodes[parent].first_child = number;
	*last = number;
	making->last_child[number] = CALLTREE_NONE;
}

/* A new node, with nothing in it so far. */
static uint32_t make(struct making *making, size_t at)
{
	const struct calltree_node *like = &making->from->nodes[making->from->order[at]];
	const char *label = making->frames.labels[at];
	uint32_t number = (uint32_t)making->to->node_count, above = CALLTREE_NONE;
	struct calltree_node *node;
	int64_t parent_id = 0;

	if (making->nodes[at].parent != FRAMES_NONE) {
		above = making->made[making->nodes[at].parent];
		parent_id = making->to->nodes[above].path_id;
	}
	node = calltree_add_path(making->to, like->path_id, parent_id, 0);
	node->parent = above;
	node->function = label ? function_called(making, label) : like->function;
	node->is_frame = !label && like->is_frame;
	node->is_inlined = !label && like->is_inlined;
	node->host = CALLTREE_NONE;
	node->path_count = 0;
	node->recursion = 0;
	node->tree_alloc_bytes = 0;
	append(making, number);
	return number;
}

static void merge(struct making *making, size_t at, uint32_t number)
{
	const struct calltree_node *node = &making->from->nodes[making->from->order[at]];
	struct calltree_node *into = &making->to->nodes[number];

	quantities_add(QUANTITY_OF_TREE, into->quantities, QUANTITY_OF_TREE,
		       node->quantities,
		       !frames_is_inside(&making->frames, making->nodes, at));
	quantity_add(&into->before, node->before);
	into->path_count += node->path_count;
	into->is_frame = into->is_frame && node->is_frame;
	into->is_inlined = into->is_inlined && node->is_inlined;
	if (node->recording > into->recording)
		into->recording = node->recording;
	if (!making->frames.labels[at] && node->recursion > into->recursion)
		into->recursion = node->recursion;
	if (!calltree_is_folded(making->from, making->from->order[at]))
		into->host = number;
}

static void make_all(struct making *making)
{
	const struct calltree *from = making->from;

	for (size_t i = 0; i < from->function_count; i++)
		calltree_add_function(making->to, from->functions[i].function_id,
				      from->functions[i].name)
			->is_library = from->functions[i].is_library;
	for (size_t i = 0; i < from->order_count; i++) {
		uint32_t into = making->frames.into[i];

		making->made[i] = into == i ? make(making, i) : making->made[into];
		merge(making, i, making->made[i]);
	}
	for (size_t i = 0; i < making->to->node_count; i++)
		calltree_narrow_self(&making->to->nodes[i]);
	calltree_sort(making->to, CALLTREE_BY_TOTAL);
	calltree_sum_subtrees(making->to);
}

struct calltree *calltree_fold_frames(const struct calltree *tree, unsigned what)
{
	size_t count = tree->node_count + 1;
	struct making making = {
		.from = tree,
		.to = calltree_new(),
		.made = xcalloc(count, sizeof(uint32_t)),
		.last_child = xcalloc(count, sizeof(uint32_t)),
		.last_root = CALLTREE_NONE,
	};

	making.nodes = list_nodes(tree, making.made);
	making.frames = frames_fold(making.nodes, tree->order_count, what);
	make_all(&making);
	frames_done(&making.frames);
	map_done(&making.functions);
	free(making.nodes);
	free(making.made);
	free(making.last_child);
	return making.to;
}
