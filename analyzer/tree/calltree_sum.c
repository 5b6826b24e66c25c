/* SPDX-License-Identifier: MIT */
/* Sums over the call tree that count no time twice. */
#include "analyzer/tree/calltree.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

bool *calltree_outermost(const struct calltree *tree, const uint32_t *keys,
			 size_t key_count)
{
	bool *outermost = xcalloc(tree->node_count + 1, sizeof(*outermost));
	uint32_t *open = xcalloc(key_count + 1, sizeof(*open));
	uint32_t *path = xreallocarray(NULL, tree->node_count + 1, sizeof(*path));
	size_t depth = 0;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], key = keys[at];

		for (; depth >= tree->nodes[at].depth; depth--)
			if (path[depth - 1] != CALLTREE_NONE)
				open[path[depth - 1]]--;
		path[depth++] = key;
		outermost[at] = key != CALLTREE_NONE && open[key]++ == 0;
	}
	free(open);
	free(path);
	return outermost;
}

uint32_t calltree_caller(const struct calltree *tree, uint32_t node)
{
	uint32_t parent = tree->nodes[node].parent;

	return parent == CALLTREE_NONE ? CALLTREE_NONE
				       : tree->nodes[tree->nodes[parent].host].function;
}

uint32_t calltree_call_line(const struct calltree *tree, uint32_t node)
{
	uint32_t parent = tree->nodes[node].parent;
	uint32_t caller =
		parent == CALLTREE_NONE ? CALLTREE_NONE : tree->nodes[parent].function;
	const char *file = caller == CALLTREE_NONE ? NULL : tree->functions[caller].file;
	const char *of_call = tree->nodes[node].call_file;

	return file && of_call && strcmp(file, of_call) == 0 ? tree->nodes[node].call_line
							     : 0;
}

double calltree_allocs_of_frames(const struct calltree *tree)
{
	double allocs = 0;
	uint32_t below = UINT32_MAX; /* depth of the function found last: deeper nodes are
					inside it */

	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (node->depth > below)
			continue;
		below = node->is_frame ? UINT32_MAX : node->depth;
		allocs += node->is_frame ? (double)node->alloc_count : 0;
	}
	return allocs;
}
