/* SPDX-License-Identifier: MIT */
/*
 * What this is:  opening run.db, its schema, its transactions and its error messages.
 * Runs on:       one thread at a time; several processes may write one file in turn.
 * Must not:      touch a file that is not ours.
 * See also:      shim/collector/store.h; store_run.c and store_tree.c, the rows
 */
#include "shim/collector/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/schema.h"
#include "shim/collector/store_ids.h"

#include "schema.sql.h"
#include "store.sql.h"

#define BUSY_TIMEOUT_MS 30000

/* Turns SQLite's last error into -errno and a sentence. */
static int fail(struct sqlite3 *db, int code, char *error, size_t error_size)
{
	const char *path = sqlite3_db_filename(db, "main");

	path = path && *path ? path : "the database in memory";
	switch (code & 0xff) {
	case SQLITE_NOTADB:
		snprintf(error, error_size,
			 "%s is not an SQLite database; move it away or set "
			 "PROFSHIM_OUTPUT "
			 "to another file",
			 path);
		return -EINVAL;
	case SQLITE_CORRUPT:
		snprintf(error, error_size, "%s is damaged; move it away", path);
		return -EINVAL;
	case SQLITE_FULL:
		snprintf(error, error_size, "no space left on the disk of %s", path);
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		snprintf(error, error_size,
			 "%s has been locked by another program for %d s", path,
			 BUSY_TIMEOUT_MS / 1000);
		return -EBUSY;
	case SQLITE_NOMEM:
		snprintf(error, error_size, "out of memory while writing %s", path);
		return -ENOMEM;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		snprintf(error, error_size,
			 "cannot write %s: %s; is its directory writable?", path,
			 sqlite3_errmsg(db));
		return -EACCES;
	default:
		snprintf(error, error_size, "cannot write %s: %s", path,
			 sqlite3_errmsg(db));
		return -EIO;
	}
}

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

/* What kind of file is it? *ret_blank: no tables, nobody's. 0 or -errno. */
static int check_identity(struct sqlite3 *db, const char *path, int *ret_blank,
			  char *error, size_t error_size)
{
	int64_t application = 0, version = 0, tables = 0;
	int code = execute(db, "BEGIN"); /* all three of one moment */

	if (code == SQLITE_OK)
		code = query_int(db, "PRAGMA application_id", &application);
	if (code == SQLITE_OK)
		code = query_int(db, "PRAGMA user_version", &version);
	if (code == SQLITE_OK)
		code = query_int(db, store_sql_table_count, &tables);
	if (code != SQLITE_OK)
		return fail(db, code, error, error_size);
	execute(db, "COMMIT");
	*ret_blank = application == 0 && version == 0 && tables == 0;
	if (*ret_blank)
		return 0;
	if (application != RUNDB_APPLICATION_ID) {
		snprintf(error, error_size,
			 "%s is another program's database; set PROFSHIM_OUTPUT to "
			 "another "
			 "file",
			 path);
		return -EINVAL;
	}
	if (version != RUNDB_SCHEMA_VERSION) {
		snprintf(error, error_size,
			 "%s was written by %s version of profshim (format %" PRId64
			 ", this one writes %d); set PROFSHIM_OUTPUT to another file",
			 path, version > RUNDB_SCHEMA_VERSION ? "a newer" : "an older",
			 version, RUNDB_SCHEMA_VERSION);
		return -EINVAL;
	}
	return 0;
}

/* Makes the tables, unless another collector was quicker. */
static int create_schema(struct sqlite3 *db)
{
	char identity[128];
	int64_t tables;
	int code = execute(db, "BEGIN IMMEDIATE");

	if (code != SQLITE_OK)
		return code;
	code = query_int(db, store_sql_table_count, &tables);
	if (code == SQLITE_OK && tables == 0) {
		snprintf(identity, sizeof(identity),
			 "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 RUNDB_APPLICATION_ID, RUNDB_SCHEMA_VERSION);
		code = execute(db, identity);
		if (code == SQLITE_OK)
			code = execute(db, schema_sql);
	}
	if (code == SQLITE_OK)
		code = execute(db, "COMMIT");
	if (code != SQLITE_OK)
		execute(db, "ROLLBACK");
	return code;
}

/* A file without a run has nothing to lose in a power failure: its spool is still there
 * when it comes to nothing. Later runs must not endanger earlier ones. */
static int set_up(struct sqlite3 *db)
{
	int64_t runs;
	int code = query_int(db, store_sql_run_count, &runs);

	if (code == SQLITE_OK)
		code = execute(db, runs ? "PRAGMA synchronous = NORMAL"
					: "PRAGMA synchronous = OFF");
	if (code == SQLITE_OK)
		code = execute(db, "PRAGMA cache_size = -16000");
	return code;
}

static int prepare(struct sqlite3 *db, const char *path, int is_new, char *error,
		   size_t error_size)
{
	int is_blank = 0, result, code;

	result = check_identity(db, path, &is_blank, error, error_size);
	if (result < 0)
		return result;
	if (sqlite3_db_readonly(db, "main") == 1) {
		snprintf(error, error_size, "%s is not writable", path);
		return -EACCES;
	}
	/* one file afterwards, even when somebody has switched it to WAL */
	code = execute(db, "PRAGMA journal_mode = DELETE");
	if (code == SQLITE_OK && is_blank) {
		if (is_new)
			code = execute(db, "PRAGMA synchronous = OFF");
		if (code == SQLITE_OK)
			code = create_schema(db);
	}
	if (code == SQLITE_OK)
		code = set_up(db);
	return code == SQLITE_OK ? 0 : fail(db, code, error, error_size);
}

/* SQLite tells of its second attempt, which is to open for reading. */
static int reason_not_to_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return EIO;
}

