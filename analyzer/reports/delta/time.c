/* SPDX-License-Identifier: MIT */
/*
 * Calls and time spent between two snapshots, by path, function or component. Must not
 * count the time of a group twice when it calls itself.
 */
#include "analyzer/reports/delta/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 10

static const struct column columns[] = {
	{"self_percent", "self %", COLUMN_PERCENT, 0},
	{"self_ns", NULL, COLUMN_ANY, COLUMN_KEEP},
	{"total_ns", NULL, COLUMN_ANY, COLUMN_KEEP},
	{"calls", NULL, COLUMN_ANY, COLUMN_KEEP},
	{"average_ns", "average", COLUMN_NSEC, 0},
	{"self_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"self_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"total_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	TABLE_OTHERS,
};
#define COLUMN_COUNT_COMMON (sizeof(columns) / sizeof(columns[0]))

static const struct column path_columns[] = {
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};
static const struct column function_columns[] = {
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};
static const struct column component_columns[] = {
	{"component", "component", COLUMN_TEXT, COLUMN_KEEP},
};

struct group {
	uint32_t node;	     /* one of it */
	int64_t timed_calls; /* those of inlined copies are not */
	int64_t self_error_ns, total_error_ns;
	QUANTITY_FIELDS(PAST);
};

/* The group of each node; CALLTREE_NONE for nodes of no known function. */
static uint32_t *group_nodes(const struct delta *delta, size_t *ret_count)
{
	const struct calltree *tree = delta->tree;
	uint32_t *groups = xcalloc(tree->node_count + 1, sizeof(*groups));

	*ret_count = tree->function_count;
	if (delta->by == DELTA_BY_PATH)
		*ret_count = tree->node_count;
	if (delta->by == DELTA_BY_COMPONENT)
		*ret_count = delta->components.names.count;
	for (size_t i = 0; i < tree->node_count; i++) {
		if (delta->by == DELTA_BY_PATH)
			groups[i] = (uint32_t)i;
		else if (delta->by == DELTA_BY_COMPONENT)
			groups[i] = delta->components.paths[i];
		else
			groups[i] = tree->nodes[i].function;
	}
	return groups;
}

/* total_ns of a group: of its outermost activations. Inlined copies have no path of their
 * own, but calls. */
static void add_up(const struct delta *delta, const uint32_t *numbers,
		   struct group *groups, size_t group_count)
{
	const struct calltree *tree = delta->tree;
	uint32_t *open = xcalloc(group_count + 1, sizeof(*open));
	uint32_t *path = xreallocarray(NULL, tree->node_count + 1, sizeof(*path));
	size_t depth = 0;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];
		bool is_copy = calltree_is_folded(tree, at) && !node->total_ns;
		uint32_t number = delta->passes[at] ? numbers[at] : CALLTREE_NONE;
		struct group *group;
		bool is_outermost;

		if (is_copy && delta->by == DELTA_BY_PATH)
			number = CALLTREE_NONE;
		for (; depth >= node->depth; depth--)
			if (path[depth - 1] != CALLTREE_NONE)
				open[path[depth - 1]]--;
		path[depth++] = is_copy ? CALLTREE_NONE : number;
		if (number == CALLTREE_NONE)
			continue;
		group = &groups[number];
		is_outermost = !is_copy && open[number]++ == 0;
		quantities_add(QUANTITY_OF_PAST, group->quantities, QUANTITY_OF_TREE,
			       node->quantities, is_outermost);
		quantity_add(&group->self_error_ns, node->self_error_ns);
		if (is_outermost)
			quantity_add(&group->total_error_ns, node->total_error_ns);
		if (!is_copy)
			quantity_add(&group->timed_calls, node->calls);
		group->node = at;
	}
	free(open);
	free(path);
}

static struct table *new_table(enum delta_by by)
{
	struct column all[COLUMN_COUNT_COMMON + 3];
	const struct column *tail = function_columns;
	size_t count = sizeof(function_columns) / sizeof(*tail);

	if (by == DELTA_BY_PATH) {
		tail = path_columns;
		count = sizeof(path_columns) / sizeof(*tail);
	} else if (by == DELTA_BY_COMPONENT) {
		tail = component_columns;
		count = sizeof(component_columns) / sizeof(*tail);
	}
	memcpy(all, columns, sizeof(columns));
	memcpy(all + COLUMN_COUNT_COMMON, tail, count * sizeof(*tail));
	return table_of(all, COLUMN_COUNT_COMMON + count, QUANTITY_OF_PAST);
}

