/* SPDX-License-Identifier: MIT */
/*
 * The contract of a screen: columns, and rows that can be asked for one number or be put
 * into a table. So thousands of rows are ranked by one number each, and only those that
 * are shown are made.
 *
 * To add one: a file, a line in screens.c and in meson.build.
 */
#pragma once

#include "analyzer/live/live.h"
#include "analyzer/model/table.h"

struct screen {
	const char *name;  /* of --view, and of its rows in the log */
	const char *title; /* what its rows are */
	char key;
	bool has_rates; /* it asks for what rates_find() finds, not for rates_begin()
			   alone */
	const struct column *columns;
	size_t column_count;
	int sort; /* the column by which it is sorted unless told otherwise */
	size_t (*count)(const struct live *live);
	/* Has the row something to tell, and does the filter let it through? */
	bool (*is_shown)(const struct live *live, uint32_t row);
	/* A number column's value; NAN: not known. */
	double (*number)(const struct live *live, uint32_t row, size_t column);
	/* Sets the cells of text columns. */
	void (*put_texts)(const struct live *live, uint32_t row, struct table *table,
			  struct cell *cells);
	/* The path that Enter zooms into, or 0. */
	uint32_t (*path)(const struct live *live, uint32_t row);
};

extern const struct screen *const screen_registry[];
extern const size_t screen_registry_count;

const struct screen *screen_find(const char *name);
const struct screen *screen_of_key(int key);

/* The rows of live's screen, best first, at most `most`. *ret_rows: which ones, owned by
 * the caller (free); *ret_total: how many there were to choose from. */
struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_rows,
			   size_t *ret_total);
/* live_update(), with what the screen that is shown asks for. */
void screen_update(struct live *live);
/* The column it is sorted by now. */
size_t screen_sort(const struct live *live);
/* The next (1) or last (-1) column of numbers to sort by. */
void screen_sort_by_next(struct live *live, int direction);
