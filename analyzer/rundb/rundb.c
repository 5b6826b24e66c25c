/* SPDX-License-Identifier: MIT */
/*
 * Opening run.db read-only and saying plainly when that is not possible. Must not print,
 * or write to the file (only SQLite does, when it rolls back what a killed writer left).
 */
#include "analyzer/rundb/rundb.h"

#include "common/base/command.h"
#include "common/base/xalloc.h"
#include "analyzer/rundb/functions.h"
#include "analyzer/rundb/private.h"
#include "common/schema.h"
#include "collector/store/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 100
#define BUSY_TIMEOUT_MS 10000u
#define BUSY_STEP_MS 10u
#define GROWING_LOOKS 20

static const struct guard_object archive_objects[] = {
#include "archive_objects.sql.h"
};

static uint32_t big_endian(const unsigned char *at, size_t size)
{
	uint32_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* Checks the first 100 bytes of the file without SQLite, so that each kind of wrong file
 * gets its own sentence. */
static int check_header(const char *path, const unsigned char *header, uint64_t file_size,
			bool wants_archive, struct strbuf *error)
{
	uint64_t page_size = big_endian(header + 16, 2);
	uint64_t page_count = big_endian(header + 28, 4);
	uint32_t version = big_endian(header + 60, 4);
	uint32_t application_id = big_endian(header + 68, 4);
	uint32_t wanted = wants_archive ? ARCHIVE_SCHEMA_VERSION : RUNDB_SCHEMA_VERSION;

	if (page_size == 1)
		page_size = 65536;
	if (wants_archive && application_id == RUNDB_APPLICATION_ID) {
		strbuf_printf(error,
			      "%s: is a recording, not an archive; 'prof-analyze archive "
			      "add ARCHIVE.db %s' puts its runs into one",
			      path, path);
		return -EINVAL;
	}
	if (!wants_archive && application_id == ARCHIVE_APPLICATION_ID) {
		strbuf_printf(error, "%s: is an archive of runs, not a recording", path);
		return -EINVAL;
	}
	if (application_id !=
	    (wants_archive ? ARCHIVE_APPLICATION_ID : RUNDB_APPLICATION_ID)) {
		strbuf_printf(error,
			      "%s: is a SQLite database but not a recording made by "
			      "profshim",
			      path);
		return -EINVAL;
	}
	if (version != wanted) {
		bool newer = version > wanted;

		strbuf_printf(error,
			      "%s: was %s by %s profshim (schema %u, this "
			      "prof-analyze reads %u); %s",
			      path, wants_archive ? "made" : "recorded",
			      newer ? "a newer" : "an older", version, wanted,
			      newer	      ? "use the prof-analyze that came with it"
			      : wants_archive ? "make a new one of its recordings"
					      : "record again");
		return -EINVAL;
	}
	if (file_size < page_size * page_count) {
		strbuf_printf(error,
			      "%s: is truncated (%llu of %llu bytes are there); copy it "
			      "again%s",
			      path, (unsigned long long)file_size,
			      (unsigned long long)(page_size * page_count),
			      wants_archive ? "" : " or record again");
		return -EINVAL;
	}
	return 0;
}

static int check_content(int descriptor, const char *path, bool wants_archive,
			 struct strbuf *error)
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
	return check_header(path, header, (uint64_t)status.st_size, wants_archive, error);
}

static int check_file(const char *path, bool wants_archive, struct strbuf *error)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

	if (descriptor < 0) {
		int failure = errno;

		strbuf_printf(error, "%s: %s", path,
			      failure != ENOENT ? strerror(failure)
			      : wants_archive
				      ? "no such file; 'prof-analyze archive add' "
					"makes one"
				      : "no such file; record one with "
					"'prof-record -- ./app'");
		return -failure;
	}
	result = check_content(descriptor, path, wants_archive, error);
	close(descriptor);
	return result;
}

static struct {
	int (*wait)(void *context, unsigned waited_ms);
	void *context;
} on_lock;

