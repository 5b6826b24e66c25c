/* SPDX-License-Identifier: MIT */
/*
 * Folding of recursion, of direct recursion, and of inlined copies. A fold numbers each
 * node with the one it becomes; calltree_merge() adds up the numbers. Must not recurse,
 * or search lists: a node may have 100,000 children.
 */
#include "analyzer/tree/calltree.h"

#include "common/segment_recording.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void copy_functions(const struct calltree *from, struct calltree *to)
{
	for (size_t i = 0; i < from->function_count; i++) {
		const struct calltree_function *function = &from->functions[i];
		struct calltree_function *copy =
			calltree_add_function(to, function->function_id, function->name);
		const char *name = copy->name;

		*copy = *function;
		copy->name = name;
		copy->linkage_name = calltree_keep(to, function->linkage_name);
		copy->module = calltree_keep(to, function->module);
		copy->file = calltree_keep(to, function->file);
		copy->component = calltree_keep(to, function->component);
	}
}

void calltree_narrow_self(const struct calltree *tree, struct calltree_node *node)
{
	int64_t all = node->function == CALLTREE_NONE
			      ? 0
			      : tree->functions[node->function].self_error_ns;
	int64_t most = node->total_ns;

	quantity_add(&most, node->total_error_ns);
	if (__builtin_sub_overflow(most, node->self_ns, &most))
		most = node->self_ns < 0 ? INT64_MAX : INT64_MIN;
	if (most < node->self_ns)
		most = node->self_ns;
	if (node->self_error_ns > most)
		node->self_error_ns = most;
	if (all > 0 && node->self_error_ns > all)
		node->self_error_ns = all;
}

/* Copies the call's place only if it is in the file of the parent's function, which
 * stays. */
static void copy_call(const struct calltree *to, struct calltree_node *node,
		      const struct calltree_node *like)
{
	uint32_t caller = node->parent == CALLTREE_NONE
				  ? CALLTREE_NONE
				  : to->nodes[node->parent].function;
	const char *file = caller == CALLTREE_NONE ? NULL : to->functions[caller].file;

	if (!file || !like->call_file || strcmp(file, like->call_file) != 0)
		return;
	node->call_file = file;
	node->call_line = like->call_line;
	node->call_lines = like->call_lines;
}

static uint32_t add_empty(struct calltree *to, const struct calltree_node *like,
			  uint32_t parent)
{
	struct calltree_node *node = calltree_add_path(
		to, like->path_id,
		parent == CALLTREE_NONE ? 0 : to->nodes[parent].path_id, 0);

	node->parent = parent;
	node->function = like->function;
	node->is_frame = like->is_frame;
	node->is_inlined = like->is_inlined;
	node->host = CALLTREE_NONE;
	node->path_count = 0;
	node->recursion = 0;
	node->tree_alloc_bytes = 0;
	copy_call(to, node, like);
	return (uint32_t)to->node_count - 1;
}

/* above: how many nodes above this one became the same node. */
static void merge(struct calltree_node *into, const struct calltree_node *node,
		  uint32_t above)
{
	uint32_t recursion = above + 1 > node->recursion ? above + 1 : node->recursion;

	quantities_add(QUANTITY_OF_TREE, into->quantities, QUANTITY_OF_TREE,
		       node->quantities, above == 0);
	quantity_add(&into->before, node->before);
	into->path_count += node->path_count;
	into->is_frame = into->is_frame && node->is_frame;
	into->is_inlined = into->is_inlined && node->is_inlined;
	if (node->recording > into->recording)
		into->recording = node->recording;
	if (recursion > into->recursion)
		into->recursion = recursion;
	if (above)
		return;
	/* Only the outermost adds its subtree: the others are inside of it. */
	__builtin_add_overflow(into->tree_alloc_count, node->tree_alloc_count,
			       &into->tree_alloc_count);
	__builtin_add_overflow(into->tree_alloc_bytes, node->tree_alloc_bytes,
			       &into->tree_alloc_bytes);
}

