/* SPDX-License-Identifier: MIT */
/*
 * Reading and applying of component maps; every refusal names file, line and key. Must
 * not accept a key it does not know: an entry mistyped would fit too much.
 */
#include "common/json/component_map.h"

#include "common/names/cxx_name.h"
#include "common/base/pattern.h"
#include "common/base/xalloc.h"
#include "common/json/json_place.h"

#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct component_rule {
	const char *component;
	const char *module, *source, *name_space; /* NULL: any */
	regex_t function;
	bool has_function;
	bool is_used;
};

static int refuse_entry(const struct json_source *source, size_t index, const char *key,
			const char *why)
{
	char place[32];
	const char *const steps[] = {"components", place, key};

	snprintf(place, sizeof(place), "[%zu]", index);
	return json_refuse(source, steps, key ? 3 : 2, "%s", why);
}

static int take_function(struct component_rule *rule, const struct json_source *source,
			 size_t index, const char *pattern)
{
	const char *refused = pattern_refuse(pattern);
	char reason[256];
	int code;

	if (refused)
		return refuse_entry(source, index, "function", refused);
	code = regcomp(&rule->function, pattern, REG_EXTENDED | REG_NOSUB);
	if (!code) {
		rule->has_function = true;
		return 0;
	}
	regerror(code, &rule->function, reason, sizeof(reason));
	return refuse_entry(source, index, "function", reason);
}

static int take_key(struct component_map *map, struct component_rule *rule,
		    const struct json_source *source, size_t index, const char *key,
		    const json_t *value)
{
	const struct {
		const char *key;
		const char **field;
	} fields[] = {
		{"component", &rule->component},
		{"module", &rule->module},
		{"source", &rule->source},
		{"namespace", &rule->name_space},
		{"function", NULL},
	};
	const char *text = json_string_value(value);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(key, fields[i].key) != 0)
			continue;
		if (!text)
			return refuse_entry(source, index, key, "is not a text");
		if (!*text)
			return refuse_entry(source, index, key, "is empty");
		if (!fields[i].field)
			return take_function(rule, source, index, text);
		*fields[i].field = arena_copy(&map->texts, text, strlen(text));
		return 0;
	}
	return refuse_entry(source, index, key,
			    "is not known; keys are component, module, source, "
			    "namespace, function");
}

static int take_entry(struct component_map *map, const struct json_source *source,
		      size_t index, json_t *entry)
{
	struct component_rule *rule;
	const char *key;
	json_t *value;
	int result;

	if (!json_is_object(entry))
		return refuse_entry(source, index, NULL, "is not an object");
	map->rules = xgrow(map->rules, map->count, &map->capacity, sizeof(*map->rules));
	rule = &map->rules[map->count++];
	*rule = (struct component_rule){.component = NULL};
	json_object_foreach(entry, key, value)
	{
		result = take_key(map, rule, source, index, key, value);
		if (result < 0)
			return result;
	}
	if (!rule->component)
		return refuse_entry(source, index, NULL, "has no component");
	if (!rule->module && !rule->source && !rule->name_space && !rule->has_function)
		return refuse_entry(source, index, NULL,
				    "fits everything: it has neither module nor source, "
				    "namespace or function");
	return 0;
}

static int take_root(struct component_map *map, const struct json_source *source,
		     json_t *root)
{
	static const char *const components[] = {"components"};
	json_t *list, *entry, *value;
	const char *key;
	size_t index;
	int result;

	if (!json_is_object(root))
		return json_refuse(source, NULL, 0, "is not an object");
	json_object_foreach(root, key, value)
	{
		if (strcmp(key, "components") != 0)
			return json_refuse(source, &key, 1,
					   "is not known; the only key is components");
	}
	list = json_object_get(root, "components");
	if (!list)
		return json_refuse(source, NULL, 0, "has no components");
	if (!json_is_array(list))
		return json_refuse(source, components, 1, "is not an array");
	json_array_foreach(list, index, entry)
	{
		result = take_entry(map, source, index, entry);
		if (result < 0)
			return result;
	}
	return 0;
}

int component_map_parse(struct component_map *map, const char *text, size_t size,
			const char *name, struct strbuf *error)
{
	struct json_source source = {text, size, name, error};
	json_error_t reason;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &reason);
	int result;

	if (!root) {
		strbuf_printf(error, "%s:%d: %s", name, reason.line > 0 ? reason.line : 1,
			      reason.text);
		return -EINVAL;
	}
	result = take_root(map, &source, root);
	json_decref(root);
	return result;
}

void component_map_free(struct component_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->rules[i].has_function)
			regfree(&map->rules[i].function);
	free(map->rules);
	arena_free(&map->texts);
	*map = (struct component_map){.count = 0};
}

/* Of the file's name; with a slash in the pattern, of the end of the path. */
static bool fits_path(const char *pattern, const char *path)
{
	if (!path)
		return false;
	if (!strchr(pattern, '/')) {
		const char *base = strrchr(path, '/');

		return fnmatch(pattern, base ? base + 1 : path, 0) == 0;
	}
	for (const char *at = path; at; at = strchr(at, '/')) {
		if (*at == '/' && fnmatch(pattern, at, 0) == 0)
			return true;
		if (*at == '/')
			at++;
		if (fnmatch(pattern, at, 0) == 0)
			return true;
	}
	return false;
}

/* "net" fits net::send() and void net::send<int>(), not internet::send() nor what returns
 * a net::packet. */
static bool fits_namespace(const char *name_space, const char *function)
{
	size_t length = strlen(name_space);
	struct cxx_name parts = cxx_name_parts(function);

	return (size_t)(parts.last - parts.name) >= length + 2 &&
	       strncmp(parts.name, name_space, length) == 0 &&
	       strncmp(parts.name + length, "::", 2) == 0;
}

const char *component_map_find(const struct component_map *map, const char *function,
			       const char *module, const char *source)
{
	for (size_t i = 0; i < map->count; i++) {
		struct component_rule *rule = &map->rules[i];

		if ((!rule->module || fits_path(rule->module, module)) &&
		    (!rule->source || fits_path(rule->source, source)) &&
		    (!rule->name_space || fits_namespace(rule->name_space, function)) &&
		    (!rule->has_function ||
		     regexec(&rule->function, function, 0, NULL, 0) == 0)) {
			rule->is_used = true;
			return rule->component;
		}
	}
	return NULL;
}

bool component_map_has_source(const struct component_map *map, const char *source)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->rules[i].source && fits_path(map->rules[i].source, source))
			return true;
	return false;
}

bool component_map_has_files(const struct component_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->rules[i].source)
			return true;
	return false;
}

bool component_map_has_names(const struct component_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->rules[i].name_space || map->rules[i].has_function ||
		    !map->rules[i].source)
			return true;
	return false;
}

size_t component_map_unused(const struct component_map *map, size_t from)
{
	while (from < map->count && map->rules[from].is_used)
		from++;
	return from;
}

const char *component_map_name(const struct component_map *map, size_t entry)
{
	return map->rules[entry].component;
}
