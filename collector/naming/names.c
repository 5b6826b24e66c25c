/* SPDX-License-Identifier: MIT */
/* One name for each function of a run. */
#include "collector/naming/names.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

static bool is_plain_function(const struct identify_function *function)
{
	return function->module != MODULE_NONE && function->naming == IDENTIFY_EXACT &&
	       function->name;
}

static const char *path_of_module(const struct merge *merge,
				  const struct identify_function *function)
{
	return function->module == MODULE_NONE
		       ? NULL
		       : merge->identify.modules.all[function->module].from->path;
}

static bool *find_told(const struct merge *merge, const int64_t *rows)
{
	bool *is_told = xcalloc(merge->function_count, sizeof(*is_told));

	for (size_t i = 0; i < merge->function_count; i++)
		is_told[i] = rows[i] != 0;
	for (size_t i = 0; i < merge->mode_count; i++)
		if (merge->modes[i].function != MERGE_NO_FUNCTION)
			is_told[merge->modes[i].function] = true;
	return is_told;
}

void store_names_choose(struct store_names *ret, const struct merge *merge,
			const int64_t *rows)
{
	const struct identify_function *functions = merge->identify.functions;
	size_t *places = xcalloc(merge->function_count, sizeof(*places)), count = 0;
	struct named *chosen = xcalloc(merge->function_count, sizeof(*chosen));
	bool *is_told = find_told(merge, rows);

	*ret = (struct store_names){merge,
				    xcalloc(merge->function_count, sizeof(*ret->own))};
	for (size_t i = 0; i < merge->function_count; i++) {
		if (!is_told[i] || !is_plain_function(&functions[i]))
			continue;
		places[count] = i;
		chosen[count++] = (struct named){
			.full = functions[i].name,
			.file = functions[i].file,
			.module = path_of_module(merge, &functions[i]),
		};
	}
	name_set_tell_apart(chosen, count);
	for (size_t i = 0; i < count; i++)
		ret->own[places[i]] = chosen[i];
	free(chosen);
	free(places);
	free(is_told);
}

const char *store_names_at(const struct store_names *names, size_t function)
{
	const char *name = names->own[function].name;

	return name ? name : names->merge->identify.functions[function].name;
}

void store_names_done(struct store_names *names)
{
	name_set_done(names->own, names->merge->function_count);
	*names = (struct store_names){NULL, NULL};
}