struct calltree *calltree_merge(const struct calltree *tree, uint32_t *into)
{
	struct calltree *to = calltree_new();
	uint32_t *open = xcalloc(tree->node_count + 1, sizeof(*open));
	uint32_t *path = xreallocarray(NULL, tree->node_count + 1, sizeof(*path));
	size_t depth = 0;

	copy_functions(tree, to);
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];

		for (; depth >= node->depth; depth--)
			open[path[depth - 1]]--;
		/* Nodes earlier in the order have their new numbers already. */
		into[at] = into[at] == at
				   ? add_empty(to, node,
					       depth ? path[depth - 1] : CALLTREE_NONE)
				   : into[into[at]];
		merge(&to->nodes[into[at]], node, open[into[at]]++);
		if (!calltree_is_folded(tree, at))
			to->nodes[into[at]].host = into[at];
		path[depth++] = into[at];
	}
	free(open);
	free(path);
	for (size_t i = 0; i < to->node_count; i++)
		calltree_narrow_self(to, &to->nodes[i]);
	calltree_link_children(to);
	return to;
}

/* Folds a node into an activation of its function at most `levels` above it, or into a
 * sibling. ret_places: each node's new number, owned by caller; NULL: not wanted. */
static struct calltree *fold_levels(const struct calltree *tree, size_t levels,
				    uint32_t **ret_places)
{
	uint32_t *into = calltree_numbers(tree);
	/* Copies of what stays: the nodes themselves are far apart in memory. */
	uint32_t *parents = calltree_numbers(tree), *functions = calltree_numbers(tree);
	struct map places = {0};
	struct calltree *to;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], function = tree->nodes[at].function;
		uint32_t parent = tree->nodes[at].parent, found;
		size_t level = 0;

		if (parent != CALLTREE_NONE)
			parent = into[parent];
		functions[at] = function;
		parents[at] = parent;
		for (found = parent; found != CALLTREE_NONE && level < levels; level++) {
			if (functions[found] == function)
				break;
			found = parents[found];
		}
		if (found == CALLTREE_NONE || level == levels ||
		    function == CALLTREE_NONE)
			found = map_get(&places, parent, function, 0);
		if (found == MAP_NONE)
			map_put(&places, parent, function, 0, found = at);
		into[at] = found;
	}
	map_done(&places);
	free(parents);
	free(functions);
	to = calltree_merge(tree, into);
	if (ret_places)
		*ret_places = into;
	else
		free(into);
	return to;
}

struct calltree *calltree_fold(const struct calltree *tree)
{
	struct calltree *to = fold_levels(tree, SIZE_MAX, NULL);

	calltree_sort(to, CALLTREE_BY_TOTAL);
	return to;
}

struct calltree *calltree_fold_own_calls(const struct calltree *tree,
					 uint32_t **ret_places)
{
	struct calltree *to = fold_levels(tree, 1, ret_places);
	auto_free uint32_t *numbers = NULL;

	calltree_renew_order(to);
	numbers = calltree_settle(to);

	for (size_t i = 0; i < tree->node_count; i++) {
		uint32_t *place = &(*ret_places)[i];

		if (*place == CALLTREE_NONE)
			continue;
		*place = numbers[*place];
		if (tree->nodes[i].path_id < to->nodes[*place].path_id)
			to->nodes[*place].path_id = tree->nodes[i].path_id;
	}
	return to;
}

/* The parent of a node as the program was built: a copy's callees belong to its host,
 * but for those that allocate without hooks. */
static uint32_t built_parent(const struct calltree *tree,
			     const struct calltree_node *node)
{
	uint32_t parent = node->parent;

	if (parent == CALLTREE_NONE)
		return parent;
	if (tree->nodes[parent].merged_into != CALLTREE_NONE)
		parent = tree->nodes[parent].merged_into;
	return node->is_inlined || (node->is_frame && node->tree_alloc_count)
		       ? parent
		       : tree->nodes[parent].host;
}

