/* SPDX-License-Identifier: MIT */
/* The call tree as a virtual table for SQL. */
#include "analyzer/reports/engine/paths.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "analyzer/tree/components.h"
#include "analyzer/reports/load.h"

#include <stdlib.h>

/* The last ones are those of paths->outermost. */
#define PATH_COLUMNS(COLUMN)                                                             \
	COLUMN(path_id)                                                                  \
	COLUMN(parent_path_id)                                                           \
	COLUMN(function_id)                                                              \
	COLUMN(name)                                                                     \
	COLUMN(depth)                                                                    \
	COLUMN(is_frame)                                                                 \
	COLUMN(is_inlined)                                                               \
	COLUMN(is_folded)                                                                \
	COLUMN(owner_id)                                                                 \
	COLUMN(caller_id)                                                                \
	COLUMN(component)                                                                \
	COLUMN(caller_component)                                                         \
	COLUMN(is_outermost)                                                             \
	COLUMN(is_outermost_edge)                                                        \
	COLUMN(is_outermost_component)                                                   \
	COLUMN(is_outermost_component_edge)
#define PATH_NUMBER(name) PATH_##name,
enum path_column { PATH_COLUMNS(PATH_NUMBER) QUANTITIES_FROM };
#define OUTERMOST_FROM PATH_is_outermost
_Static_assert(QUANTITIES_FROM - OUTERMOST_FROM == PATHS_OUTERMOST, "as many in paths.h");

#define PATH_NAME(name) #name,
static const char *column_names[QUANTITIES_FROM + QUANTITY_COUNT_TREE] = {
	PATH_COLUMNS(PATH_NAME)};

const struct calltree *paths_tree(struct paths *paths)
{
	return paths->tree ? paths->tree : report_call_tree(paths->input);
}

static size_t count_rows(void *context)
{
	return paths_tree(context)->order_count;
}

static struct cell function_cell(const struct calltree *tree, uint32_t function)
{
	return function == CALLTREE_NONE
		       ? cell_text(NULL)
		       : cell_integer(tree->functions[function].function_id);
}

/* Components of the node and its caller; CALLTREE_NONE: none. */
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
		return cell_text(NULL);
	return cell_text(intern_name(&paths->components.names, number));
}

/* The key by which outermost nodes are found, as two numbers; CALLTREE_NONE: none.
 * Inlined copies are no calls. */
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
	if (column == PATH_is_outermost)
		return function;
	*ret_from = calltree_caller(tree, at);
	if (column == PATH_is_outermost_edge)
		return function;
	component = component_of(paths, at);
	*ret_from = 0;
	if (column == PATH_is_outermost_component)
		return component;
	*ret_from = caller_component_of(paths, at);
	return *ret_from == component || *ret_from == CALLTREE_NONE ? CALLTREE_NONE
								    : component;
}

/* Computed for all rows when a query first asks. */
static struct cell outermost_cell(struct paths *paths, uint32_t at,
				  enum path_column column)
{
	bool **outermost = &paths->outermost[column - OUTERMOST_FROM];
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
	case PATH_path_id:
		return cell_integer(node->path_id);
	case PATH_parent_path_id:
		return node->parent_path_id ? cell_integer(node->parent_path_id)
					    : cell_text(NULL);
	case PATH_function_id:
		return function_cell(tree, node->function);
	case PATH_name:
		return cell_text(calltree_name(tree, at));
	case PATH_depth:
		return cell_integer(node->depth);
	case PATH_is_frame:
		return cell_integer(node->is_frame);
	case PATH_is_inlined:
		return cell_integer(node->is_inlined);
	case PATH_is_folded:
		return cell_integer(calltree_is_folded(tree, at));
	case PATH_owner_id:
		return function_cell(tree,
				     tree->nodes[calltree_owner(tree, at)].function);
	case PATH_caller_id:
		return function_cell(tree, calltree_caller(tree, at));
	case PATH_component:
		return component_cell(paths, component_of(paths, at));
	case PATH_caller_component:
		return component_cell(paths, caller_component_of(paths, at));
	default:
		if (column < QUANTITIES_FROM)
			return outermost_cell(paths, at, (enum path_column)column);
		return cell_integer(node->quantities[column - QUANTITIES_FROM]);
	}
}

void paths_begin(struct paths *paths, struct report_input *input)
{
	const struct quantity_list *list = &quantity_lists[QUANTITY_OF_TREE];

	*paths = (struct paths){.input = input};
	for (size_t i = 0; i < list->count; i++)
		column_names[QUANTITIES_FROM + i] = quantities[list->numbers[i]].name;
	rundb_show_rows(input->db, "tree",
			&(struct rundb_rows){column_names,
					     QUANTITIES_FROM + QUANTITY_COUNT_TREE,
					     count_rows, cell_at},
			paths);
}

void paths_end(struct paths *paths)
{
	rundb_show_rows(paths->input->db, "tree", NULL, NULL);
	calltree_free(paths->tree);
}
