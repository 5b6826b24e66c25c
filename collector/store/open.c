/* SPDX-License-Identifier: MIT */
/*
 * Opens an existing run.db for writing and checks that it is ours. Must not change a file
 * that is not ours, or run anything that it contains.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/store/guard.h"
#include "collector/store/held.h"
#include "collector/store/ids.h"
#include "common/schema.h"
#include "store.sql.h"

int store_fail(const struct store *store, int code, char *error, size_t error_size)
{
	const char *path = store->shown;

	switch (code & 0xff) {
	case SQLITE_NOTADB:
		snprintf(error, error_size,
			 "%s is not an SQLite database; move it away or name another "
			 "output (-o, PROFSHIM_OUTPUT)",
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
		if (store->waited_ms < 1000)
			snprintf(error, error_size, "%s is locked by another program",
				 path);
		else
			snprintf(error, error_size,
				 "%s has been locked by another program for %u s", path,
				 store->waited_ms / 1000);
		return -EBUSY;
	case SQLITE_NOMEM:
		snprintf(error, error_size, "out of memory while writing %s", path);
		return -ENOMEM;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		if (*held_refusal())
			snprintf(error, error_size, "cannot write %s: %s", path,
				 held_refusal());
		else
			snprintf(error, error_size,
				 "cannot write %s: %s; is its directory writable?", path,
				 guard_message(store->db, code));
		return -EACCES;
	default:
		snprintf(error, error_size, "cannot write %s: %s", path,
			 guard_message(store->db, code));
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

/* Determines what kind of file it is. *ret_blank: it has no tables and belongs to no
 * program. 0 or -errno. */
static int check_identity(struct store *store, int *ret_blank, char *error,
			  size_t error_size)
{
	int64_t application = 0, version = 0, tables = 0;
	int result = 0, code = execute(store->db, "BEGIN"); /* a consistent view */

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

/* Creates the tables, unless another collector was faster. */
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
	/* leaves one file, even if somebody has switched it to WAL */
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

/*
 * A new run.db: made under another name and synced before it gets its own. Runs on: one
 * thread at a time; several processes may make the same file at once. Must not replace a
 * file, or follow a link at the wanted path.
 *
 * This costs a single fsync(), without a journal or locks, and an incomplete file never
 * has a name that anybody reads. Tried and dropped: naming the file first and syncing it
 * afterwards. That spares the first process the fsync() (2 to 4 ms on ext4), but after a
 * power cut run.db may be any mixture of pages and block its own spool.
 */

/* Creates an empty file. Returns a descriptor or -errno. */
static int make_empty(int directory_fd, const char *name)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(directory_fd, name, flags, 0600);

	/* left by a process that was killed while it stored this run: we have its lock */
	if (fd < 0 && errno == EEXIST && unlinkat(directory_fd, name, 0) == 0)
		fd = openat(directory_fd, name, flags, 0600);
	return fd < 0 ? -errno : fd;
}

/* Inserts all rows into the file that place names. */
static int fill(struct store *store, const struct held_file *place)
{
	int code = held_connect(place, NULL, SQLITE_OPEN_READWRITE, &store->db);

	if (code == SQLITE_OK)
		code = sqlite3_exec(store->db,
				    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				    "PRAGMA locking_mode = EXCLUSIVE;"
				    "PRAGMA cache_size = -16000;"
				    "BEGIN",
				    NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = guard_create_schema(store->db);
	if (code == SQLITE_OK)
		code = store_all_rows(store);
	return code == SQLITE_OK ? sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL)
				 : code;
}

static int sync_file(const struct store *store, int fd)
{
	const struct store_waiting *waiting = store->waiting;
	int result;

	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 1);
	result = fsync(fd) < 0 ? -errno : 0;
	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 0);
	return result;
}

/* Gives the file its own name. -EEXIST: the name is taken. */
static int publish(const struct held_file *place, const struct held_file *file)
{
	int fd;

	if (renameat2(place->directory_fd, place->name, file->directory_fd, file->name,
		      RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* a file system without that call may have hard links */
	if (linkat(place->directory_fd, place->name, file->directory_fd, file->name, 0) ==
	    0) {
		unlinkat(place->directory_fd, place->name, 0);
		return 0;
	}
	if (errno == EEXIST || errno == EXDEV)
		return -errno;
	/* or neither: then make an empty file, which is filled like an existing one */
	fd = openat(file->directory_fd, file->name,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return -EEXIST;
}

static int make_in(struct store *store, const struct held_file *place,
		   const struct held_file *file, char *error, size_t error_size)
{
	int fd = make_empty(place->directory_fd, place->name), code, result;

	if (fd < 0) {
		snprintf(error, error_size,
			 "cannot open %s for writing: %s; is its directory there and "
			 "writable?",
			 store->shown, strerror(-fd));
		return fd;
	}
	code = fill(store, place);
	result = code == SQLITE_OK ? 0 : store_fail(store, code, error, error_size);
	sqlite3_close(store->db);
	store->db = NULL;
	if (result == 0) {
		result = sync_file(store, fd);
		if (result == 0)
			result = publish(place, file);
		if (result < 0)
			snprintf(error, error_size, "cannot write %s: %s", store->shown,
				 strerror(-result));
	}
	close(fd);
	if (result < 0)
		unlinkat(place->directory_fd, place->name, 0);
	return result;
}

int store_new_file(struct store *store, const struct held_file *file, char *error,
		   size_t error_size)
{
	uint64_t token = store->ingest->run.page.token;
	struct held_file place = *file;
	int result;

	place.directory_fd = store->ingest->run.directory_fd;
	/* the spool's directory is removed with everything in it */
	snprintf(place.name, sizeof(place.name), "new.%016" PRIx64, token);
	result = make_in(store, &place, file, error, error_size);
	/* the spool is gone or on another disk (run.db may be a link of the user's) */
	if (result != -ENOENT && result != -EXDEV && result != -EBADF)
		return result;
	place.directory_fd = file->directory_fd;
	snprintf(place.name, sizeof(place.name), ".%.200s.%016" PRIx64, file->name,
		 token);
	return make_in(store, &place, file, error, error_size);
}
