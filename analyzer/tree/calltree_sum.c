/* SPDX-License-Identifier: MIT */
/*
 * The call tree summed up by function and by neighbour, for selections (a thread) whose
 * sums run.db does not keep. Must not count the time of a recursive activation twice.
 */
#include "analyzer/tree/calltree.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

/* What a node counts for: a function's or a neighbour's number, or CALLTREE_NONE. */
typedef uint32_t choose(const struct calltree *tree, const struct calltree_node *node,
			uint32_t function);

static struct calltree_total *sum(const struct calltree *tree, choose *which,
				  uint32_t function)
{
	struct calltree_total *totals = xcalloc(tree->function_count, sizeof(*totals));
	uint32_t *open = xcalloc(tree->function_count, sizeof(*open));
	uint32_t *path = xreallocarray(NULL, tree->node_count, sizeof(*path));
	size_t depth = 0;

	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];
		uint32_t number = which(tree, node, function);
		bool is_call = !calltree_is_folded(tree, tree->order[i]);

		for (; depth >= node->depth; depth--)
			if (path[depth - 1] != CALLTREE_NONE)
				open[path[depth - 1]]--;
		path[depth++] = is_call ? number : CALLTREE_NONE;
		if (number == CALLTREE_NONE)
			continue;
		quantities_add(QUANTITY_OF_TREE, totals[number].quantities,
			       QUANTITY_OF_TREE, node->quantities,
			       is_call && open[number]++ == 0);
	}
	free(open);
	free(path);
	return totals;
}

static uint32_t itself(const struct calltree *tree, const struct calltree_node *node,
		       uint32_t function)
{
	(void)tree, (void)function;
	return node->function;
}

/* Whose code calls it. */
static uint32_t calling(const struct calltree *tree, const struct calltree_node *node)
{
	return node->parent == CALLTREE_NONE
		       ? CALLTREE_NONE
		       : tree->nodes[tree->nodes[node->parent].host].function;
}

static uint32_t caller(const struct calltree *tree, const struct calltree_node *node,
		       uint32_t function)
{
	return node->function == function ? calling(tree, node) : CALLTREE_NONE;
}

static uint32_t callee(const struct calltree *tree, const struct calltree_node *node,
		       uint32_t function)
{
	return function != CALLTREE_NONE && calling(tree, node) == function
		       ? node->function
		       : CALLTREE_NONE;
}

struct calltree_total *calltree_by_function(const struct calltree *tree)
{
	return sum(tree, itself, CALLTREE_NONE);
}

struct calltree_total *calltree_neighbours(const struct calltree *tree, uint32_t function,
					   bool callers)
{
	return sum(tree, callers ? caller : callee, function);
}

double calltree_allocs_of_frames(const struct calltree *tree)
{
	double allocs = 0;
	uint32_t below = UINT32_MAX; /* the depth of a function: deeper nodes are its */

	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (node->depth > below)
			continue;
		below = node->is_frame ? UINT32_MAX : node->depth;
		allocs += node->is_frame ? (double)node->alloc_count : 0;
	}
	return allocs;
}
