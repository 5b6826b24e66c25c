/* SPDX-License-Identifier: MIT */
/*
 * What is folded away: recursion, in a new tree with every function at most once on any
 * path, and inlined copies. Must not recurse, or search lists: a node may have 100,000
 * children.
 */
#include "analyzer/tree/calltree.h"

#include "common/segment_recording.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct folding {
	const struct calltree *from;
	struct calltree *to;
	uint32_t *open;	      /* of each new node: activations on the present path */
	uint32_t *slots;      /* hash of (parent, function) to new node */
	uint32_t *last_child; /* of each new node, for appending */
	uint32_t last_root;
	size_t slot_mask;
};

static size_t hash(uint32_t parent, uint32_t function)
{
	uint64_t key = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15ull;

	return (size_t)(key >> 20);
}

/* The child of parent with this function; made when there is none. */
static uint32_t child_of(struct folding *folding, uint32_t parent,
			 const struct calltree_node *like)
{
	struct calltree *to = folding->to;
	size_t slot = hash(parent, like->function) & folding->slot_mask;
	struct calltree_node *node;
	uint32_t number, *link;

	for (; folding->slots[slot] != CALLTREE_NONE;
	     slot = (slot + 1) & folding->slot_mask) {
		node = &to->nodes[folding->slots[slot]];
		if (node->parent == parent && node->function == like->function)
			return folding->slots[slot];
	}
	number = (uint32_t)to->node_count;
	node = calltree_add_path(to, like->path_id,
				 parent == CALLTREE_NONE ? 0 : to->nodes[parent].path_id,
				 0);
	node->parent = parent;
	node->function = like->function;
	node->is_frame = like->is_frame;
	node->is_inlined = like->is_inlined;
	node->host = CALLTREE_NONE;
	node->path_count = 0;
	node->recursion = 0;
	node->tree_alloc_bytes = 0;
	folding->slots[slot] = number;
	folding->open[number] = 0;
	folding->last_child[number] = CALLTREE_NONE;
	link = parent == CALLTREE_NONE ? &folding->last_root
				       : &folding->last_child[parent];
	if (*link != CALLTREE_NONE)
		to->nodes[*link].next = number;
	else if (parent == CALLTREE_NONE)
		to->first_root = number;
	else
		to->nodes[parent].first_child = number;
	*link = number;
	return number;
}

/* Where a node goes whose parent went to parent. */
static uint32_t place(struct folding *folding, uint32_t parent,
		      const struct calltree_node *node)
{
	const struct calltree *to = folding->to;

	for (uint32_t at = parent; at != CALLTREE_NONE; at = to->nodes[at].parent)
		if (to->nodes[at].function == node->function &&
		    node->function != CALLTREE_NONE)
			return at;
	return child_of(folding, parent, node);
}

static void merge(struct folding *folding, uint32_t number,
		  const struct calltree_node *node, bool is_folded)
{
	struct calltree_node *into = &folding->to->nodes[number];

	quantities_add(QUANTITY_OF_TREE, into->quantities, QUANTITY_OF_TREE,
		       node->quantities, folding->open[number] == 0);
	quantity_add(&into->before, node->before);
	into->path_count++;
	into->is_frame = into->is_frame && node->is_frame;
	if (node->recording > into->recording)
		into->recording = node->recording;
	into->is_inlined = into->is_inlined && node->is_inlined;
	if (!is_folded)
		into->host = number;
	if (folding->open[number]++ == 0) {
		/* The outermost here: what lies below it is inside its total. */
		__builtin_add_overflow(into->tree_alloc_count, node->tree_alloc_count,
				       &into->tree_alloc_count);
		__builtin_add_overflow(into->tree_alloc_bytes, node->tree_alloc_bytes,
				       &into->tree_alloc_bytes);
	}
	if (folding->open[number] > into->recursion)
		into->recursion = folding->open[number];
}

static void copy_functions(const struct calltree *from, struct calltree *to)
{
	for (size_t i = 0; i < from->function_count; i++) {
		const struct calltree_function *function = &from->functions[i];
		struct calltree_function *copy =
			calltree_add_function(to, function->function_id, function->name);

		copy->is_library = function->is_library;
		copy->is_libc = function->is_libc;
	}
}

