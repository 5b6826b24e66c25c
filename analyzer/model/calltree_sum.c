/* SPDX-License-Identifier: MIT */
/*
 * The call tree summed up by function and by neighbour, for selections (a thread) whose
 * sums run.db does not keep. Must not count the time of a recursive activation twice.
 */
#include "analyzer/model/calltree.h"

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

		for (; depth >= node->depth; depth--)
			if (path[depth - 1] != CALLTREE_NONE)
				open[path[depth - 1]]--;
		path[depth++] = number;
		if (number == CALLTREE_NONE)
			continue;
		quantities_add(QUANTITY_OF_TREE, totals[number].quantities,
			       QUANTITY_OF_TREE, node->quantities, open[number]++ == 0);
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

static uint32_t caller(const struct calltree *tree, const struct calltree_node *node,
		       uint32_t function)
{
	if (node->function != function || node->parent == CALLTREE_NONE)
		return CALLTREE_NONE;
	return tree->nodes[node->parent].function;
}

static uint32_t callee(const struct calltree *tree, const struct calltree_node *node,
		       uint32_t function)
{
	if (node->parent == CALLTREE_NONE ||
	    tree->nodes[node->parent].function != function)
		return CALLTREE_NONE;
	return node->function;
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
