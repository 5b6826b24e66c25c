/* SPDX-License-Identifier: MIT */
/*
 * Summing up a call tree by components, and what these are called. Must not recurse: a
 * tree may be as deep as a program's stack.
 */
#include "analyzer/tree/components.h"

#include "common/base/map.h"
#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	struct components *components;
	const struct calltree *tree;
	const struct components_function *functions;
	struct map edge_numbers, used_functions;
	size_t total_capacity, edge_capacity, active_capacity, edge_active_capacity;
	uint32_t *active, *edge_active; /* occurrences on the path being visited */
	bool *is_named;			/* by node: named, or below what is */
	uint32_t *edges;		/* by node; INTERN_NONE: none */
};

/* Damaged numbers stay at the end of their range. */
static void add(int64_t *sum, int64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = value > 0 ? INT64_MAX : INT64_MIN;
}

static uint32_t component_number(struct walk *walk, const char *name)
{
	struct components *components = walk->components;
	bool is_new;
	uint32_t number = intern_text(&components->names, name, &is_new);

	if (is_new) {
		components->totals =
			xgrow(components->totals, number, &walk->total_capacity,
			      sizeof(*components->totals));
		walk->active = xgrow(walk->active, number, &walk->active_capacity,
				     sizeof(*walk->active));
		components->totals[number] = (struct component_total){.calls = 0};
		walk->active[number] = 0;
	}
	return number;
}

static uint32_t edge_number(struct walk *walk, uint32_t caller, uint32_t callee)
{
	struct components *components = walk->components;
	bool is_new;
	uint32_t number = map_number(&walk->edge_numbers, caller, callee, 0, &is_new);

	if (is_new) {
		components->edges = xgrow(components->edges, number, &walk->edge_capacity,
					  sizeof(*components->edges));
		walk->edge_active =
			xgrow(walk->edge_active, number, &walk->edge_active_capacity,
			      sizeof(*walk->edge_active));
		components->edges[number] =
			(struct component_edge){.caller = caller, .callee = callee};
		walk->edge_active[number] = 0;
		components->edge_count = number + 1;
	}
	return number;
}

static uint32_t component_of(struct walk *walk, uint32_t at)
{
	const struct calltree_node *node = &walk->tree->nodes[at];
	const struct components_function *function =
		node->function == CALLTREE_NONE ? NULL : &walk->functions[node->function];

	if (function && function->named) {
		walk->is_named[at] = true;
		return component_number(walk, function->named);
	}
	if (node->parent != CALLTREE_NONE && walk->is_named[node->parent]) {
		walk->is_named[at] = true;
		return walk->components->paths[node->parent];
	}
	if (node->parent != CALLTREE_NONE && function && function->is_library)
		return walk->components->paths[node->parent];
	return component_number(walk, function ? function->fallback : "?");
}

static void add_edge(struct walk *walk, uint32_t at, uint32_t caller, uint32_t callee)
{
	const struct calltree_node *node = &walk->tree->nodes[at];
	uint32_t number = edge_number(walk, caller, callee);
	struct component_edge *edge = &walk->components->edges[number];

	add(&edge->calls, node->calls);
	if (walk->edge_active[number]++ == 0) {
		add(&edge->outermost, node->calls);
		add(&edge->total_ns, node->total_ns);
	}
	walk->edges[at] = number;
}

static void enter(struct walk *walk, uint32_t at)
{
	const struct calltree_node *node = &walk->tree->nodes[at];
	uint32_t number = component_of(walk, at);
	struct component_total *total = &walk->components->totals[number];
	bool is_new, is_outermost, is_root = node->parent == CALLTREE_NONE;

	walk->components->paths[at] = number;
	is_outermost = walk->active[number]++ == 0;
	quantities_add(QUANTITY_OF_LANE, total->quantities, QUANTITY_OF_TREE,
		       node->quantities, is_outermost);
	total->path_count++;
	if (is_outermost)
		add(&total->outermost, node->calls);
	if (node->function != CALLTREE_NONE) {
		map_number(&walk->used_functions, number, node->function, 0, &is_new);
		total->function_count += is_new;
	}
	if (is_root || walk->components->paths[node->parent] != number)
		add(&total->entries, node->calls);
	if (!is_root && walk->components->paths[node->parent] != number)
		add_edge(walk, at, walk->components->paths[node->parent], number);
}

