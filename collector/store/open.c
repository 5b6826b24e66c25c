/* SPDX-License-Identifier: MIT */
/*
 * Opening a run.db that is there, for writing: is it ours?. Must not change a file that
 * is not ours, or run what stands in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "common/schema.h"
#include "collector/database/guard.h"
#include "collector/database/held.h"
#include "collector/store/ids.h"

#include "store.sql.h"

/* The first column of the first row; 0 when there is none. */
static int query_int(struct sqlite3 *db, const char *sql, int64_t *ret)
{
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

	*ret = 0;
	if (code != SQLITE_OK)
		return code;
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*ret = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int execute(struct sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int judge_identity(int64_t application, int64_t version, const char *path,
			  char *error, size_t error_size)
{
	if (application != RUNDB_APPLICATION_ID) {
		snprintf(error, error_size,
			 "%s is another program's database; name another output "
			 "(-o, PROFSHIM_OUTPUT)",
			 path);
		return -EINVAL;
	}
	if (version != RUNDB_SCHEMA_VERSION) {
		snprintf(error, error_size,
			 "%s was written by %s version of profshim (format %" PRId64
			 ", this one writes %d); name another output (-o, "
			 "PROFSHIM_OUTPUT)",
			 path, version > RUNDB_SCHEMA_VERSION ? "a newer" : "an older",
			 version, RUNDB_SCHEMA_VERSION);
		return -EINVAL;
	}
	return 0;
}

/* Is the schema ours? */
static int check_schema(struct store *store, char *error, size_t error_size)
{
	char reason[256];
	int is_valid, code = guard_schema(store->db, GUARD_WRITE, &is_valid, reason,
					  sizeof(reason));

	if (code != SQLITE_OK)
		return store_fail(store, code, error, error_size);
	if (is_valid)
		return 0;
	snprintf(error, error_size,
		 "%s %s; nothing is written into it: name another output "
		 "(-o, PROFSHIM_OUTPUT)",
		 store->shown, reason);
	return -EINVAL;
}

/* What kind of file is it? *ret_blank: no tables, nobody's. 0 or -errno. */
static int check_identity(struct store *store, int *ret_blank, char *error,
			  size_t error_size)
{
	int64_t application = 0, version = 0, tables = 0;
	int result = 0, code = execute(store->db, "BEGIN"); /* all of one moment */

	if (code == SQLITE_OK)
		code = query_int(store->db, "PRAGMA application_id", &application);
	if (code == SQLITE_OK)
		code = query_int(store->db, "PRAGMA user_version", &version);
	if (code == SQLITE_OK)
		code = query_int(store->db, store_sql_table_count, &tables);
	if (code != SQLITE_OK)
		return store_fail(store, code, error, error_size);
	*ret_blank = application == 0 && version == 0 && tables == 0;
	if (!*ret_blank) {
		result = judge_identity(application, version, store->shown, error,
					error_size);
		if (result == 0)
			result = check_schema(store, error, error_size);
	}
	execute(store->db, "COMMIT");
	return result;
}

/* Makes the tables, unless another collector was quicker. */
static int fill_blank(struct sqlite3 *db)
{
	int64_t tables;
	int code = execute(db, "BEGIN IMMEDIATE");

	if (code != SQLITE_OK)
		return code;
	code = query_int(db, store_sql_table_count, &tables);
	if (code == SQLITE_OK && tables == 0)
		code = guard_create_schema(db);
	if (code == SQLITE_OK)
		code = execute(db, "COMMIT");
	if (code != SQLITE_OK)
		execute(db, "ROLLBACK");
	return code;
}

static int prepare(struct store *store, char *error, size_t error_size)
{
	struct sqlite3 *db = store->db;
	int is_blank = 0, result, code;

	guard_connection(db, GUARD_WRITE);
	sqlite3_busy_handler(db, store_busy, store);
	result = check_identity(store, &is_blank, error, error_size);
	if (result < 0)
		return result;
	if (sqlite3_db_readonly(db, "main") == 1) {
		snprintf(error, error_size, "%s is not writable", store->shown);
		return -EACCES;
	}
	/* one file afterwards, even when somebody has switched it to WAL */
	code = execute(db, "PRAGMA journal_mode = DELETE");
	/* A power cut must not harm the runs that are there. */
	if (code == SQLITE_OK)
		code = execute(db, "PRAGMA synchronous = FULL;"
				   "PRAGMA cache_size = -32000;"
				   "PRAGMA temp_store = MEMORY");
	if (code == SQLITE_OK && is_blank)
		code = fill_blank(db);
	return code == SQLITE_OK ? 0 : store_fail(store, code, error, error_size);
}

int store_open_existing(struct store *store, const struct held_file *file, char *error,
			size_t error_size)
{
	int code = held_connect(file, NULL, SQLITE_OPEN_READWRITE, &store->db);

	if (code != SQLITE_OK)
		return store_fail(store, code, error, error_size);
	return prepare(store, error, error_size);
}
