/* SPDX-License-Identifier: MIT */
/*
 * The table lent assigns the work of language and system libraries to the nearest user
 * function above, which can be changed. Also shortens names for sentences. Must not
 * judge.
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"
#include "common/names/name_set.h"
#include "analyzer/rundb/rundb.h"

#include <stdlib.h>
#include <string.h>

static bool is_lent(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_library &&
	       !tree->functions[function].is_libc;
}

/* The outermost library function below the user's function on the path; CALLTREE_NONE: no
 * user function is above. Parents come first in the tree's order. */
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
	auto_free uint32_t *tops = xcalloc(tree->node_count + 1, sizeof(*tops));
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
	free(rows);
	return result;
}

/* What the C library's heap is made of. */
static bool is_of_heap(const char *name)
{
	static const char *const names[] = {
		"malloc",	"free",		"calloc",
		"realloc",	"_int_malloc",	"_int_free",
		"_int_realloc", "unlink_chunk", "malloc_consolidate",
		"sysmalloc",	"systrim",	"brk",
		"sbrk"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Names of template instances begin with their return type, which is dropped. */
struct cell rule_bare_name(void *context, const struct cell *values)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *name = values[0].kind == CELL_TEXT ? values[0].text : "";
	auto_free uint32_t *brackets = NULL;
	ended_by(strbuf_free) struct strbuf bare = {0}, plain = {0};

	if (is_of_heap(name))
		return cell_text("malloc and free");
	brackets = cxx_brackets(name);
	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '<' && brackets[i] > i)
			i = brackets[i];
		else if (strncmp(name + i, anonymous, sizeof(anonymous) - 1) == 0)
			strbuf_add(&bare, anonymous, brackets[i] + 1 - i),
				i = brackets[i];
		else if (name[i] == '(' && brackets[i] > i)
			break;
		else if (name[i] == ' ' && !strstr(strbuf_text(&bare), "operator"))
			strbuf_reset(&bare);
		else
			strbuf_putc(&bare, name[i]);
	}
	libc_name_put(&plain, strbuf_text(&bare));
	return cell_text(rule_copy(context, strbuf_text(&plain)));
}
