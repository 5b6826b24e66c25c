/* SPDX-License-Identifier: MIT */
/*
 * Tells allocator wrappers from functions that need memory. Must not judge uninstrumented
 * functions: their calls are not counted.
 *
 * A wrapper allocates about one block in a call, calls little else, is called by many
 * functions, and its blocks have many sizes, or its name looks like malloc's. A function
 * without the last two marks may be one of a stack of wrappers.
 */
#include "analyzer/tree/wrappers.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Callers and sizes that are told apart for each function. */
#define MARKS_MOST 16

struct marks {
	double calls, calls_below, blocks;
	size_t caller_count, size_count;
	uint32_t callers[MARKS_MOST];
	double sizes[MARKS_MOST];
};

enum role { ROLE_NONE, ROLE_THIN, ROLE_WRAPPER };

struct wrappers {
	const struct calltree *tree;
	uint32_t *callers;     /* by owner's node: 1 + caller's; 0: not yet looked for */
	unsigned char roles[]; /* by function */
};

static void add_caller(struct marks *marks, uint32_t caller)
{
	for (size_t i = 0; i < marks->caller_count; i++)
		if (marks->callers[i] == caller)
			return;
	if (marks->caller_count < MARKS_MOST)
		marks->callers[marks->caller_count++] = caller;
}

static void add_size(struct marks *marks, double size)
{
	for (size_t i = 0; i < marks->size_count; i++)
		if (marks->sizes[i] == size)
			return;
	if (marks->size_count < MARKS_MOST)
		marks->sizes[marks->size_count++] = size;
}

/* A function that occurs twice on a path counts the calls below both: it then has too
 * many for a wrapper, and rightly so. */
static void add_node(const struct calltree *tree, uint32_t number, double calls_below,
		     struct marks *all)
{
	const struct calltree_node *node = &tree->nodes[number];
	struct marks *marks;

	if (node->function == CALLTREE_NONE)
		return;
	marks = &all[node->function];
	marks->calls += (double)node->calls;
	marks->calls_below += calls_below;
	marks->blocks += (double)node->tree_alloc_count;
	if (!node->tree_alloc_count)
		return;
	add_size(marks, (double)node->tree_alloc_bytes / (double)node->tree_alloc_count);
	if (node->parent != CALLTREE_NONE)
		add_caller(marks, tree->nodes[node->parent].function);
}

static struct marks *mark_all(const struct calltree *tree)
{
	struct marks *all = xcalloc(tree->function_count + 1, sizeof(*all));
	auto_free double *below = xcalloc(tree->node_count + 1, sizeof(*below));

	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t number = tree->order[i], parent = tree->nodes[number].parent;

		if (parent != CALLTREE_NONE)
			below[parent] +=
				below[number] + (double)tree->nodes[number].calls;
		add_node(tree, number, below[number], all);
	}
	return all;
}

/* "xmalloc", "must_alloc", "xstrdup": in a small program these have few callers. */
static bool is_named_so(const char *name)
{
	static const char *const kin[] = {"malloc", "calloc",  "realloc",
					  "strdup", "strndup", "memdup"};
	size_t size = strlen(name);

	if (size > 5 && strcmp(name + size - 5, "alloc") == 0)
		return true;
	for (size_t i = 0; i < sizeof(kin) / sizeof(*kin); i++)
		if (strstr(name, kin[i]))
			return true;
	return false;
}

static enum role role_of(const struct wrapper_limits *limits, const struct marks *marks,
			 const char *name)
{
	double blocks = marks->calls > 0 ? marks->blocks / marks->calls : 0;

	if (!(blocks > 0) || blocks > limits->blocks ||
	    marks->calls_below > limits->calls * marks->calls)
		return ROLE_NONE;
	if (blocks < limits->least)
		return ROLE_THIN;
	return is_named_so(name) || ((double)marks->caller_count >= limits->callers &&
				     (double)marks->size_count >= limits->sizes)
		       ? ROLE_WRAPPER
		       : ROLE_THIN;
}

struct wrappers *wrappers_find(const struct calltree *tree,
			       const struct wrapper_limits *limits)
{
	struct wrappers *wrappers = xcalloc(1, sizeof(*wrappers) + tree->function_count);
	auto_free struct marks *all = mark_all(tree);

	wrappers->tree = tree;
	wrappers->callers = xcalloc(tree->node_count + 1, sizeof(*wrappers->callers));
	for (size_t i = 0; i < tree->function_count; i++)
		wrappers->roles[i] =
			(unsigned char)role_of(limits, &all[i], tree->functions[i].name);
	return wrappers;
}

static enum role role_at(const struct wrappers *wrappers, uint32_t node)
{
	uint32_t function = wrappers->tree->nodes[node].function;

	return function == CALLTREE_NONE ? ROLE_NONE : wrappers->roles[function];
}

static bool is_library(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_library;
}

static uint32_t find_caller(const struct wrappers *wrappers, uint32_t owner)
{
	const struct calltree *tree = wrappers->tree;
	uint32_t outermost = CALLTREE_NONE;

	/* The bound guards against a ring of parents in a damaged file. */
	for (uint32_t at = owner, steps = 0;
	     at != CALLTREE_NONE && steps < tree->node_count;
	     at = tree->nodes[at].parent, steps++) {
		enum role role = role_at(wrappers, at);

		if (role == ROLE_WRAPPER)
			outermost = at;
		else if (role == ROLE_NONE && !is_library(tree, at))
			break;
	}
	if (outermost == CALLTREE_NONE || tree->nodes[outermost].parent == CALLTREE_NONE)
		return owner;
	return calltree_owner(tree, tree->nodes[outermost].parent);
}

uint32_t wrappers_caller(struct wrappers *wrappers, uint32_t owner)
{
	uint32_t *known = &wrappers->callers[owner];

	/* Computed once: ten rules ask for the same sites. */
	if (!*known)
		*known = 1 + find_caller(wrappers, owner);
	return *known - 1;
}

void wrappers_mark(struct calltree *tree, const struct wrapper_limits *limits)
{
	struct wrappers *wrappers = wrappers_find(tree, limits);

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = calltree_owner(tree, tree->order[i]), caller;

		if (!tree->nodes[tree->order[i]].tree_alloc_count)
			continue;
		for (caller = wrappers_caller(wrappers, at); at != caller;
		     at = tree->nodes[at].parent)
			tree->functions[tree->nodes[at].function].is_wrapper = true;
	}
}