void rundb_on_lock(int (*wait)(void *context, unsigned waited_ms), void *context)
{
	on_lock.wait = wait;
	on_lock.context = context;
}

static int wait_for_lock(void *context, int count)
{
	struct rundb *db = context;

	if (count == 0)
		db->locked_ms = 0;
	if (db->locked_ms >= BUSY_TIMEOUT_MS ||
	    (on_lock.wait && !on_lock.wait(on_lock.context, db->locked_ms)))
		return 0;
	usleep(BUSY_STEP_MS * 1000);
	db->locked_ms += BUSY_STEP_MS;
	return 1;
}

static int prepare_connection(struct rundb *db)
{
	guard_connection(db->handle, GUARD_READ);
	sqlite3_busy_handler(db->handle, wait_for_lock, db);
	limits_apply(db);
	limits_start(db, false);
	return functions_register(db->handle);
}

/* Reports query the views in the file: checks that they are those of this version. */
static int check_schema(struct rundb *db, struct strbuf *reason)
{
	char words[256];
	int is_valid, result;

	if (db->is_archive)
		result = guard_objects(db->handle, GUARD_READ, archive_objects,
				       sizeof(archive_objects) /
					       sizeof(archive_objects[0]),
				       &is_valid, words, sizeof(words));
	else
		result = guard_schema(db->handle, GUARD_READ, &is_valid, words,
				      sizeof(words));

	if (result == SQLITE_OK && !is_valid) {
		strbuf_puts(reason, words);
		return SQLITE_ERROR;
	}
	return result;
}

static int open_with(struct rundb *db, const struct held_file *file, int flags,
		     struct strbuf *reason)
{
	/* One thread only: locking would take a twentieth of a report's time. */
	int result = held_connect(file, NULL, flags, &db->handle);

	if (result == SQLITE_OK)
		result = prepare_connection(db);
	if (result == SQLITE_OK)
		result = sqlite3_exec(db->handle,
				      "PRAGMA cell_size_check = ON;"
				      /* 32 MiB: rules read the same tables ten times */
				      "PRAGMA cache_size = -32768;",
				      NULL, NULL, NULL);
	return result == SQLITE_OK ? check_schema(db, reason) : result;
}

static void close_handle(struct rundb *db)
{
	sqlite3_close(db->handle);
	db->handle = NULL;
}

/* Opens for writing, so that SQLite undoes what a killed writer left. Only for the file's
 * owner: a journal that others put there would be written into the file. */
static int open_and_roll_back(struct rundb *db, struct strbuf *reason)
{
	struct held_file file;
	char words[512] = "";
	int result = held_find(db->path, HELD_WRITE, &file, words, sizeof(words));

	if (result < 0) {
		if (result == -ENOENT)
			held_done(&file);
		strbuf_printf(reason, "its writer was killed; the owner of the file must "
				      "open it once to roll that back");
		return SQLITE_READONLY;
	}
	result = open_with(db, &file, SQLITE_OPEN_READWRITE, reason);
	db->file = file;
	return result;
}

static int open_file(struct rundb *db, struct strbuf *reason)
{
	char words[512] = "";
	int result = held_find(db->path, HELD_READ, &db->file, words, sizeof(words));

	if (result < 0) {
		strbuf_puts(reason, *words ? words : strerror(-result));
		return SQLITE_CANTOPEN;
	}
	result = open_with(db, &db->file, SQLITE_OPEN_READONLY, reason);
	if ((result & 0xff) != SQLITE_READONLY && (result & 0xff) != SQLITE_CANTOPEN)
		return result;
	close_handle(db);
	held_done(&db->file);
	return open_and_roll_back(db, reason);
}

static struct rundb *new_rundb(const char *path)
{
	struct rundb *db = xcalloc(1, sizeof(*db));

	db->path = xstrdup(path);
	db->live = xcalloc(1, sizeof(*db->live));
	db->file.directory_fd = -1;
	return db;
}

static int open_checked(const char *path, bool is_archive, struct rundb **ret_db,
			struct strbuf *error)
{
	struct strbuf reason = {0};
	struct rundb *db;
	int result = check_file(path, is_archive, error);