static void leave(struct walk *walk, uint32_t at)
{
	walk->active[walk->components->paths[at]]--;
	if (walk->edges[at] != INTERN_NONE)
		walk->edge_active[walk->edges[at]]--;
}

/* Down to children, then to the next sibling of the innermost that has one. */
static void visit_all(struct walk *walk)
{
	const struct calltree *tree = walk->tree;
	uint32_t at = tree->first_root;

	while (at != CALLTREE_NONE) {
		enter(walk, at);
		if (tree->nodes[at].first_child != CALLTREE_NONE) {
			at = tree->nodes[at].first_child;
			continue;
		}
		while (at != CALLTREE_NONE) {
			leave(walk, at);
			if (tree->nodes[at].next != CALLTREE_NONE) {
				at = tree->nodes[at].next;
				break;
			}
			at = tree->nodes[at].parent;
		}
	}
}

void components_sum(struct components *ret, const struct calltree *tree,
		    const struct components_function *functions)
{
	struct walk walk = {.components = ret, .tree = tree, .functions = functions};

	*ret = (struct components){.edge_count = 0};
	ret->paths = xreallocarray(NULL, tree->node_count + 1, sizeof(*ret->paths));
	walk.edges = xreallocarray(NULL, tree->node_count + 1, sizeof(*walk.edges));
	walk.is_named = xcalloc(tree->node_count + 1, sizeof(*walk.is_named));
	for (size_t i = 0; i < tree->node_count; i++)
		ret->paths[i] = walk.edges[i] = INTERN_NONE;
	visit_all(&walk);
	map_done(&walk.edge_numbers);
	map_done(&walk.used_functions);
	free(walk.active);
	free(walk.edge_active);
	free(walk.is_named);
	free(walk.edges);
}

void components_free(struct components *components)
{
	intern_free(&components->names);
	free(components->totals);
	free(components->edges);
	free(components->paths);
	*components = (struct components){.edge_count = 0};
}

void component_namer_see(struct component_namer *namer, const char *file)
{
	if (!file)
		return;
	if (!namer->least || strcmp(file, namer->least) < 0)
		namer->least = file;
	if (!namer->most || strcmp(file, namer->most) > 0)
		namer->most = file;
}

/* What the first and the last have in common, all between them have, too. */
static size_t common_length(const struct component_namer *namer)
{
	size_t length = 0;

	for (size_t i = 0; namer->least && namer->least[i]; i++) {
		if (namer->least[i] != namer->most[i])
			break;
		if (namer->least[i] == '/')
			length = i + 1;
	}
	return length;
}

/* The last directory of a path that ends with a slash. */
static const char *last_of(const char *path, size_t length)
{
	const char *at = path + length - 1;

	while (at > path && at[-1] != '/')
		at--;
	return at;
}

static void put_directory(const struct component_namer *namer, const char *file,
			  struct strbuf *ret)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash ? (size_t)(slash - file) + 1 : 0;
	size_t common = common_length(namer);

	if (length > common + 1)
		strbuf_add(ret, file + common, length - common - 1);
	else if (length > 1)
		strbuf_add(ret, last_of(file, length - 1),
			   (size_t)(slash - last_of(file, length - 1)));
	else
		strbuf_puts(ret, length ? "/" : ".");
}

/* Appends what is not clean yet. */
static bool put(const struct component_namer *namer, const char *function,
		const char *file, struct strbuf *ret)
{
	struct cxx_name parts;

	if (namer->by == COMPONENT_BY_SOURCE && file) {
		put_directory(namer, file, ret);
		return true;
	}
	if (namer->by != COMPONENT_BY_NAMESPACE)
		return false;
	parts = cxx_name_parts(function);
	if (parts.last < parts.name + 3)
		return false;
	strbuf_add(ret, parts.name, (size_t)(parts.last - parts.name) - 2);
	return true;
}

bool component_namer_put(const struct component_namer *namer, const char *function,
			 const char *file, struct strbuf *ret)
{
	struct strbuf text = {0};
	bool is_named = put(namer, function, file, &text);

	strbuf_reset(ret);
	if (is_named)
		utf8_clean(ret, strbuf_text(&text));
	strbuf_free(&text);
	return is_named;
}
