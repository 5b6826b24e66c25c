/* SPDX-License-Identifier: MIT */
/*
 * The contract of a screen: a query whose columns are named as a report's, of which only
 * the rows that are shown are made into a table. To add one: an entry in screens.c, a
 * query in screens.sql.
 */
#pragma once

#include "analyzer/live/live.h"
#include "analyzer/model/table.h"

struct screen {
	const char *name;  /* of --view, and of its rows in the log */
	const char *title; /* what its rows are */
	char key;
	size_t sort; /* the column by which it is sorted unless told otherwise */
	/* A COLUMN_CHAIN is of the path "zoom", into which Enter goes. */
	const char *sql;
	const char *sql_of_paths; /* of one process, and below a path; NULL: the same */
};

extern const struct screen *const screen_registry;
extern const size_t screen_registry_count;

const struct screen *screen_find(const char *name);
const struct screen *screen_of_key(int key);

/* The rows of live's screen, best first, at most `most`. *ret_paths: into which paths
 * they are zoomed, 0: none; owned by the caller (free); ret_paths may be NULL. */
struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths);
/* The column by which it is sorted now, in a table of this screen. */
const struct column *screen_sorted_by(const struct live *live, const struct table *table);
/* The next (1) or last (-1) column of numbers to sort by. */
void screen_sort_by_next(struct live *live, int direction);
