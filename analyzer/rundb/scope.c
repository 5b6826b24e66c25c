/* SPDX-License-Identifier: MIT */
/*
 * The public views of one connection limited to one run. Runs on: prof-analyze, main
 * thread, before the user's own query. Must not write to the file: what is made is the
 * connection's own.
 */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"

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

int rundb_limit_views(struct rundb *db, int64_t run_id)
{
	int result = sqlite3_exec(db->handle,
				  "PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF",
				  NULL, NULL, NULL);

	if (result == SQLITE_OK)
		result = shadow_all(db, run_id);
	sqlite3_exec(db->handle, "PRAGMA query_only = ON", NULL, NULL, NULL);
	return result == SQLITE_OK ? 0 : rundb_fail(db, result);
}
