/* SPDX-License-Identifier: MIT */
/*
 * Which component a function belongs to, from JSON. Must not read files or print.
 *
 *     {"components": [
 *         {"component": "json", "source": "src/json*"},
 *         {"component": "net", "namespace": "acme::net"},
 *         {"component": "codec", "module": "libavcodec.so*"},
 *         {"component": "hash", "function": "^(sha|md)[0-9]+_"}]}
 *
 * Of the entries the first one that fits counts, and all that an entry names must fit.
 * module and source are shell patterns ('*' goes over slashes): of the file's name, or
 * with a slash in them of the end of its path. namespace is what the function's own name
 * starts with, before "::", function a POSIX extended regular expression that is searched
 * in the demangled name.
 */
#pragma once

#include "common/base/arena.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct component_rule;

/* Zeroed: a map without entries. */
struct component_map {
	struct component_rule *rules;
	size_t count, capacity;
	struct arena texts;
};

/* Adds the entries of a text; name: of the file. The error names file, line and key. 0 or
 * -EINVAL. */
int component_map_parse(struct component_map *map, const char *text, size_t size,
			const char *name, struct strbuf *error);
void component_map_free(struct component_map *map);

/* The component of a function, borrowed from the map; NULL: no entry fits. module and
 * source may be NULL. The entry counts as used from then on. */
const char *component_map_find(const struct component_map *map, const char *function,
			       const char *module, const char *source);

/* Whether an entry's source fits the file; whether entries look at files, and at
 * functions whatever their file is. */
bool component_map_has_source(const struct component_map *map, const char *source);
bool component_map_has_files(const struct component_map *map);
bool component_map_has_names(const struct component_map *map);

/* The first entry from this one on that is not used; count: there is none. */
size_t component_map_unused(const struct component_map *map, size_t from);
/* Borrowed from the map. */
const char *component_map_name(const struct component_map *map, size_t entry);
