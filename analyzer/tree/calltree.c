/* SPDX-License-Identifier: MIT */
/*
 * The call tree: linking, sorting, sums. Must not recurse: recorded stacks may be deeper
 * than ours.
 */
#include "analyzer/tree/calltree.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct calltree *calltree_new(void)
{
	struct calltree *tree = xcalloc(1, sizeof(*tree));

	tree->first_root = CALLTREE_NONE;
	return tree;
}

void calltree_free(struct calltree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	free(tree->functions);
	free(tree->order);
	arena_free(&tree->texts);
	free(tree);
}

const char *calltree_keep(struct calltree *tree, const char *text)
{
	return text ? arena_copy(&tree->texts, text, strlen(text)) : NULL;
}

struct calltree_function *calltree_add_function(struct calltree *tree,
						int64_t function_id, const char *name)
{
	struct calltree_function *function =
		&ARRAY_ADD(tree->functions, tree->function_count);

	*function = (struct calltree_function){.function_id = function_id,
					       .name = calltree_keep(tree, name)};
	return function;
}

struct calltree_node *calltree_add_path(struct calltree *tree, int64_t path_id,
					int64_t parent_path_id, int64_t function_id)
{
	struct calltree_node *node = &ARRAY_ADD(tree->nodes, tree->node_count);

	*node = (struct calltree_node){
		.path_id = path_id,
		.parent_path_id = parent_path_id,
		.parent = CALLTREE_NONE,
		.first_child = CALLTREE_NONE,
		.next = CALLTREE_NONE,
		.function = CALLTREE_NONE,
		.host = (uint32_t)(tree->node_count - 1),
		.merged_into = CALLTREE_NONE,
		.path_count = 1,
		.recursion = 1,
		/* Until calltree_link(), when functions can be looked up. */
		.tree_alloc_bytes = function_id,
	};
	quantities_clear(QUANTITY_OF_TREE, node->quantities);
	return node;
}

static int by_function_id(const void *left, const void *right)
{
	const struct calltree_function *a = left, *b = right;

	return ORDER_BY(a, b, function_id);
}

static int by_path_id(const void *left, const void *right)
{
	const struct calltree_node *a = left, *b = right;

	return ORDER_BY(a, b, path_id);
}

/* Rows usually come sorted: a check is cheaper than a sort. */
static void sort_unless_sorted(void *array, size_t count, size_t size,
			       int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < count; i++)
		if (compare((char *)array + (i - 1) * size, (char *)array + i * size) >
		    0) {
			qsort(array, count, size, compare);
			return;
		}
}

static uint32_t find(const struct calltree *tree, int64_t path_id)
{
	struct calltree_node wanted = {.path_id = path_id};
	const struct calltree_node *found;
	uint64_t guess;

	if (!tree->node_count)
		return CALLTREE_NONE;
	/* The paths of a run have ids without a gap, unless some were filtered out. */
	guess = (uint64_t)path_id - (uint64_t)tree->nodes[0].path_id;
	if (guess < tree->node_count && tree->nodes[guess].path_id == path_id)
		return (uint32_t)guess;
	found = bsearch(&wanted, tree->nodes, tree->node_count, sizeof(wanted),
			by_path_id);
	return found ? (uint32_t)(found - tree->nodes) : CALLTREE_NONE;
}

uint32_t calltree_find(const struct calltree *tree, int64_t path_id)
{
	uint32_t node = find(tree, path_id);

	if (node != CALLTREE_NONE && tree->nodes[node].merged_into != CALLTREE_NONE)
		return tree->nodes[node].merged_into;
	return node;
}

uint32_t calltree_function(const struct calltree *tree, int64_t function_id)
{
	struct calltree_function wanted = {.function_id = function_id};
	const struct calltree_function *found =
		tree->function_count
			? bsearch(&wanted, tree->functions, tree->function_count,
				  sizeof(wanted), by_function_id)
			: NULL;

	return found ? (uint32_t)(found - tree->functions) : CALLTREE_NONE;
}

const char *calltree_name(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function == CALLTREE_NONE ? "?" : tree->functions[function].name;
}

