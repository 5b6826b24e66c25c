/* SPDX-License-Identifier: MIT */
/*
 * What this is:  opening run.db read-only and saying plainly when that is not possible.
 * Runs on:       prof-analyze, main thread.
 * Must not:      print, or write to the file (only SQLite does, when it rolls back what
 *                a killed writer left).
 * See also:      common/schema.h (identity), cursor.c (queries), takeover.c (spools).
 */
#include "analyzer/rundb/rundb.h"

#include "analyzer/base/xalloc.h"
#include "analyzer/rundb/functions.h"
#include "analyzer/rundb/private.h"
#include "common/schema.h"

#include "schema.sql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 100
#define BUSY_TIMEOUT_MS 10000

static uint32_t big_endian(const unsigned char *at, size_t size)
{
	uint32_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* What the first 100 bytes of a SQLite file tell, checked without SQLite, so that
 * each kind of wrong file gets its own sentence. */
static int check_header(const char *path, const unsigned char *header, uint64_t file_size,
			struct strbuf *error)
{
	uint64_t page_size = big_endian(header + 16, 2);
	uint64_t page_count = big_endian(header + 28, 4);
	uint32_t version = big_endian(header + 60, 4);
	uint32_t application_id = big_endian(header + 68, 4);

	if (page_size == 1)
		page_size = 65536;
	if (application_id != RUNDB_APPLICATION_ID) {
		strbuf_printf(error,
			      "%s: is a SQLite database but not a recording made by "
			      "profshim",
			      path);
		return -EINVAL;
	}
	if (version != RUNDB_SCHEMA_VERSION) {
		bool newer = version > RUNDB_SCHEMA_VERSION;

		strbuf_printf(error,
			      "%s: was recorded by %s profshim (schema %u, this "
			      "prof-analyze reads %d); %s",
			      path, newer ? "a newer" : "an older", version,
			      RUNDB_SCHEMA_VERSION,
			      newer ? "use the prof-analyze that came with it"
				    : "record again");
		return -EINVAL;
	}
	if (file_size < page_size * page_count) {
		strbuf_printf(error,
			      "%s: is truncated (%llu of %llu bytes are there); copy it "
			      "again or record again",
			      path, (unsigned long long)file_size,
			      (unsigned long long)(page_size * page_count));
		return -EINVAL;
	}
	return 0;
}

static int check_content(int descriptor, const char *path, struct strbuf *error)
{
	unsigned char header[HEADER_BYTES] = {0};
	struct stat status;
	ssize_t size;

	if (fstat(descriptor, &status) < 0) {
		strbuf_printf(error, "%s: %s", path, strerror(errno));
		return -errno;
	}
	if (S_ISDIR(status.st_mode)) {
		strbuf_printf(error, "%s: is a directory, not a recording", path);
		return -EISDIR;
	}
	if (!S_ISREG(status.st_mode)) {
		strbuf_printf(error, "%s: is not a regular file", path);
		return -EINVAL;
	}
	if (status.st_size == 0) {
		strbuf_printf(error, "%s: is empty: nothing was recorded into it", path);
		return -EINVAL;
	}
	size = pread(descriptor, header, sizeof(header), 0);
	if (size < 0) {
		strbuf_printf(error, "%s: %s", path, strerror(errno));
		return -errno;
	}
	if (size < 16 || memcmp(header, "SQLite format 3", 16) != 0) {
		strbuf_printf(error, "%s: is not a recording (not a SQLite database)",
			      path);
		return -EINVAL;
	}
	if (size < HEADER_BYTES) {
		strbuf_printf(error, "%s: is truncated (only %zd bytes); record again",
			      path, size);
		return -EINVAL;
	}
	return check_header(path, header, (uint64_t)status.st_size, error);
}

static int check_file(const char *path, struct strbuf *error)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

	if (descriptor < 0) {
		int failure = errno;

		strbuf_printf(error, "%s: %s", path,
			      failure == ENOENT ? "no such file; record one with "
						  "'prof-record -- ./app'"
						: strerror(failure));
		return -failure;
	}
	result = check_content(descriptor, path, error);
	close(descriptor);
	return result;
}

/* Makes the connection harmless towards a hostile file, and checks that the schema is
 * really there. */
