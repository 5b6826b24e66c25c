/* SPDX-License-Identifier: MIT */
/* Which component each function of a run belongs to. */
#include "analyzer/reports/components/parts.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/read_file.h"

#include "components.sql.h"

#include <stdlib.h>
#include <string.h>

enum exit_status components_load_map(struct report_input *input,
				     struct component_map *map)
{
	const char *path = input->options->map;
	struct strbuf text = {0}, error = {0};
	enum exit_status status;

	if (!path)
		return STATUS_OK;
	status = report_read_file(input, path, "a component map", &text);
	if (!status &&
	    component_map_parse(map, strbuf_text(&text), text.size, path, &error) < 0)
		status = report_fail(input, STATUS_USAGE, "%s", strbuf_text(&error));
	strbuf_free(&text);
	strbuf_free(&error);
	return status;
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

static struct components_function describe(struct calltree *tree, struct cursor *cursor,
					   const struct component_map *map)
{
	const char *name = cursor_text(cursor, "name"),
		   *module = cursor_text(cursor, "module");
	const char *source = cursor_text(cursor, "file"),
		   *of_region = cursor_text(cursor, "component");
	const char *named =
		of_region ? of_region
			  : component_map_find(map, name ? name : "", module, source);
	const char *base = module ? strrchr(module, '/') : NULL;

	base = base ? base + 1 : module;
	return (struct components_function){
		.named = named ? clean(tree, named) : NULL,
		.fallback = base && *base ? clean(tree, base) : "[no module]",
	};
}

struct components_function *components_describe(struct report_input *input,
						struct calltree *tree,
						const struct component_map *map)
{
	struct components_function *all = xcalloc(tree->function_count + 1, sizeof(*all));
	struct cursor *cursor = report_query(input, components_sql_functions);

	for (size_t i = 0; i < tree->function_count; i++)
		all[i].fallback = "[no module]";
	while (cursor_next(cursor) > 0) {
		uint32_t number =
			calltree_function(tree, cursor_integer(cursor, "function_id"));

		if (number == CALLTREE_NONE)
			continue;
		all[number] = describe(tree, cursor, map);
		all[number].is_library = tree->functions[number].is_library;
	}
	if (report_finish(input, cursor) == 0)
		return all;
	free(all);
	return NULL;
}