/* The first column behind the numbers: what the row is of. */
static int tail_column(const struct delta *delta, const struct table *table)
{
	return table_column(table,
			    delta->by == DELTA_BY_COMPONENT ? "component" : "name");
}

static void add_row(const struct delta *delta, struct table *table,
		    const struct group *group, double all_self_ns)
{
	const struct calltree_node *node = &delta->tree->nodes[group->node];
	struct cell *row = table_add_row(table);

	row[0] = cell_real(units_share((double)group->self_ns, all_self_ns));
	row[5] = cell_real(units_share((double)group->self_error_ns, all_self_ns));
	row[6] = cell_integer(group->self_error_ns);
	row[7] = cell_integer(group->total_error_ns);
	if (group->timed_calls > 0 &&
	    units_is_known((double)group->total_ns, (double)group->total_error_ns))
		row[4] = cell_integer(group->total_ns / group->timed_calls);
	table_put_quantities(table, table->row_count - 1, QUANTITY_OF_PAST,
			     group->quantities);
	row += tail_column(delta, table);
	if (delta->by == DELTA_BY_COMPONENT) {
		row[0] = table_text(table, delta_component(delta, group->node));
		return;
	}
	row[0] = table_text(table, calltree_name(delta->tree, group->node));
	if (delta->by == DELTA_BY_PATH)
		row[2] = cell_integer(node->path_id);
	else if (node->function != CALLTREE_NONE)
		row[1] = cell_integer(delta->tree->functions[node->function].function_id);
}

/* Done last: only what is shown needs its path. */
static void fill_paths(const struct delta *delta, struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		*table_cell(table, i, "path") = report_chain(
			table, delta->tree,
			calltree_find(delta->tree,
				      table_cell(table, i, "path_id")->integer));
}

void delta_note_left_out(struct doc *doc, const struct calltree *tree)
{
	const char *example = NULL;
	struct strbuf text = {0};
	int64_t count = 0;

	for (size_t i = 0; i < tree->function_count; i++)
		if (tree->functions[i].is_estimated)
			example = count++ ? example : tree->functions[i].name;
	if (!count)
		return;
	units_counted(&text, count, "function");
	strbuf_printf(
		&text,
		" (such as '%s') %s left out: not each call was timed, and of those "
		"that were only counted it is not known when they were. What %s in "
		"between is with the callers.",
		example, count == 1 ? "is" : "are", count == 1 ? "it has" : "they have");
	doc_note(doc, "left_out_of_times", NOTE_PLAIN, strbuf_text(&text),
		 "PROFSHIM_LEVEL=exact has all.");
	strbuf_free(&text);
}

enum exit_status delta_add_times(struct report_input *input, struct doc *doc,
				 const struct delta *delta)
{
	/* A source line has no calls of its own: its functions are shown. */
	static const char *const nouns[] = {"path", "function", "function", "component"};
	static const char *const titles[] = {
		"Time in between, by call path", "Time in between, by function",
		"Time in between, by function", "Time in between, by component"};
	struct table *table = new_table(delta->by);
	double all_self_ns = (double)calltree_sum(delta->tree).self_ns;
	size_t count;
	uint32_t *numbers = group_nodes(delta, &count);
	struct group *groups = xcalloc(count + 1, sizeof(*groups));
	struct section *section;

	add_up(delta, numbers, groups, count);
	for (size_t i = 0; i < count; i++)
		if (groups[i].calls || groups[i].self_ns || groups[i].total_ns)
			add_row(delta, table, &groups[i], all_self_ns);
	free(groups);
	free(numbers);
	table_hide_zeros(table);
	table_sort(table, 1, tail_column(delta, table));
	section = report_add_table(doc, "times", titles[delta->by], table,
				   report_limit(input, DEFAULT_ROWS), nouns[delta->by],
				   "self_ns", "the self time");
	if (delta->by == DELTA_BY_PATH)
		fill_paths(delta, section->table);
	if (!table->row_count)
		section->flags = SECTION_MACHINE;
	else
		delta_note_left_out(doc, delta->tree);
	return STATUS_OK;
}
