/* SPDX-License-Identifier: MIT */
/* The allocation sites of a run as a table. */
#pragma once

#include "analyzer/model/calltree.h"
#include "analyzer/reports/trust/facts.h"

/* Which site: the function that led to it, and its own place. */
/* clang-format off */
#define SITE_COLUMNS                                                                     \
	{"owner", "function", COLUMN_NAME, COLUMN_KEEP},                                 \
	{"where", "where", COLUMN_LOCATION, COLUMN_HUMAN},                               \
	{"name", NULL, COLUMN_NAME, COLUMN_MACHINE},                                     \
	{"file", NULL, COLUMN_LOCATION, COLUMN_MACHINE},                                 \
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},                                   \
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},                                    \
	{"site_id", NULL, COLUMN_ID, COLUMN_MACHINE}
/* clang-format on */

/* Flat, without their call paths, see sites_add_paths(). NULL on failure. */
struct table *sites_table(struct report_input *input, const struct run_facts *facts,
			  const struct calltree *tree, bool only_live);
/* With --thread: what a site's numbers mean then. */
void sites_thread_note(const struct report_input *input, struct doc *doc);
/* Fills the column path of the first rows. Done last: most tables are cut before. */
void sites_add_paths(struct table *table, const struct calltree *tree, size_t rows);
