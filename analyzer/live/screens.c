/* SPDX-License-Identifier: MIT */
/* The screens, and the queries for their rows. */
#include "analyzer/live/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/units.h"
#include "analyzer/reports/engine/columns.h"
#include "common/base/xalloc.h"

#include "screens.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct screen screens[] = {
	{"function", "Functions", 'f', 0, screens_sql_functions,
	 screens_sql_functions_of_paths},
	{"path", "Call paths", 'p', 0, screens_sql_paths, NULL},
	{"thread", "Threads", 't', 2, screens_sql_threads, NULL},
	{"site", "Allocation sites", 'a', 0, screens_sql_sites, NULL},
	{"io", "Reading and writing", 'i', 2, screens_sql_io, NULL},
	{"step", "Steps and counters", 's', 0, screens_sql_steps, NULL},
};

const struct screen *const screen_registry = screens;
const size_t screen_registry_count = COUNT(screens);

const struct screen *screen_find(const char *name)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		if (strcmp(screens[i].name, name) == 0)
			return &screens[i];
	return NULL;
}

const struct screen *screen_of_key(int key)
{
	for (size_t i = 0; i < COUNT(screens); i++)
		if (screens[i].key == key)
			return &screens[i];
	return NULL;
}

static bool is_number(const struct column *column)
{
	switch (column->type) {
	case COLUMN_ANY:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_BYTES_CHANGE:
	case COLUMN_NSEC:
	case COLUMN_PERCENT:
	case COLUMN_ID:
		return true;
	default:
		return false;
	}
}

static size_t sort_of(const struct live *live)
{
	return live->sort >= 0 ? (size_t)live->sort : live->screen->sort;
}

void screen_sort_by_next(struct live *live, int direction)
{
	struct table *table = screen_table(live, 0, NULL);
	size_t count = table->column_count, at = sort_of(live);

	for (size_t i = 0; i < count; i++) {
		at = (at + count + (size_t)direction) % count;
		if (is_number(&table->columns[at]) &&
		    !(table->columns[at].flags & COLUMN_MACHINE))
			break;
	}
	live->sort = (int)at;
	table_free(table);
}

const struct column *screen_sorted_by(const struct live *live, const struct table *table)
{
	return &table->columns[sort_of(live)];
}

/* Equal rows keep their order, so that they do not jump about. */
static char *query_of(const struct live *live)
{
	const struct screen *screen = live->screen;
	bool is_of_paths = live->zoom || live->is_of_process;
	const char *sql =
		is_of_paths && screen->sql_of_paths ? screen->sql_of_paths : screen->sql;

	return xasprintf("SELECT * FROM (%s) ORDER BY %zu %s NULLS LAST LIMIT :most", sql,
			 sort_of(live) + 1, live->is_reversed ? "ASC" : "DESC");
}

static bool is_error(const struct column *column)
{
	size_t size = strlen(column->name), end = strlen("_error_ns");

	return size > end && strcmp(column->name + size - end, "_error_ns") == 0;
}

static struct cell number_cell(const struct column *column, double value)
{
	if (is_error(column))
		return value > 0 ? cell_integer(whole_number(sqrt(value)))
				 : (struct cell){.kind = CELL_NULL};
	if (column->type == COLUMN_ANY)
		return cell_real(round(value * 100) / 100);
	return column->type == COLUMN_PERCENT ? cell_real(value)
					      : cell_integer(whole_number(value));
}

static struct cell chain_cell(const struct live *live, uint32_t path, struct table *table)
{
	struct strbuf chain = {0};
	struct cell cell;

	live_chain(live, path, &chain);
	cell = table_text(table, path ? strbuf_text(&chain) : NULL);
	strbuf_free(&chain);
	return cell;
}

/* The value of a step is a time. */
static struct cell last_cell(struct table *table, size_t row, double value)
{
	struct strbuf text = {0};
	struct cell cell;

	if (strcmp(table_cell(table, row, "kind")->text, "step") == 0)
		units_nsec(&text, whole_number(value));
	else
		units_real(&text, value);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

static void finish_row(const struct live *live, struct table *table, size_t row,
		       uint32_t path)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		struct cell *cell = table_row(table, row) + i;

		if (column->type == COLUMN_CHAIN)
			*cell = chain_cell(live, path, table);
		else if (cell->kind == CELL_NULL)
			continue;
		else if (is_number(column))
			*cell = number_cell(column, cell_number(cell));
		else if (strcmp(column->name, "last") == 0)
			*cell = last_cell(table, row, cell_number(cell));
	}
}

struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths)
{
	static const struct report_options options;
	struct report_input input = {.db = live->db, .options = &options};
	char *sql = query_of(live);
	struct cursor *cursor = live_query(live, sql);
	uint32_t *paths = xcalloc(most + 1, sizeof(*paths));
	struct table *table;

	cursor_bind_integer(cursor, ":most", (int64_t)most);
	table = columns_read(&input, cursor);
	if (!table) /* out of memory: our own fault */
		abort();
	for (size_t i = 0; i < table->row_count; i++) {
		paths[i] = (uint32_t)cell_whole(table_cell(table, i, "zoom"));
		finish_row(live, table, i, paths[i]);
	}
	columns_drop_hidden(table);
	free(sql);
	if (ret_paths)
		*ret_paths = paths;
	else
		free(paths);
	return table;
}
