/* SPDX-License-Identifier: MIT */
/* Leak suppressions applied to call paths. */
#include "analyzer/reports/leaks/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "leaks.sql.h"

#include <stdlib.h>

/* Finds what suppresses each function by itself: its name, file or module. */
static void judge_functions(struct report_input *input, struct leak_filter *filter,
			    size_t *functions)
{
	static const char *const by[] = {"name", "file", "module"};
	auto_cursor struct cursor *cursor = report_query(input, leaks_sql_functions);

	while (cursor_next(cursor)) {
		uint32_t number = calltree_function(
			filter->tree, cursor_integer(cursor, "function_id"));

		if (number == CALLTREE_NONE)
			continue;
		for (size_t i = 0; i < 3 && functions[number] == SUPPRESS_NONE; i++)
			functions[number] = suppressions_find(&filter->suppressions,
							      cursor_text(cursor, by[i]));
	}
}

static void judge_nodes(struct leak_filter *filter, const size_t *functions)
{
	const struct calltree *tree = filter->tree;

	for (size_t i = 0; i < tree->node_count; i++)
		filter->nodes[i] = SUPPRESS_NONE;
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];

		if (node->function != CALLTREE_NONE)
			filter->nodes[at] = functions[node->function];
		if (filter->nodes[at] == SUPPRESS_NONE && node->parent != CALLTREE_NONE)
			filter->nodes[at] = filter->nodes[node->parent];
	}
}

void leak_filter_load(struct report_input *input, const struct calltree *tree,
		      struct leak_filter *ret)
{
	const char *path = input->options->suppressions;
	auto_free size_t *functions =
		xcalloc(tree->function_count + 1, sizeof(*functions));
	struct strbuf text = {0};

	*ret = (struct leak_filter){.tree = tree};
	if (!path)
		return;
	report_read_file(path, "a list of suppressions", &text);
	suppressions_parse(&ret->suppressions, strbuf_text(&text), text.size, path);
	ret->nodes = xcalloc(tree->node_count + 1, sizeof(*ret->nodes));
	for (size_t i = 0; i < tree->function_count; i++)
		functions[i] = SUPPRESS_NONE;
	judge_functions(input, ret, functions);
	judge_nodes(ret, functions);
}

size_t leak_filter_find(const struct leak_filter *filter, int64_t path_id,
			const char *file)
{
	uint32_t node;

	if (!filter->nodes)
		return SUPPRESS_NONE;
	node = calltree_find(filter->tree, path_id);
	if (node != CALLTREE_NONE && filter->nodes[node] != SUPPRESS_NONE)
		return filter->nodes[node];
	return suppressions_find(&filter->suppressions, file);
}
