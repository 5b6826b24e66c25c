/* SPDX-License-Identifier: MIT */
/* Call chains of a tree. Must not trust parents to end: a damaged file may have a
 * ring. */
#include "analyzer/tree/calltree.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/model/table.h"

#include <stdlib.h>

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
		put(tree, path[i], i && is_in_brackets(tree, path[i], end), text);
		strbuf_puts(text, i ? end : "");
	}
	free(path);
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
