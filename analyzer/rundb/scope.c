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

/* Runs statements without rows; %w is a name. Returns SQLite's code. */
static int run(struct rundb *db, const char *format, ...)
{
	va_list values;
	char *sql;
	int result;

	va_start(values, format);
	sql = sqlite3_vmprintf(format, values);
	va_end(values);
	result = sql ? sqlite3_exec(db->handle, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return result;
}

/* SQLite finds a temporary view before the one of the file with the same name. */
static int shadow_all(struct rundb *db, int64_t run_id)
{
	sqlite3_stmt *statement;
	int result =
		sqlite3_prepare_v2(db->handle, scope_sql_views, -1, &statement, NULL);

	if (result != SQLITE_OK)
		return result;
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);

		result = name ? run(db,
				    "CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS "
				    "SELECT * FROM main.\"%w\" WHERE run_id = %lld",
				    name, name, (long long)run_id)
			      : SQLITE_NOMEM;
		if (result != SQLITE_OK)
			break;
	}
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int begin(struct rundb *db)
{
	return run(db, "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF");
}

static int end(struct rundb *db, int result)
{
	run(db, "PRAGMA query_only = ON");
	return result == SQLITE_OK ? 0 : rundb_fail(db, result);
}

int rundb_limit_views(struct rundb *db, int64_t run_id)
{
	return end(db, begin(db) ?: shadow_all(db, run_id));
}

int rundb_drop(struct rundb *db, const char *name)
{
	return end(db, begin(db) ?: run(db, "DROP TABLE IF EXISTS temp.\"%w\"", name));
}

int rundb_keep_bound(struct rundb *db, const char *name, const char *sql,
		     void (*bind)(void *context, struct cursor *cursor), void *context)
{
	char *create = sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql);
	int result = rundb_drop(db, name);
	struct cursor *cursor;

	if (result == 0 && !create)
		result = rundb_fail(db, SQLITE_NOMEM);
	if (result == 0) {
		begin(db);
		cursor = rundb_query(db, create);
		bind(context, cursor);
		cursor_next(cursor);
		result = cursor_finish(cursor);
		end(db, SQLITE_OK);
	}
	sqlite3_free(create);
	return result;
}

static void bind_run(void *context, struct cursor *cursor)
{
	cursor_bind_integer(cursor, ":run", *(int64_t *)context);
}

int rundb_keep(struct rundb *db, const char *name, const char *sql, int64_t run_id)
{
	return rundb_keep_bound(db, name, sql, bind_run, &run_id);
}

int rundb_view(struct rundb *db, const char *name, const char *sql)
{
	int result = begin(db) ?: run(db, "DROP VIEW IF EXISTS temp.\"%w\"", name);

	if (result == SQLITE_OK && sql)
		result = run(db, "CREATE TEMP VIEW \"%w\" AS %s", name, sql);
	return end(db, result);
}

/* Makes an empty table in place of an earlier one; columns: as in CREATE TABLE. */
static int make_table(struct rundb *db, const char *name, const char *columns)
{
	return end(db, begin(db)
			       ?: run(db,
				      "DROP TABLE IF EXISTS temp.\"%w\"; "
				      "CREATE TEMP TABLE \"%w\" (%s)",
				      name, name, columns));
}

int rundb_keep_sums(struct rundb *db, const char *name, const char *key,
		    const char *value, const struct sums *sums)
{
	struct strbuf columns = {0};
	struct rundb_insert *insert;
	int result;

	strbuf_printf(&columns, "\"%s\" INTEGER PRIMARY KEY, \"%s\" INTEGER", key, value);
	result = make_table(db, name, strbuf_text(&columns));
	strbuf_free(&columns);
	if (result < 0)
		return result;
	insert = rundb_insert_begin(db, name, 2);
	for (size_t i = 0; i < sums->count; i++)
		rundb_insert_row(insert,
				 (struct cell[]){cell_integer(sums->all[i].key[0]),
						 cell_integer(sums->all[i].value)});
	return rundb_insert_end(insert);
}

int rundb_keep_numbers(struct rundb *db, const char *name, const char *columns,
		       const double *values, size_t row_count)
{
	int result = make_table(db, name, columns), count = 1;
	struct rundb_insert *insert;
	auto_free struct cell *cells = NULL;

	if (result < 0)
		return result;
	for (const char *at = columns; (at = strchr(at, ',')); at++)
		count++;
	cells = xcalloc((size_t)count, sizeof(*cells));
	insert = rundb_insert_begin(db, name, count);
	for (; row_count--; values += count) {
		for (int i = 0; i < count; i++)
			cells[i] = cell_real(values[i]);
		rundb_insert_row(insert, cells);
	}
	return rundb_insert_end(insert);
}

/* Column names come from the schema, which was checked when the file was opened. */
static int shadow_hooked(struct rundb *db, const char *name)
{
	struct cursor *cursor = rundb_query(db, scope_sql_hooked);
	int result = SQLITE_NOMEM;

	cursor_bind_text(cursor, ":table", name);
	if (cursor_next(cursor) > 0)
		result = run(db,
			     "CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS "
			     "SELECT %s FROM main.\"%w\"",
			     name, cursor_text(cursor, "names"), name);
	cursor_close(cursor);
	return result;
}

int rundb_show_inlined(struct rundb *db)
{
	int result = begin(db) ?: shadow_hooked(db, "function");

	return end(db, result ?: shadow_hooked(db, "functions"));
}