int store_open(const char *path, struct sqlite3 **ret, char *error, size_t error_size)
{
	struct stat status;
	int is_there = stat(path, &status) == 0;
	int is_new = !is_there || status.st_size == 0;
	struct sqlite3 *db = NULL;
	int result, code;

	if (is_there && !S_ISREG(status.st_mode)) {
		snprintf(error, error_size, "%s is not a file", path);
		return -EINVAL;
	}
	code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			       NULL);
	if (code != SQLITE_OK) {
		result = fail(db, code, error, error_size);
		if (result == -EACCES)
			snprintf(error, error_size,
				 "cannot open %s for writing: %s; is its directory there "
				 "and writable?",
				 path, strerror(reason_not_to_open(path)));
	} else {
		sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
		result = prepare(db, path, is_new, error, error_size);
	}
	if (result < 0) {
		sqlite3_close(db);
		return result;
	}
	*ret = db;
	return 0;
}

void store_close(struct sqlite3 *db)
{
	sqlite3_close(db);
}

/* Runs the statements of sql, :run bound to run_id in each. */
static int execute_for_run(struct sqlite3 *db, const char *sql, int64_t run_id)
{
	int code = SQLITE_OK;

	while (code == SQLITE_OK && *sql) {
		sqlite3_stmt *statement;

		code = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);
		if (code != SQLITE_OK || !statement)
			break;
		sqlite3_bind_int64(statement, 1, run_id);
		code = sqlite3_step(statement);
		code = code == SQLITE_DONE ? SQLITE_OK : code;
		sqlite3_finalize(statement);
	}
	return code;
}

/* 0 in *ret: no such run. */
static int find_run(struct sqlite3 *db, uint64_t token, int64_t *ret)
{
	sqlite3_stmt *statement;
	char text[17];
	int code = sqlite3_prepare_v2(db, store_sql_run_of_token, -1, &statement, NULL);

	*ret = 0;
	if (code != SQLITE_OK)
		return code;
	snprintf(text, sizeof(text), "%016" PRIx64, token);
	sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*ret = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int next_ids(struct sqlite3 *db, struct store_ids *ret)
{
	sqlite3_stmt *statement;
	int64_t *ids[] = {&ret->run,	  &ret->process,  &ret->lane, &ret->thread,
			  &ret->module,	  &ret->function, &ret->path, &ret->site,
			  &ret->snapshot, &ret->series};
	int code = sqlite3_prepare_v2(db, store_sql_maxima, -1, &statement, NULL);

	if (code != SQLITE_OK)
		return code;
	code = sqlite3_step(statement);
	for (int i = 0; code == SQLITE_ROW && i < 10; i++)
		*ids[i] = sqlite3_column_int64(statement, i) + 1;
	sqlite3_finalize(statement);
	return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Inside the transaction. A replaced run keeps its id. */
static int write_run(struct sqlite3 *db, const struct ingest *ingest)
{
	struct store_ids ids;
	int64_t replaced;
	int code = find_run(db, ingest->run.page.token, &replaced);

	if (code == SQLITE_OK && replaced)
		code = execute_for_run(db, store_sql_remove_run, replaced);
	if (code == SQLITE_OK)
		code = next_ids(db, &ids);
	if (code != SQLITE_OK)
		return code;
	if (replaced)
		ids.run = replaced;
	code = store_run_rows(db, ingest, &ids);
	if (code == SQLITE_OK)
		code = store_tree_rows(db, ingest, &ids);
	if (code == SQLITE_OK)
		code = store_snapshot_rows(db, ingest, &ids);
	return code == SQLITE_OK ? store_mark_rows(db, ingest, &ids) : code;
}

int store_run(struct sqlite3 *db, const struct ingest *ingest, char *error,
	      size_t error_size)
{
	int result = 0, code = execute(db, "BEGIN IMMEDIATE");

	if (code == SQLITE_OK) {
		code = write_run(db, ingest);
		if (code == SQLITE_OK)
			code = execute(db, "COMMIT");
	}
	if (code != SQLITE_OK) {
		result = fail(db, code, error, error_size);
		execute(db, "ROLLBACK");
	}
	return result;
}

int64_t store_run_id(struct sqlite3 *db, uint64_t token)
{
	int64_t run_id;

	return find_run(db, token, &run_id) == SQLITE_OK ? run_id : 0;
}
