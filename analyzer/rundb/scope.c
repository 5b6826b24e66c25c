/* SPDX-License-Identifier: MIT */
/*
 * Views of one connection that hide those of the file: limited to one run, or with
 * inlined copies unfolded. Runs on: prof-analyze, main thread, before other queries.
 * Must not write to the file: the views are temporary.
 */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"

#include "common/base/xalloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scope.sql.h"

/* Runs statements without rows; %w is a name. */
static void run(struct rundb *db, const char *format, ...)
{
	va_list values;
	char *sql;
	int result;

	va_start(values, format);
	sql = sqlite3_vmprintf(format, values);
	va_end(values);
	result = sql ? sqlite3_exec(db->handle, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (result != SQLITE_OK)
		rundb_end(db, result);
}

static void begin(struct rundb *db)
{
	run(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF");
}

static void end(struct rundb *db)
{
	run(db, "PRAGMA query_only = ON");
}

/* SQLite finds a temporary view before the one of the file with the same name. */
void rundb_limit_views(struct rundb *db, int64_t run_id)
{
	auto_cursor struct cursor *cursor = rundb_query(db, scope_sql_views);

	begin(db);
	while (cursor_next(cursor)) {
		const char *name = cursor_text(cursor, "name");

		run(db,
		    "CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS "
		    "SELECT * FROM main.\"%w\" WHERE run_id = %lld",
		    name, name, (long long)run_id);
	}
	end(db);
}

void rundb_drop(struct rundb *db, const char *name)
{
	begin(db);
	run(db, "DROP TABLE IF EXISTS temp.\"%w\"", name);
	end(db);
}

int rundb_keep_bound(struct rundb *db, const char *name, const char *sql,
		     void (*bind)(void *context, struct cursor *cursor), void *context)
{
	char *create = sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql);
	struct cursor *cursor;

	if (!create)
		rundb_end(db, SQLITE_NOMEM);
	rundb_drop(db, name);
	begin(db);
	cursor = rundb_query(db, create);
	bind(context, cursor);
	cursor_next(cursor);
	cursor_close(cursor);
	end(db);
	sqlite3_free(create);
	return 0;
}

static void bind_run(void *context, struct cursor *cursor)
{
	cursor_bind_integer(cursor, ":run", *(int64_t *)context);
}

void rundb_keep(struct rundb *db, const char *name, const char *sql, int64_t run_id)
{
	rundb_keep_bound(db, name, sql, bind_run, &run_id);
}

int rundb_view(struct rundb *db, const char *name, const char *sql)
{
	begin(db);
	run(db, "DROP VIEW IF EXISTS temp.\"%w\"", name);
	if (sql)
		run(db, "CREATE TEMP VIEW \"%w\" AS %s", name, sql);
	end(db);
	return 0;
}

/* Makes an empty table in place of an earlier one; columns: as in CREATE TABLE. */
static struct rundb_insert *make_table(struct rundb *db, const char *name,
				       const char *columns)
{
	begin(db);
	run(db, "DROP TABLE IF EXISTS temp.\"%w\"; CREATE TEMP TABLE \"%w\" (%s)", name,
	    name, columns);
	end(db);
	return rundb_insert_begin(db, name);
}

int rundb_keep_sums(struct rundb *db, const char *name, const char *key,
		    const char *value, const struct sums *sums)
{
	auto_free char *columns =
		xasprintf("\"%s\" INTEGER PRIMARY KEY, \"%s\" INTEGER", key, value);
	struct rundb_insert *insert = make_table(db, name, columns);

	for (size_t i = 0; i < sums->count; i++)
		rundb_insert_row(insert,
				 (struct cell[]){cell_integer(sums->all[i].key[0]),
						 cell_integer(sums->all[i].value)});
	rundb_insert_end(insert);
	return 0;
}

int rundb_keep_numbers(struct rundb *db, const char *name, const char *columns,
		       const double *values, size_t row_count)
{
	struct rundb_insert *insert = make_table(db, name, columns);
	auto_free struct cell *cells = NULL;
	int count = 1;

	for (const char *at = columns; (at = strchr(at, ',')); at++)
		count++;
	cells = xcalloc((size_t)count, sizeof(*cells));
	for (; row_count--; values += count) {
		for (int i = 0; i < count; i++)
			cells[i] = cell_real(values[i]);
		rundb_insert_row(insert, cells);
	}
	rundb_insert_end(insert);
	return 0;
}

/* Column names come from the schema, which was checked when the file was opened. */
static void shadow_hooked(struct rundb *db, const char *name)
{
	auto_cursor struct cursor *cursor = rundb_query(db, scope_sql_hooked);

	cursor_bind_text(cursor, ":table", name);
	if (cursor_next(cursor))
		run(db,
		    "CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS SELECT %s FROM main.\"%w\"",
		    name, cursor_text(cursor, "names"), name);
}

void rundb_show_inlined(struct rundb *db)
{
	begin(db);
	shadow_hooked(db, "function");
	shadow_hooked(db, "functions");
	end(db);
}

struct rundb_insert *rundb_fill(struct rundb *db, const char *table, const char *sql)
{
	rundb_keep(db, table, sql, 0);
	return rundb_insert_begin(db, table);
}
