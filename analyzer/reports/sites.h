/* SPDX-License-Identifier: MIT */
/* Where allocation sites are, and who led to them. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/reports/trust/facts.h"

/* Which site: the function that led to it, and its own place. */
/* clang-format off */
#define SITE_COLUMNS                                                                     \
	{"owner", "function", COLUMN_NAME, COLUMN_KEEP},                                 \
	{"where", "where", COLUMN_LOCATION, COLUMN_HUMAN | COLUMN_KEEP},                 \
	{"name", NULL, COLUMN_NAME, COLUMN_MACHINE},                                     \
	{"file", NULL, COLUMN_LOCATION, COLUMN_MACHINE},                                 \
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},                                   \
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},                                    \
	{"site_id", NULL, COLUMN_ID, COLUMN_MACHINE},                                    \
	{"line_of", NULL, COLUMN_TEXT, COLUMN_MACHINE}
/* clang-format on */

/* Where a site is: the line of the innermost code that is not a library's, else the
 * definition of the function that led to it. */
struct site_place {
	const char *file; /* NULL: neither is known */
	uint32_t line;
	bool is_definition;
};

/* file, line: as the site has them; NULL: it has none. node: of its path. */
struct site_place site_place_of(const struct calltree *tree, uint32_t node,
				const char *file, uint32_t line);
/* As a cell of a column of locations, and of the column line_of. */
struct cell site_cell(struct table *table, struct site_place place);
struct cell site_line_of(struct site_place place);

/* The call path of a site: for people as far as the first library's function behind the
 * owner, and how many there are behind that. */
struct cell site_chain(struct table *table, const struct calltree *tree, uint32_t node,
		       bool for_people);
