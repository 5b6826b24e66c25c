/* SPDX-License-Identifier: MIT */
/*
 * Views of one connection that stand before those of the file: limited to one run, or
 * with inlined copies unfolded. Runs on: prof-analyze, main thread, before other queries.
 * Must not write to the file: what is made is the connection's own.
 */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"

#include <string.h>

#include "scope.sql.h"

/* A temporary view is found before the one of the file that it is named after. */
static int shadow(struct rundb *db, const char *name, int64_t run_id)
{
	char *sql = sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS "
				    "SELECT * FROM main.\"%w\" WHERE run_id = %lld",
				    name, name, (long long)run_id);
	int result = SQLITE_NOMEM;

	if (sql)
		result = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return result;
}

static int shadow_all(struct rundb *db, int64_t run_id)
{
	sqlite3_stmt *statement;
	int result =
		sqlite3_prepare_v2(db->handle, scope_sql_views, -1, &statement, NULL);

	if (result != SQLITE_OK)
		return result;
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);

		result = name ? shadow(db, name, run_id) : SQLITE_NOMEM;
		if (result != SQLITE_OK)
			break;
	}
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int begin(struct rundb *db)
{
	return sqlite3_exec(db->handle,
			    "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF", NULL,
			    NULL, NULL);
}

static int end(struct rundb *db, int result)
{
	sqlite3_exec(db->handle, "PRAGMA query_only = ON", NULL, NULL, NULL);
	return result == SQLITE_OK ? 0 : rundb_fail(db, result);
}

int rundb_limit_views(struct rundb *db, int64_t run_id)
{
	int result = begin(db);

	if (result == SQLITE_OK)
		result = shadow_all(db, run_id);
	return end(db, result);
}

int rundb_drop(struct rundb *db, const char *name)
{
	int result = begin(db);
	char *drop = sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"", name);

	if (result == SQLITE_OK)
		result = drop ? sqlite3_exec(db->handle, drop, NULL, NULL, NULL)
			      : SQLITE_NOMEM;
	sqlite3_free(drop);
	return end(db, result);
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
	int result = begin(db);
	char *change = sqlite3_mprintf(
		sql ? "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS %s"
		    : "DROP VIEW IF EXISTS temp.\"%w\"",
		name, name, sql);

	if (result == SQLITE_OK)
		result = change ? sqlite3_exec(db->handle, change, NULL, NULL, NULL)
				: SQLITE_NOMEM;
	sqlite3_free(change);
	return end(db, result);
}

/* Drops and makes the table; columns: as in CREATE TABLE. Ends with the first row that
 * next() does not bind. */
static int keep_rows(struct rundb *db, const char *name, const char *columns,
		     bool (*bind_next)(sqlite3_stmt *insert, void *rows), void *rows)
{
	int result = begin(db);
	sqlite3_stmt *statement = NULL;
	char *create = sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"; "
				       "CREATE TEMP TABLE \"%w\" (%s)",
				       name, name, columns);
	struct strbuf insert = {0};

	strbuf_printf(&insert, "INSERT INTO temp.\"%s\" VALUES (?", name);
	for (const char *at = columns; (at = strchr(at, ',')); at++)
		strbuf_puts(&insert, ", ?");
	strbuf_puts(&insert, ")");
	if (result == SQLITE_OK)
		result = create ? sqlite3_exec(db->handle, create, NULL, NULL, NULL)
				: SQLITE_NOMEM;
	if (result == SQLITE_OK)
		result = sqlite3_prepare_v2(db->handle, strbuf_text(&insert), -1,
					    &statement, NULL);
	while (result == SQLITE_OK && bind_next(statement, rows)) {
		sqlite3_step(statement);
		result = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	sqlite3_free(create);
	strbuf_free(&insert);
	return end(db, result);
}

struct sum_rows {
	const struct sums *sums;
	size_t next;
};

static bool bind_sum(sqlite3_stmt *insert, void *rows)
{
	struct sum_rows *all = rows;

	if (all->next == all->sums->count)
		return false;
	sqlite3_bind_int64(insert, 1, all->sums->all[all->next].key[0]);
	sqlite3_bind_int64(insert, 2, all->sums->all[all->next].value);
	all->next++;
	return true;
}

int rundb_keep_sums(struct rundb *db, const char *name, const char *key,
		    const char *value, const struct sums *sums)
{
	struct sum_rows rows = {sums, 0};
	struct strbuf columns = {0};
	int result;

	strbuf_printf(&columns, "\"%s\" INTEGER PRIMARY KEY, \"%s\" INTEGER", key, value);
	result = keep_rows(db, name, strbuf_text(&columns), bind_sum, &rows);
	strbuf_free(&columns);
	return result;
}

struct number_rows {
	const double *values;
	size_t left;
};

static bool bind_numbers(sqlite3_stmt *insert, void *rows)
{
	struct number_rows *all = rows;

	if (!all->left)
		return false;
	for (int i = 1; i <= sqlite3_bind_parameter_count(insert); i++)
		sqlite3_bind_double(insert, i, *all->values++);
	all->left--;
	return true;
}

int rundb_keep_numbers(struct rundb *db, const char *name, const char *columns,
		       const double *values, size_t row_count)
{
	struct number_rows rows = {values, row_count};

	return keep_rows(db, name, columns, bind_numbers, &rows);
}

/* The names are those of the schema, which was checked when the file was opened. */
static int shadow_hooked(struct rundb *db, const char *name)
{
	struct cursor *cursor = rundb_query(db, scope_sql_hooked);
	char *sql = NULL;
	int result = SQLITE_NOMEM;

	cursor_bind_text(cursor, ":table", name);
	if (cursor_next(cursor) > 0)
		sql = sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS \"%w\" AS "
				      "SELECT %s FROM main.\"%w\"",
				      name, cursor_text(cursor, "names"), name);
	cursor_close(cursor);
	if (sql)
		result = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return result;
}

int rundb_show_inlined(struct rundb *db)
{
	int result = begin(db);

	if (result == SQLITE_OK)
		result = shadow_hooked(db, "function");
	if (result == SQLITE_OK)
		result = shadow_hooked(db, "functions");
	return end(db, result);
}