void calltree_narrow_self(struct calltree_node *node)
{
	int64_t most = node->total_ns;

	quantity_add(&most, node->total_error_ns);
	if (__builtin_sub_overflow(most, node->self_ns, &most))
		most = node->self_ns < 0 ? INT64_MAX : INT64_MIN;
	if (most < node->self_ns)
		most = node->self_ns;
	if (node->self_error_ns > most)
		node->self_error_ns = most;
}

struct calltree *calltree_fold(const struct calltree *tree)
{
	struct folding folding = {.from = tree, .to = calltree_new()};
	size_t count = tree->node_count + 1, slots = 64, depth = 0;
	uint32_t *stack = xreallocarray(NULL, count, sizeof(*stack));

	while (slots < 2 * count)
		slots *= 2;
	folding.slot_mask = slots - 1;
	folding.slots = xreallocarray(NULL, slots, sizeof(*folding.slots));
	memset(folding.slots, 0xff, slots * sizeof(*folding.slots));
	folding.open = xcalloc(count, sizeof(*folding.open));
	folding.last_child = xcalloc(count, sizeof(*folding.last_child));
	folding.last_root = CALLTREE_NONE;
	copy_functions(tree, folding.to);
	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		while (depth >= node->depth)
			folding.open[stack[--depth]]--;
		stack[depth] =
			place(&folding, depth ? stack[depth - 1] : CALLTREE_NONE, node);
		merge(&folding, stack[depth++], node,
		      calltree_is_folded(tree, tree->order[i]));
	}
	free(stack);
	free(folding.slots);
	free(folding.open);
	free(folding.last_child);
	for (size_t i = 0; i < folding.to->node_count; i++)
		calltree_narrow_self(&folding.to->nodes[i]);
	calltree_sort(folding.to, CALLTREE_BY_TOTAL);
	return folding.to;
}

/* Under whom a node stands as it was built: what a copy called is called by its host. */
static uint32_t built_parent(const struct calltree *tree,
			     const struct calltree_node *node)
{
	uint32_t parent = node->parent;

	if (parent == CALLTREE_NONE)
		return parent;
	if (tree->nodes[parent].merged_into != CALLTREE_NONE)
		parent = tree->nodes[parent].merged_into;
	return node->is_inlined || node->is_frame ? parent : tree->nodes[parent].host;
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

/* Finds the place of each node as built, callers first. */
static void place_built(struct calltree *tree)
{
	struct map places = {0};

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
	map_done(&places);
}

/* Siblings stay in the order they had. */
static void link_built(struct calltree *tree)
{
	tree->first_root = CALLTREE_NONE;
	for (size_t i = 0; i < tree->order_count; i++)
		tree->nodes[tree->order[i]].first_child = CALLTREE_NONE;
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
	calltree_renew_order(tree);
}

static void move(int64_t *to, int64_t *from)
{
	quantity_add(to, *from);
	*from = 0;
}

/* Of samples, which are chance, by squares; what hooks cost is the same everywhere. */
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
		move_error(host, node);
		move(&host->self_cpu_ns, &node->self_cpu_ns);
		move(&host->self_ready_ns, &node->self_ready_ns);
		move(&host->self_blocked_ns, &node->self_blocked_ns);
		node->total_ns = node->total_error_ns = 0;
		node->cpu_ns = node->ready_ns = node->blocked_ns = 0;
		/* what frames seen by unwinding called; it is in the order behind them */
		for (uint32_t child = node->first_child; child != CALLTREE_NONE;
		     child = tree->nodes[child].next)
			add_totals(node, &tree->nodes[child]);
	}
	for (size_t i = 0; i < tree->node_count; i++)
		calltree_narrow_self(&tree->nodes[i]);
}

void calltree_fold_inlined(struct calltree *tree)
{
	bool any = false;

	for (size_t i = 0; i < tree->order_count && !any; i++)
		any = tree->nodes[tree->order[i]].is_inlined;
	if (!any)
		return;
	place_built(tree);
	link_built(tree);
	calltree_move_times(tree);
	calltree_sum_subtrees(tree);
}