static int prepare_connection(struct rundb *db)
{
	int off = 0;

	sqlite3_extended_result_codes(db->handle, 1);
	sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, &off);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &off);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, &off);
	return functions_register(db->handle);
}

static int open_with(struct rundb *db, int flags)
{
	/* One thread: locking would be a twentieth of a report's time. */
	int result =
		sqlite3_open_v2(db->path, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);

	if (result == SQLITE_OK)
		result = prepare_connection(db);
	if (result == SQLITE_OK)
		result = sqlite3_exec(db->handle,
				      "PRAGMA cell_size_check = ON;"
				      /* 32 MiB: rules read the same tables ten times */
				      "PRAGMA cache_size = -32768;"
				      "SELECT run_id, label, command, wall_ns FROM runs "
				      "WHERE run_id = 0;"
				      "SELECT path_id FROM call_paths WHERE path_id = 0;",
				      NULL, NULL, NULL);
	return result;
}

static struct rundb *new_rundb(const char *path)
{
	struct rundb *db = xcalloc(1, sizeof(*db));

	db->path = xstrdup(path);
	return db;
}

int rundb_open(const char *path, struct rundb **ret_db, struct strbuf *error)
{
	struct rundb *db;
	int result = check_file(path, error);

	if (result < 0)
		return result;
	db = new_rundb(path);
	result = open_with(db, SQLITE_OPEN_READONLY);
	if ((result & 0xff) == SQLITE_READONLY || (result & 0xff) == SQLITE_CANTOPEN) {
		/* A killed writer's journal is there: opening for writing rolls back. */
		sqlite3_close(db->handle);
		db->handle = NULL;
		result = open_with(db, SQLITE_OPEN_READWRITE);
	}
	if (result != SQLITE_OK) {
		result = rundb_fail(db, result);
		strbuf_puts(error, rundb_error(db));
		rundb_close(db);
		return result;
	}
	sqlite3_exec(db->handle, "PRAGMA query_only = ON", NULL, NULL, NULL);
	*ret_db = db;
	return 0;
}

int rundb_open_memory(const char *path, struct rundb **ret_db, struct strbuf *error)
{
	struct rundb *db = new_rundb(path);
	int result = sqlite3_open_v2(":memory:", &db->handle,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

	if (result == SQLITE_OK)
		result = prepare_connection(db);
	if (result == SQLITE_OK)
		result = sqlite3_exec(db->handle, schema_sql, NULL, NULL, NULL);
	if (result != SQLITE_OK) {
		result = rundb_fail(db, result);
		strbuf_puts(error, rundb_error(db));
		rundb_close(db);
		return result;
	}
	*ret_db = db;
	return 0;
}

void rundb_close(struct rundb *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	strbuf_free(&db->error);
	free(db->path);
	free(db);
}

static int errno_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
		return -EACCES;
	case SQLITE_ERROR:
	case SQLITE_MISUSE:
		return -EINVAL;
	default:
		return -EIO;
	}
}

int rundb_fail(struct rundb *db, int code)
{
	const char *message =
		db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);

	strbuf_reset(&db->error);
	switch (code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		strbuf_printf(&db->error, "%s: is damaged (%s); record again", db->path,
			      message);
		break;
	case SQLITE_BUSY:
		strbuf_printf(&db->error,
			      "%s: is locked by another process; try again when it is "
			      "done",
			      db->path);
		break;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		strbuf_printf(&db->error,
			      "%s: its writer was killed and the rest of its work "
			      "cannot be undone without write permission to file and "
			      "directory (%s)",
			      db->path, message);
		break;
	case SQLITE_ERROR:
		/* A table or column that our own queries need is not there. */
		strbuf_printf(&db->error, "%s: is damaged or not a recording (%s)",
			      db->path, message);
		break;
	default:
		strbuf_printf(&db->error, "%s: cannot be read (%s)", db->path, message);
	}
	return errno_of(code);
}

const char *rundb_path(const struct rundb *db)
{
	return db->path;
}

const char *rundb_error(const struct rundb *db)
{
	return strbuf_text(&db->error);
}

struct sqlite3 *rundb_handle(struct rundb *db)
{
	return db->handle;
}

int rundb_live_pid(const struct rundb *db)
{
	return db->live_pid;
}

void rundb_set_live_pid(struct rundb *db, int pid)
{
	db->live_pid = pid;
}
