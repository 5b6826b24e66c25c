/* SPDX-License-Identifier: MIT */
/* The call tree as a table of SQL. */
#include "analyzer/reports/engine/paths.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "analyzer/tree/components.h"
#include "analyzer/reports/load.h"

#include <stdlib.h>

enum path_column {
	PATH_ID,
	PARENT_PATH_ID,
	FUNCTION_ID,
	NAME,
	DEPTH,
	IS_FRAME,
	IS_INLINED,
	IS_FOLDED,
	OWNER_ID,
	IS_OUTERMOST,
	CALLER_ID,
	IS_OUTERMOST_EDGE,
	COMPONENT,
	IS_OUTERMOST_COMPONENT,
	CALLER_COMPONENT,
	IS_OUTERMOST_COMPONENT_EDGE,
	QUANTITIES_FROM
};

static const char *column_names[QUANTITIES_FROM + QUANTITY_COUNT_TREE] = {
	[PATH_ID] = "path_id",
	[PARENT_PATH_ID] = "parent_path_id",
	[FUNCTION_ID] = "function_id",
	[NAME] = "name",
	[DEPTH] = "depth",
	[IS_FRAME] = "is_frame",
	[IS_INLINED] = "is_inlined",
	[IS_FOLDED] = "is_folded",
	[OWNER_ID] = "owner_id",
	[IS_OUTERMOST] = "is_outermost",
	[CALLER_ID] = "caller_id",
	[IS_OUTERMOST_EDGE] = "is_outermost_edge",
	[COMPONENT] = "component",
	[IS_OUTERMOST_COMPONENT] = "is_outermost_component",
	[CALLER_COMPONENT] = "caller_component",
	[IS_OUTERMOST_COMPONENT_EDGE] = "is_outermost_component_edge",
};

const struct calltree *paths_tree(struct paths *paths)
{
	if (!paths->tree && !paths->has_failed && !report_call_tree(paths->input))
		paths->has_failed = true;
	return paths->tree ? paths->tree : paths->input->tree;
}

static size_t count_rows(void *context)
{
	const struct calltree *tree = paths_tree(context);

	return tree ? tree->order_count : 0;
}

static struct cell function_cell(const struct calltree *tree, uint32_t function)
{
	return function == CALLTREE_NONE
		       ? (struct cell){.kind = CELL_NULL}
		       : cell_integer(tree->functions[function].function_id);
}

/* The numbers of the node's component and its caller's; CALLTREE_NONE: has none. */
static uint32_t component_of(struct paths *paths, uint32_t at)
{
	if (!paths->components.paths)
		components_find(&paths->components, paths_tree(paths),
				components_by(paths->input->options->by));
	return paths->components.paths[at];
}

static uint32_t caller_component_of(struct paths *paths, uint32_t at)
{
	uint32_t parent = paths_tree(paths)->nodes[at].parent;

	return parent == CALLTREE_NONE ? CALLTREE_NONE : component_of(paths, parent);
}

static struct cell component_cell(struct paths *paths, uint32_t number)
{
	if (number == CALLTREE_NONE)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT,
			     .text = intern_name(&paths->components.names, number)};
}

/* What a node counts to, as two numbers; CALLTREE_NONE: to nothing. A copy is no call. */
static uint32_t key_of(struct paths *paths, uint32_t at, enum path_column column,
		       uint32_t *ret_from)
{
	const struct calltree *tree = paths_tree(paths);
	uint32_t function =
		calltree_is_folded(tree, at) ? CALLTREE_NONE : tree->nodes[at].function;
	uint32_t component = CALLTREE_NONE;

	*ret_from = 0;
	if (paths->chosen && !paths->chosen[at])
		return CALLTREE_NONE;
	if (column == IS_OUTERMOST)
		return function;
	*ret_from = calltree_caller(tree, at);
	if (column == IS_OUTERMOST_EDGE)
		return function;
	component = component_of(paths, at);
	*ret_from = 0;
	if (column == IS_OUTERMOST_COMPONENT)
		return component;
	*ret_from = caller_component_of(paths, at);
	return *ret_from == component || *ret_from == CALLTREE_NONE ? CALLTREE_NONE
								    : component;
}