static void merge_into(struct calltree *tree, uint32_t from, uint32_t to)
{
	struct calltree_node *node = &tree->nodes[from], *into = &tree->nodes[to];

	quantities_add(QUANTITY_OF_TREE, into->quantities, QUANTITY_OF_TREE,
		       node->quantities, 1);
	quantity_add(&into->before, node->before);
	into->path_count += node->path_count;
	quantities_clear(QUANTITY_OF_TREE, node->quantities);
	node->before = 0;
	node->merged_into = to;
	node->host = into->host;
}

/* Finds each node's place in the program as built, callers first. */
static void place_built(struct calltree *tree)
{
	ended_by(map_done) struct map places = {0};

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], parent, there = MAP_NONE;
		struct calltree_node *node = &tree->nodes[at];
		uint64_t kind;

		node->is_inlined = node->is_inlined && node->parent != CALLTREE_NONE;
		kind = (uint64_t)node->is_inlined << 1 | node->is_frame;
		parent = built_parent(tree, node);
		if (node->function != CALLTREE_NONE)
			there = map_get(&places, parent, node->function, kind);
		if (there != MAP_NONE) {
			merge_into(tree, at, there);
			continue;
		}
		if (node->function != CALLTREE_NONE)
			map_put(&places, parent, node->function, kind, at);
		node->parent = parent;
		if (parent != CALLTREE_NONE)
			node->parent_path_id = tree->nodes[parent].path_id;
		if (node->is_inlined)
			node->host = tree->nodes[parent].host;
	}
}

static void move(int64_t *to, int64_t *from)
{
	quantity_add(to, *from);
	*from = 0;
}

/* Errors of samples are chance and move by squares; the cost of hooks is the same in all
 * nodes. */
static void move_error(struct calltree_node *to, struct calltree_node *from)
{
	if (from->recording > SEGMENT_RECORDING_OFF)
		to->self_error_ns = (int64_t)ceil(
			hypot((double)to->self_error_ns, (double)from->self_error_ns));
	else
		quantity_add(&to->self_error_ns, from->self_error_ns);
	from->self_error_ns = 0;
}

static void add_totals(struct calltree_node *node, const struct calltree_node *child)
{
	quantity_add(&node->total_ns, child->total_ns);
	quantity_add(&node->raw_total_ns, child->raw_total_ns);
	quantity_add(&node->cpu_ns, child->cpu_ns);
	quantity_add(&node->ready_ns, child->ready_ns);
	quantity_add(&node->blocked_ns, child->blocked_ns);
}

void calltree_move_times(struct calltree *tree)
{
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &tree->nodes[at], *host;

		if (!calltree_is_folded(tree, at))
			continue;
		host = &tree->nodes[node->host];
		move(&host->self_ns, &node->self_ns);
		move(&host->raw_self_ns, &node->raw_self_ns);
		move_error(host, node);
		move(&host->self_cpu_ns, &node->self_cpu_ns);
		move(&host->self_ready_ns, &node->self_ready_ns);
		move(&host->self_blocked_ns, &node->self_blocked_ns);
		node->total_ns = node->total_error_ns = node->raw_total_ns = 0;
		node->cpu_ns = node->ready_ns = node->blocked_ns = 0;
		/* frames also have callees as built; they come later in the order */
		for (uint32_t child = node->first_child; child != CALLTREE_NONE;
		     child = tree->nodes[child].next)
			add_totals(node, &tree->nodes[child]);
	}
	for (size_t i = 0; i < tree->node_count; i++)
		calltree_narrow_self(tree, &tree->nodes[i]);
}

void calltree_fold_inlined(struct calltree *tree)
{
	bool any = false;

	for (size_t i = 0; i < tree->order_count && !any; i++)
		any = tree->nodes[tree->order[i]].is_inlined;
	if (!any)
		return;
	place_built(tree);
	calltree_link_children(tree);
	calltree_renew_order(tree);
	calltree_move_times(tree);
	calltree_sum_subtrees(tree);
}