	/* Somebody adds a run: the first page tells of others that come after it. */
	for (int i = 0; is_archive && result == -EINVAL && i < GROWING_LOOKS; i++) {
		usleep(BUSY_STEP_MS * 1000);
		strbuf_reset(error);
		result = check_file(path, is_archive, error);
	}
	if (result < 0)
		return result;
	db = new_rundb(path);
	db->is_archive = is_archive;
	result = open_file(db, &reason);
	if (result != SQLITE_OK) {
		result = rundb_fail(db, result);
		if (reason.size)
			strbuf_printf(error, "%s: %s", path, strbuf_text(&reason));
		else
			strbuf_puts(error, rundb_error(db));
		strbuf_free(&reason);
		rundb_close(db);
		return result;
	}
	sqlite3_exec(db->handle, "PRAGMA query_only = ON", NULL, NULL, NULL);
	*ret_db = db;
	return 0;
}

int rundb_open(const char *path, struct rundb **ret_db, struct strbuf *error)
{
	return open_checked(path, false, ret_db, error);
}

int rundb_open_archive(const char *path, struct rundb **ret_db, struct strbuf *error)
{
	return open_checked(path, true, ret_db, error);
}

bool rundb_is_archive(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	unsigned char header[HEADER_BYTES];
	bool is_archive = descriptor >= 0 &&
			  pread(descriptor, header, HEADER_BYTES, 0) == HEADER_BYTES &&
			  memcmp(header, "SQLite format 3", 16) == 0 &&
			  big_endian(header + 68, 4) == ARCHIVE_APPLICATION_ID;

	if (descriptor >= 0)
		close(descriptor);
	return is_archive;
}

int rundb_open_memory(const char *path, struct rundb **ret_db, struct strbuf *error)
{
	struct rundb *db = new_rundb(path);
	int result = guard_open_memory(&db->handle);

	if (result == SQLITE_OK)
		result = prepare_connection(db);
	if (result != SQLITE_OK) {
		result = rundb_fail(db, result);
		strbuf_puts(error, rundb_error(db));
		rundb_close(db);
		return result;
	}
	*ret_db = db;
	return 0;
}

int rundb_execute(struct rundb *db, const char *sql)
{
	int result;

	limits_start(db, false);
	result = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
	if (result != SQLITE_OK)
		rundb_end(db, result);
	return 0;
}

void rundb_close(struct rundb *db)
{
	if (!db)
		return;
	close_handle(db);
	held_done(&db->file);
	strbuf_free(&db->error);
	free(db->path);
	free(db->live);
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

static bool is_our_mistake(const char *message)
{
	return strstr(message, "syntax error") || strstr(message, "incomplete input") ||
	       strstr(message, "no such function") ||
	       strstr(message, "wrong number of arguments") ||
	       strstr(message, "ambiguous column");
}

int rundb_fail(struct rundb *db, int code)
{
	const char *message = guard_message(db->handle, code);

	strbuf_reset(&db->error);
	strbuf_printf(&db->error, "%s: a query ", db->path);
	if (limits_explain(db, code, &db->error))
		return -EINVAL;
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
			      "%s: its writer was killed, and rolling that back takes "
			      "write permission to file and directory (%s)",
			      db->path, message);
		break;
	case SQLITE_ERROR:
		/* A table or column that our queries need is missing, or a number is out
		 * of bounds; or the queries are wrong. */
		strbuf_printf(&db->error, "%s: %s (%s)", db->path,
			      is_our_mistake(message)
				      ? "prof-analyze asked wrongly, please report it"
				      : "is damaged or not a recording",
			      message);
		break;
	default:
		strbuf_printf(&db->error, "%s: cannot be read (%s)", db->path, message);
	}
	return errno_of(code);
}

void rundb_end(struct rundb *db, int code)
{
	rundb_fail(db, code);
	command_fail(STATUS_FAILED, "%s", rundb_error(db));
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

struct rundb_live *rundb_live(struct rundb *db)
{
	return db->live;
}