/* Made once for all rows, when a query asks first. */
static struct cell outermost_cell(struct paths *paths, uint32_t at,
				  enum path_column column, bool **outermost)
{
	size_t count = paths_tree(paths)->node_count;
	struct map numbers = {0};
	uint32_t *keys;

	if (!*outermost) {
		keys = xreallocarray(NULL, count, sizeof(*keys));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t from, to = key_of(paths, i, column, &from);

			keys[i] = to == CALLTREE_NONE
					  ? CALLTREE_NONE
					  : map_number(&numbers, from, to, 0, NULL);
		}
		*outermost = calltree_outermost(paths_tree(paths), keys, numbers.count);
		map_done(&numbers);
		free(keys);
	}
	return cell_integer((*outermost)[at]);
}

static struct cell cell_at(void *context, size_t row, size_t column)
{
	struct paths *paths = context;
	const struct calltree *tree = paths_tree(paths);
	uint32_t at = tree->order[row];
	const struct calltree_node *node = &tree->nodes[at];

	switch (column) {
	case PATH_ID:
		return cell_integer(node->path_id);
	case PARENT_PATH_ID:
		return node->parent_path_id ? cell_integer(node->parent_path_id)
					    : (struct cell){.kind = CELL_NULL};
	case FUNCTION_ID:
		return function_cell(tree, node->function);
	case NAME:
		return (struct cell){.kind = CELL_TEXT, .text = calltree_name(tree, at)};
	case DEPTH:
		return cell_integer(node->depth);
	case IS_FRAME:
		return cell_integer(node->is_frame);
	case IS_INLINED:
		return cell_integer(node->is_inlined);
	case IS_FOLDED:
		return cell_integer(calltree_is_folded(tree, at));
	case OWNER_ID:
		return function_cell(tree,
				     tree->nodes[calltree_owner(tree, at)].function);
	case IS_OUTERMOST:
		return outermost_cell(paths, at, column, &paths->is_outermost);
	case CALLER_ID:
		return function_cell(tree, calltree_caller(tree, at));
	case IS_OUTERMOST_EDGE:
		return outermost_cell(paths, at, column, &paths->is_outermost_edge);
	case COMPONENT:
		return component_cell(paths, component_of(paths, at));
	case IS_OUTERMOST_COMPONENT:
		return outermost_cell(paths, at, column, &paths->is_outermost_component);
	case CALLER_COMPONENT:
		return component_cell(paths, caller_component_of(paths, at));
	case IS_OUTERMOST_COMPONENT_EDGE:
		return outermost_cell(paths, at, column,
				      &paths->is_outermost_component_edge);
	default:
		return cell_integer(node->quantities[column - QUANTITIES_FROM]);
	}
}

int paths_begin(struct paths *paths, struct report_input *input)
{
	const struct quantity_list *list = &quantity_lists[QUANTITY_OF_TREE];

	*paths = (struct paths){.input = input};
	for (size_t i = 0; i < list->count; i++)
		column_names[QUANTITIES_FROM + i] = quantities[list->numbers[i]].name;
	return rundb_show_rows(input->db, "tree",
			       &(struct rundb_rows){column_names,
						    QUANTITIES_FROM + QUANTITY_COUNT_TREE,
						    count_rows, cell_at},
			       paths);
}

void paths_end(struct paths *paths)
{
	rundb_show_rows(paths->input->db, "tree", NULL, NULL);
	free(paths->is_outermost);
	free(paths->is_outermost_edge);
	free(paths->is_outermost_component);
	free(paths->is_outermost_component_edge);
	components_free(&paths->components);
	calltree_free(paths->tree);
	free(paths->chosen);
}