const char *calltree_recording_word(const struct calltree_node *node)
{
	static const char *const words[] = {"exact", "?", "counted", "off", "sampled"};
	size_t last = sizeof(words) / sizeof(words[0]) - 1;

	if (node->is_frame && node->recording != last)
		return "unwound";
	return words[node->recording <= last ? node->recording : last - 1];
}

uint32_t calltree_owner(const struct calltree *tree, uint32_t node)
{
	size_t steps = 0;

	for (uint32_t at = node; at != CALLTREE_NONE && steps < tree->node_count;
	     at = tree->nodes[at].parent, steps++) {
		uint32_t function = tree->nodes[at].function;

		if (function != CALLTREE_NONE && !tree->functions[function].is_library)
			return at;
	}
	return node;
}

const char *calltree_owner_name(const struct calltree *tree, uint32_t node)
{
	uint32_t owner = calltree_owner(tree, node);
	uint32_t function = tree->nodes[owner].function;

	return function != CALLTREE_NONE && tree->functions[function].is_library
		       ? "[runtime memory]"
		       : calltree_name(tree, owner);
}

uint32_t *calltree_numbers(const struct calltree *tree)
{
	uint32_t *numbers = xreallocarray(NULL, tree->node_count + 1, sizeof(*numbers));

	memset(numbers, 0xff, (tree->node_count + 1) * sizeof(*numbers));
	return numbers;
}

/* Walks the tree from its roots without recursion and renews order and depth. */
void calltree_renew_order(struct calltree *tree)
{
	uint32_t at = tree->first_root, depth = 1;

	tree->order_count = 0;
	while (at != CALLTREE_NONE) {
		struct calltree_node *node = &tree->nodes[at];

		tree->order[tree->order_count++] = at;
		node->depth = depth;
		if (node->first_child != CALLTREE_NONE) {
			at = node->first_child;
			depth++;
			continue;
		}
		while (at != CALLTREE_NONE && tree->nodes[at].next == CALLTREE_NONE) {
			at = tree->nodes[at].parent;
			depth--;
		}
		if (at != CALLTREE_NONE)
			at = tree->nodes[at].next;
	}
}

void calltree_link_children(struct calltree *tree)
{
	if (!tree->order) {
		tree->order = calltree_numbers(tree);
		tree->order_count = tree->node_count;
		for (uint32_t i = 0; i < tree->order_count; i++)
			tree->order[i] = i;
	}
	tree->first_root = CALLTREE_NONE;
	for (size_t i = 0; i < tree->order_count; i++)
		tree->nodes[tree->order[i]].first_child = CALLTREE_NONE;
	/* Backwards, so that siblings end up in the order they have. */
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &tree->nodes[at];
		uint32_t *list = node->parent == CALLTREE_NONE
					 ? &tree->first_root
					 : &tree->nodes[node->parent].first_child;

		if (node->merged_into != CALLTREE_NONE)
			continue;
		node->next = *list;
		*list = at;
	}
}

uint32_t *calltree_settle(struct calltree *tree)
{
	uint32_t *numbers = calltree_numbers(tree);
	struct calltree_node *nodes = xreallocarray(
		NULL, array_capacity(tree->order_count) + 1, sizeof(*nodes));

	for (uint32_t i = 0; i < tree->order_count; i++) {
		numbers[tree->order[i]] = i;
		nodes[i] = tree->nodes[tree->order[i]];
		tree->order[i] = i;
	}
	for (size_t i = 0; i < tree->order_count; i++) {
		if (nodes[i].parent != CALLTREE_NONE)
			nodes[i].parent = numbers[nodes[i].parent];
		if (nodes[i].host != CALLTREE_NONE)
			nodes[i].host = numbers[nodes[i].host];
	}
	free(tree->nodes);
	tree->nodes = nodes;
	tree->node_count = tree->order_count;
	calltree_link_children(tree);
	calltree_renew_order(tree);
	return numbers;
}

