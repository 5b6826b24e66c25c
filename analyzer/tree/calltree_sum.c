/* SPDX-License-Identifier: MIT */
/* Sums over the call tree that count no time twice. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/table.h"
#include "analyzer/tree/calltree.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

bool *calltree_outermost(const struct calltree *tree, const uint32_t *keys,
			 size_t key_count)
{
	bool *outermost = xcalloc(tree->node_count + 1, sizeof(*outermost));
	auto_free uint32_t *open = xcalloc(key_count + 1, sizeof(*open));
	auto_free uint32_t *path =
		xreallocarray(NULL, tree->node_count + 1, sizeof(*path));
	size_t depth = 0;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], key = keys[at];

		for (; depth >= tree->nodes[at].depth; depth--)
			if (path[depth - 1] != CALLTREE_NONE)
				open[path[depth - 1]]--;
		path[depth++] = key;
		outermost[at] = key != CALLTREE_NONE && open[key]++ == 0;
	}
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

/* Call chains of a tree. Must not trust parents to end: a damaged file may have a
 * ring. */

/* Names kept at each end: a recursion of 10,000 levels that allocates in each would print
 * 50 million names. */
#define OUTER 32
#define INNER 224

/* Whether the level is put in brackets: for people, not at an end, and known from the
 * stack only. */
static bool is_in_brackets(const struct calltree *tree, uint32_t node, const char *end)
{
	return *end == TABLE_CHAIN_END && tree->nodes[node].is_untimed &&
	       !tree->nodes[node].is_inlined;
}

static void put_name(const struct calltree *tree, uint32_t node, bool in_brackets,
		     struct strbuf *text)
{
	strbuf_printf(text, in_brackets ? "[%s]" : "%s", calltree_name(tree, node));
}

static void put_call(const struct calltree *tree, uint32_t node, bool in_brackets,
		     struct strbuf *text)
{
	const struct calltree_node *at = &tree->nodes[node];

	(void)in_brackets;
	if (at->call_file && at->call_line)
		strbuf_printf(text, "%s:%u", at->call_file, at->call_line);
	else
		strbuf_puts(text, "?");
}

static void put_levels(const struct calltree *tree, uint32_t node, const char *end,
		       struct strbuf *text,
		       void (*put)(const struct calltree *tree, uint32_t node,
				   bool in_brackets, struct strbuf *text))
{
	size_t length = 0, count = 0, left_out;
	auto_free uint32_t *path = NULL;

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
		put(tree, path[i], i && is_in_brackets(tree, path[i], end), text);
		strbuf_puts(text, i ? end : "");
	}
}

void calltree_put_chain(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text)
{
	put_levels(tree, node, end, text, put_name);
}

void calltree_put_calls(const struct calltree *tree, uint32_t node, const char *end,
			struct strbuf *text)
{
	put_levels(tree, node, end, text, put_call);
}
