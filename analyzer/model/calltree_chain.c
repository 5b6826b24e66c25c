/* SPDX-License-Identifier: MIT */
/* Climbs a call tree. Must not trust the parents of a damaged file to have an end. */
#include "analyzer/model/calltree.h"

#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "analyzer/model/table.h"

#include <stdlib.h>

/* Names that are kept: a recursion of 10,000 levels with an allocation in each would be
 * 50 million names. */
#define OUTER 32
#define INNER 224

/* Steps from sibling to sibling for all gaps of a tree: a hostile one has a node with all
 * others below it. */
#define GAP_STEPS 4000000u
#define GAP_LEVELS 8u

static bool is_estimated(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_estimated &&
	       !tree->nodes[node].is_inlined;
}

static uint32_t child_of(const struct calltree *tree, uint32_t node, uint32_t function,
			 size_t *steps)
{
	uint32_t child = tree->nodes[node].first_child;

	while (child != CALLTREE_NONE && *steps > 0 &&
	       (tree->nodes[child].function != function ||
		tree->nodes[child].is_inlined)) {
		child = tree->nodes[child].next;
		--*steps;
	}
	return *steps > 0 ? child : CALLTREE_NONE;
}

void calltree_find_gaps(struct calltree *tree)
{
	size_t steps = GAP_STEPS;

	for (size_t i = 0; i < tree->order_count && steps > 0; i++) {
		const struct calltree_node *seen = &tree->nodes[tree->order[i]];
		uint32_t at = seen->parent;

		for (unsigned level = 0; level < GAP_LEVELS && at != CALLTREE_NONE &&
					 is_estimated(tree, at) && seen->calls > 0;
		     level++) {
			uint32_t short_cut;

			at = tree->nodes[at].parent;
			if (at == CALLTREE_NONE)
				break;
			short_cut = child_of(tree, at, seen->function, &steps);
			if (short_cut == CALLTREE_NONE || short_cut == tree->order[i])
				continue;
			if (tree->nodes[short_cut].through == CALLTREE_NONE ||
			    tree->nodes[tree->nodes[short_cut].through].calls <
				    seen->calls)
				tree->nodes[short_cut].through = tree->order[i];
		}
	}
}

/* The levels between a node and its parent that were left out. */
static void put_gap(const struct calltree *tree, uint32_t node, const char *end,
		    struct strbuf *text)
{
	uint32_t levels[GAP_LEVELS], count = 0, at = tree->nodes[node].through;

	if (at == CALLTREE_NONE || *end != TABLE_CHAIN_END)
		return;
	while (count < GAP_LEVELS &&
	       (at = tree->nodes[at].parent) != tree->nodes[node].parent)
		levels[count++] = at;
	while (count > 0)
		strbuf_printf(text, "[%s]%s", calltree_name(tree, levels[--count]), end);
}

void calltree_put_chain(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text)
{
	size_t length = 0, count = 0, left_out;
	uint32_t *path;

	for (uint32_t at = node; at != CALLTREE_NONE && length < tree->node_count;
	     at = tree->nodes[at].parent)
		length++;
	path = xcalloc(length + 1, sizeof(*path));
	for (uint32_t at = node; count < length; at = tree->nodes[at].parent)
		path[count++] = at;
	left_out = length > OUTER + INNER ? length - OUTER - INNER : 0;
	for (size_t i = length; i-- > 0;) {
		if (left_out && i + 1 == length - OUTER) {
			strbuf_printf(text, "(%zu more)%s", left_out, end);
			i -= left_out;
		}
		put_gap(tree, path[i], end, text);
		strbuf_printf(text, "%s%s", calltree_name(tree, path[i]), i ? end : "");
	}
	free(path);
}
