/* SPDX-License-Identifier: MIT */
/* Which component each function of a run belongs to. */
#include "analyzer/reports/components/parts.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "components.sql.h"

#include <stdlib.h>
#include <string.h>

enum component_by components_by(const char *word)
{
	if (!word)
		return COMPONENT_BY_MODULE;
	return strcmp(word, "source") == 0	? COMPONENT_BY_SOURCE
	       : strcmp(word, "namespace") == 0 ? COMPONENT_BY_NAMESPACE
						: COMPONENT_BY_MODULE;
}

/* Texts as they can be shown, in the tree's memory. */
static const char *clean(struct calltree *tree, const char *text)
{
	struct strbuf buffer = {0};
	const char *copy;

	utf8_clean(&buffer, text);
	copy = arena_copy(&tree->texts, strbuf_text(&buffer), buffer.size);
	strbuf_free(&buffer);
	return copy;
}

/* A library belongs to its caller, wherever its sources are. */
static const char *name(struct calltree *tree, const struct calltree_function *function,
			const struct component_namer *namer, struct strbuf *buffer)
{
	if (function->component)
		return function->component;
	if (function->is_library ||
	    !component_namer_put(namer, function->name, function->file, buffer))
		return NULL;
	return arena_copy(&tree->texts, strbuf_text(buffer), buffer->size);
}

struct components_function *components_describe(struct report_input *input,
						struct calltree *tree,
						enum component_by by)
{
	struct components_function *all = xcalloc(tree->function_count + 1, sizeof(*all));
	struct cursor *cursor = report_query(input, components_sql_modules);
	struct component_namer namer = {.by = by};
	struct strbuf buffer = {0};

	for (size_t i = 0; i < tree->function_count; i++)
		if (!tree->functions[i].is_library)
			component_namer_see(&namer, tree->functions[i].file);
	for (size_t i = 0; i < tree->function_count; i++)
		all[i] = (struct components_function){
			.named = name(tree, &tree->functions[i], &namer, &buffer),
			.fallback = "[no module]",
			.is_library = tree->functions[i].is_library};
	while (cursor_next(cursor) > 0) {
		const char *module = cursor_text(cursor, "module");
		const char *base = module ? strrchr(module, '/') : NULL;
		uint32_t number =
			calltree_function(tree, cursor_integer(cursor, "function_id"));

		base = base ? base + 1 : module;
		if (number != CALLTREE_NONE && base && *base)
			all[number].fallback = clean(tree, base);
	}
	strbuf_free(&buffer);
	if (report_finish(input, cursor) == 0)
		return all;
	free(all);
	return NULL;
}
