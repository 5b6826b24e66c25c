/* SPDX-License-Identifier: MIT */
/*
 * The component of each call path, and what components are called. Must not recurse: a
 * tree may be as deep as a program's stack.
 */
#include "analyzer/tree/components.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"

#include <stdlib.h>
#include <string.h>

/* The component that each function has by itself; NULL: none. A library belongs to
 * its caller, wherever its sources are. The array is owned by caller, its texts by
 * the arena. */
static const char **name_functions(const struct calltree *tree, enum component_by by,
				   struct arena *texts)
{
	const char **names = xcalloc(tree->function_count + 1, sizeof(*names));
	struct component_namer namer = {.by = by};
	ended_by(strbuf_free) struct strbuf text = {0};

	for (size_t i = 0; i < tree->function_count; i++)
		if (!tree->functions[i].is_library)
			component_namer_see(&namer, tree->functions[i].file);
	for (size_t i = 0; i < tree->function_count; i++) {
		const struct calltree_function *function = &tree->functions[i];

		names[i] = function->component;
		if (!names[i] && !function->is_library &&
		    component_namer_put(&namer, function->name, function->file, &text))
			names[i] = arena_copy(texts, strbuf_text(&text), text.size);
	}
	return names;
}

static const char *module_of(const struct calltree_function *function)
{
	const char *base = function->module ? basename(function->module) : "";

	return *base ? base : "[no module]";
}

/* The component of a node whose parent's is known. is_named: by node, whether it or a
 * node above it was named; NULL: take the parent's. */
static const char *name_of(const struct calltree *tree, uint32_t at,
			   const char *const *names, bool *is_named)
{
	const struct calltree_node *node = &tree->nodes[at];
	bool has_function = node->function != CALLTREE_NONE;
	bool has_parent = node->parent != CALLTREE_NONE;

	is_named[at] = (has_function && names[node->function]) ||
		       (has_parent && is_named[node->parent]);
	if (has_function && names[node->function])
		return names[node->function];
	if (has_parent && (is_named[at] ||
			   (has_function && tree->functions[node->function].is_library)))
		return NULL;
	return has_function ? module_of(&tree->functions[node->function]) : "?";
}

enum component_by components_by(const char *word)
{
	if (!word)
		return COMPONENT_BY_MODULE;
	return strcmp(word, "source") == 0	? COMPONENT_BY_SOURCE
	       : strcmp(word, "namespace") == 0 ? COMPONENT_BY_NAMESPACE
						: COMPONENT_BY_MODULE;
}

void components_find(struct components *ret, const struct calltree *tree,
		     enum component_by by)
{
	auto_free bool *is_named = xcalloc(tree->node_count + 1, sizeof(*is_named));
	ended_by(arena_free) struct arena texts = {0};
	const char **names = name_functions(tree, by, &texts);

	*ret = (struct components){.paths = calltree_numbers(tree)};
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const char *name = name_of(tree, at, names, is_named);

		ret->paths[at] = name ? intern_text(&ret->names, name, NULL)
				      : ret->paths[tree->nodes[at].parent];
	}
	free(names);
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

/* What the first and last files share, all files between them share, too. */
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

/* The last directory of a path that ends in a slash. */
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

/* Appends a text after cleaning it. */
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
	ended_by(strbuf_free) struct strbuf text = {0};
	bool is_named = put(namer, function, file, &text);

	strbuf_reset(ret);
	if (is_named)
		utf8_clean(ret, strbuf_text(&text));
	return is_named;
}
