/* SPDX-License-Identifier: MIT */
/* The screens, and the choice of their rows. */
#include "analyzer/live/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/units.h"
#include "common/base/xalloc.h"

#include "screens.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
#define RATE_COLUMNS                                                                     \
	{"self_cpu_per_s_ns", "CPU/s", COLUMN_NSEC, COLUMN_KEEP},                         \
	{"self_cpu_per_s_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},                   \
	{"calls_per_s", "calls/s", COLUMN_COUNT, 0},                                      \
	{"mean_ns", "mean", COLUMN_NSEC, 0},                                              \
	{"mean_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},                             \
	{"max_ns", "max", COLUMN_NSEC, 0},                                                \
	{"total_per_s_ns", "total/s", COLUMN_NSEC, 0},                                    \
	{"self_ready_per_s_ns", "ready/s", COLUMN_NSEC, 0},                               \
	{"self_blocked_per_s_ns", "blocked/s", COLUMN_NSEC, 0},                           \
	{"allocs_per_s", "allocs/s", COLUMN_COUNT, 0},                                    \
	{"recording", "recorded", COLUMN_TEXT, 0}
/* clang-format on */

static const struct column function_columns[] = {
	RATE_COLUMNS,
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
};
static const struct column path_columns[] = {
	RATE_COLUMNS,
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};
static const struct column thread_columns[] = {
	{"pid", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"tid", "tid", COLUMN_ID, COLUMN_KEEP},
	{"cpu_percent", "computing", COLUMN_PERCENT, COLUMN_KEEP},
	{"ready_percent", "ready", COLUMN_PERCENT, 0},
	{"blocked_percent", "blocked", COLUMN_PERCENT, 0},
	{"name", "thread", COLUMN_TEXT, 0},
	{"in", "is in", COLUMN_CHAIN, COLUMN_KEEP},
};
static const struct column site_columns[] = {
	{"bytes_per_s", "bytes/s", COLUMN_BYTES, COLUMN_KEEP},
	{"allocs_per_s", "allocs/s", COLUMN_COUNT, 0},
	{"growth_bytes", "growth", COLUMN_BYTES_CHANGE, 0},
	{"live_bytes", "live", COLUMN_BYTES, COLUMN_KEEP},
	{"live_count", "blocks", COLUMN_COUNT, 0},
	{"file", "line", COLUMN_LOCATION, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};
static const struct column io_columns[] = {
	{"read_bytes_per_s", "read/s", COLUMN_BYTES, COLUMN_KEEP},
	{"written_bytes_per_s", "written/s", COLUMN_BYTES, COLUMN_KEEP},
	{"calls_per_s", "calls/s", COLUMN_COUNT, 0},
	{"total_per_s_ns", "time/s", COLUMN_NSEC, 0},
	{"target", "what", COLUMN_FILE, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_KEEP},
};
static const struct column step_columns[] = {
	{"marks_per_s", "marks/s", COLUMN_ANY, COLUMN_KEEP},
	{"mean_ns", "mean", COLUMN_NSEC, 0},
	{"last", "last", COLUMN_TEXT, 0},
	{"kind", "kind", COLUMN_TEXT, 0},
	{"name", "name", COLUMN_TEXT, COLUMN_KEEP},
};

static const struct screen functions = {"function",
					"Functions",
					'f',
					function_columns,
					COUNT(function_columns),
					0,
					screens_sql_functions,
					screens_sql_functions_of_paths};
static const struct screen paths = {
	"path", "Call paths",	   'p', path_columns, COUNT(path_columns),
	0,	screens_sql_paths, NULL};
static const struct screen threads = {
	"thread", "Threads",	       't', thread_columns, COUNT(thread_columns),
	2,	  screens_sql_threads, NULL};
static const struct screen sites = {
	"site", "Allocation sites", 'a', site_columns, COUNT(site_columns),
	0,	screens_sql_sites,  NULL};
static const struct screen io = {
	"io", "Reading and writing", 'i', io_columns, COUNT(io_columns),
	2,    screens_sql_io,	     NULL};
static const struct screen steps = {
	"step", "Steps and counters", 's', step_columns, COUNT(step_columns),
	0,	screens_sql_steps,    NULL};

const struct screen *const screen_registry[] = {&functions, &paths, &threads,
						&sites,	    &io,    &steps};
const size_t screen_registry_count = COUNT(screen_registry);

const struct screen *screen_find(const char *name)
{
	for (size_t i = 0; i < screen_registry_count; i++)
		if (strcmp(screen_registry[i]->name, name) == 0)
			return screen_registry[i];
	return NULL;
}

const struct screen *screen_of_key(int key)
{
	for (size_t i = 0; i < screen_registry_count; i++)
		if (screen_registry[i]->key == key)
			return screen_registry[i];
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

size_t screen_sort(const struct live *live)
{
	return live->sort >= 0 ? (size_t)live->sort : live->screen->sort;
}

void screen_sort_by_next(struct live *live, int direction)
{
	size_t count = live->screen->column_count, at = screen_sort(live);

	for (size_t i = 0; i < count; i++) {
		at = (at + count + (size_t)direction) % count;
		if (is_number(&live->screen->columns[at]) &&
		    !(live->screen->columns[at].flags & COLUMN_MACHINE))
			break;
	}
	live->sort = (int)at;
}

/* Equal rows stay as they came, so that they do not jump about. */
static char *query_of(const struct live *live)
{
	const struct screen *screen = live->screen;
	bool is_of_paths = live->zoom || live->is_of_process;
	const char *sql =
		is_of_paths && screen->sql_of_paths ? screen->sql_of_paths : screen->sql;
	size_t size = strlen(sql);

	while (size && strchr("; \n", sql[size - 1]))
		size--;
	return xasprintf("SELECT * FROM (%.*s) ORDER BY "
			 "\"%s\" %s NULLS LAST LIMIT :most",
			 (int)size, sql, screen->columns[screen_sort(live)].name,
			 live->is_reversed ? "ASC" : "DESC");
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

/* Of a step it is a time. */
static struct cell last_cell(struct cursor *cursor, int at, struct table *table)
{
	const char *kind = cursor_text(cursor, "kind");
	struct strbuf text = {0};
	struct cell cell;

	if (kind && strcmp(kind, "step") == 0)
		units_nsec(&text, whole_number(cursor_real_at(cursor, at)));
	else
		units_real(&text, cursor_real_at(cursor, at));
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
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

static void put_row(const struct live *live, struct cursor *cursor, struct table *table,
		    uint32_t path)
{
	const struct screen *screen = live->screen;
	struct cell *cells = table_add_row(table);

	for (size_t i = 0; i < screen->column_count; i++) {
		const struct column *column = &screen->columns[i];
		int at = cursor_find(cursor, column->name, strlen(column->name));

		if (column->type == COLUMN_CHAIN) {
			cells[i] = chain_cell(live, path, table);
			continue;
		}
		cells[i] = cursor_cell(cursor, at, table);
		if (cells[i].kind == CELL_NULL)
			continue;
		if (is_number(column))
			cells[i] = number_cell(column, cursor_real_at(cursor, at));
		else if (strcmp(column->name, "last") == 0)
			cells[i] = last_cell(cursor, at, table);
		else if (column->type == COLUMN_LOCATION)
			cells[i].line = (uint32_t)cursor_integer(cursor, "line");
	}
}

struct table *screen_table(const struct live *live, size_t most, uint32_t **ret_paths)
{
	struct table *table =
		table_new(live->screen->columns, live->screen->column_count);
	char *sql = query_of(live);
	struct cursor *cursor = live_query(live, sql);

	*ret_paths = xcalloc(most + 1, sizeof(**ret_paths));
	cursor_bind_integer(cursor, ":most", (int64_t)most);
	while (cursor_next(cursor) > 0) {
		uint32_t path = (uint32_t)cursor_integer(cursor, "zoom");

		(*ret_paths)[table->row_count] = path;
		put_row(live, cursor, table, path);
	}
	cursor_close(cursor);
	free(sql);
	return table;
}
