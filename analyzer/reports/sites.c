/* SPDX-License-Identifier: MIT */
/* Where allocation sites are, and who led to them. */
#include "analyzer/reports/sites.h"

#include "analyzer/reports/common.h"

struct site_place site_place_of(const struct calltree *tree, uint32_t node,
				const char *file, uint32_t line)
{
	const struct calltree_function *function = NULL;
	uint32_t owner = node == CALLTREE_NONE ? node : calltree_owner(tree, node);

	if (!file && owner != CALLTREE_NONE &&
	    tree->nodes[owner].function != CALLTREE_NONE)
		function = &tree->functions[tree->nodes[owner].function];
	if (!function)
		return (struct site_place){file, line, false};
	return (struct site_place){function->file, function->line, function->file};
}

struct cell site_cell(struct table *table, struct site_place place)
{
	struct cell cell = table_text(table, place.file);

	cell.line = place.line;
	cell.is_definition = place.is_definition;
	return cell;
}

struct cell site_line_of(struct site_place place)
{
	if (!place.file)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT,
			     .text = place.is_definition ? "function" : "call"};
}

struct cell site_chain(struct table *table, const struct calltree *tree, uint32_t node,
		       bool for_people)
{
	uint32_t owner = node == CALLTREE_NONE ? node : calltree_owner(tree, node);
	uint32_t first = node;
	struct strbuf chain = {0};
	size_t count = 0;
	struct cell cell;

	if (!for_people || owner == node)
		return report_chain(table, tree, node);
	for (; tree->nodes[first].parent != owner; first = tree->nodes[first].parent)
		count++;
	calltree_put_chain(tree, first, TABLE_CHAIN_END_TEXT, &chain);
	if (count)
		strbuf_printf(&chain, "%c(%zu more of libraries)", TABLE_CHAIN_END,
			      count);
	cell = table_text(table, strbuf_text(&chain));
	strbuf_free(&chain);
	return cell;
}