void calltree_sum_subtrees(struct calltree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++) {
		tree->nodes[i].tree_alloc_count = tree->nodes[i].alloc_count;
		tree->nodes[i].tree_alloc_bytes = tree->nodes[i].alloc_bytes;
	}
	for (size_t i = tree->order_count; i-- > 0;) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (node->parent == CALLTREE_NONE)
			continue;
		/* Damaged files may hold numbers near the limits: wrap, do not trap. */
		__builtin_add_overflow(tree->nodes[node->parent].tree_alloc_count,
				       node->tree_alloc_count,
				       &tree->nodes[node->parent].tree_alloc_count);
		__builtin_add_overflow(tree->nodes[node->parent].tree_alloc_bytes,
				       node->tree_alloc_bytes,
				       &tree->nodes[node->parent].tree_alloc_bytes);
	}
}

void calltree_link(struct calltree *tree)
{
	sort_unless_sorted(tree->functions, tree->function_count,
			   sizeof(*tree->functions), by_function_id);
	sort_unless_sorted(tree->nodes, tree->node_count, sizeof(*tree->nodes),
			   by_path_id);
	for (size_t i = 0; i < tree->node_count; i++) {
		struct calltree_node *node = &tree->nodes[i];

		node->host = (uint32_t)i;
		node->function = calltree_function(tree, node->tree_alloc_bytes);
		if (node->parent_path_id)
			node->parent = calltree_find(tree, node->parent_path_id);
	}
	calltree_link_children(tree);
	calltree_renew_order(tree);
	calltree_sum_subtrees(tree);
}

struct sorting {
	const struct calltree *tree;
	enum calltree_order order;
};

static int64_t sort_value(const struct calltree_node *node, enum calltree_order order)
{
	switch (order) {
	case CALLTREE_BY_TOTAL:
		return node->total_ns;
	case CALLTREE_BY_SELF:
		return node->self_ns;
	case CALLTREE_BY_CALLS:
		return node->calls;
	case CALLTREE_BY_ALLOC_BYTES:
		return node->tree_alloc_bytes;
	case CALLTREE_BY_READY:
		return node->self_ready_ns;
	case CALLTREE_BY_BLOCKED:
		return node->self_blocked_ns;
	case CALLTREE_BY_NAME:
		break;
	}
	return 0;
}

static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t x = sort_value(&sorting->tree->nodes[a], sorting->order);
	int64_t y = sort_value(&sorting->tree->nodes[b], sorting->order);
	int order = (x < y) - (x > y);

	if (order == 0)
		order = strcmp(calltree_name(sorting->tree, a),
			       calltree_name(sorting->tree, b));
	return order ? order : (a > b) - (a < b);
}

static void sort_list(struct calltree *tree, uint32_t *list, uint32_t *scratch,
		      struct sorting *sorting)
{
	size_t count = 0;

	for (uint32_t at = *list; at != CALLTREE_NONE; at = tree->nodes[at].next)
		scratch[count++] = at;
	if (count < 2)
		return;
	qsort_r(scratch, count, sizeof(*scratch), compare_siblings, sorting);
	for (size_t i = 0; i < count; i++) {
		*list = scratch[i];
		list = &tree->nodes[scratch[i]].next;
	}
	*list = CALLTREE_NONE;
}

void calltree_sort(struct calltree *tree, enum calltree_order order)
{
	struct sorting sorting = {tree, order};
	auto_free uint32_t *scratch =
		xreallocarray(NULL, tree->node_count, sizeof(*scratch));

	sort_list(tree, &tree->first_root, scratch, &sorting);
	for (size_t i = 0; i < tree->node_count; i++)
		sort_list(tree, &tree->nodes[i].first_child, scratch, &sorting);
	calltree_renew_order(tree);
}

struct calltree_total calltree_sum(const struct calltree *tree)
{
	struct calltree_total sum;

	quantities_clear(QUANTITY_OF_TREE, sum.quantities);
	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		quantities_add(QUANTITY_OF_TREE, sum.quantities, QUANTITY_OF_TREE,
			       node->quantities, node->parent == CALLTREE_NONE);
	}
	return sum;
}
