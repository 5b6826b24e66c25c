/* SPDX-License-Identifier: MIT */
/*
 * The table lent: what libraries of the language and the system do, by the nearest
 * function above that is the user's, which can be changed. And names short enough for a
 * sentence. Must not judge.
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"
#include "analyzer/rundb/rundb.h"

#include <stdlib.h>
#include <string.h>

static bool is_lent(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_library &&
	       !tree->functions[function].is_libc;
}

/* The outermost of the library's functions on the path, below the user's; CALLTREE_NONE:
 * none of the user's is above. Parents come first in the tree's order. */
static uint32_t top_of(const struct calltree *tree, const uint32_t *tops, uint32_t node)
{
	uint32_t parent = tree->nodes[node].parent;

	if (parent == CALLTREE_NONE || tree->nodes[parent].function == CALLTREE_NONE)
		return CALLTREE_NONE;
	return is_lent(tree, parent) ? tops[parent] : node;
}

int rule_keep_lent(struct rule_input *input)
{
	const struct calltree *tree = input->tree;
	uint32_t *tops = xcalloc(tree->node_count + 1, sizeof(*tops));
	double *rows = xcalloc(tree->node_count + 1, 4 * sizeof(*rows)), *row = rows;
	int result;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t node = tree->order[i], top;

		if (!is_lent(tree, node))
			continue;
		tops[node] = top = top_of(tree, tops, node);
		if (top == CALLTREE_NONE)
			continue;
		*row++ = (double)tree->nodes[node].path_id;
		*row++ = (double)tree->nodes[top].parent_path_id;
		*row++ = (double)tree->nodes[top].path_id;
		*row++ = (double)(tree->nodes[node].self_ns -
				  tree->nodes[node].self_ready_ns -
				  tree->nodes[node].self_blocked_ns);
	}
	result = rundb_keep_numbers(
		input->db, "lent",
		"path_id INTEGER PRIMARY KEY, owner_id INTEGER, top_id INTEGER, "
		"cpu_ns REAL",
		rows, (size_t)(row - rows) / 4);
	free(tops);
	free(rows);
	return result;
}

struct cell rule_bare_name(void *context, const struct cell *values)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";
	uint32_t *brackets = cxx_brackets(name);
	struct strbuf bare = {0};
	const char *copy;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '<' && brackets[i] > i)
			i = brackets[i];
		else if (name[i] == '(' && brackets[i] > i &&
			 strncmp(name + i, anonymous, sizeof(anonymous) - 1) != 0)
			break;
		else
			strbuf_putc(&bare, name[i]);
	}
	copy = rule_copy(context, strbuf_text(&bare));
	strbuf_free(&bare);
	free(brackets);
	return cell_text(copy);
}
