/* SPDX-License-Identifier: MIT */
/* What the reports that know components share. */
#pragma once

#include "common/json/component_map.h"
#include "analyzer/model/components.h"
#include "analyzer/reports/report.h"

/* Reads --map FILE; without it the map has no entries. */
enum exit_status components_load_map(struct report_input *input,
				     struct component_map *map);
/* By --map, or for a region by the program: one for each function of the tree, with texts
 * in the tree's memory. Owned by caller, NULL on failure. */
struct components_function *components_describe(struct report_input *input,
						struct calltree *tree,
						const struct component_map *map);

/* Adds a small table of components to another report; nothing when neither a map nor a
 * region names any. */
enum exit_status components_add_brief(struct report_input *input, struct doc *doc,
				      struct calltree *tree, size_t limit);
