/* SPDX-License-Identifier: MIT */
/* Opens an archive for adding. Must not write into a file that is no archive of ours. */
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "collector/store/guard.h"
#include "common/base/xalloc.h"
#include "common/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_tables.sql.h"

#define WAIT_MOST_MS 30000u
#define WAIT_STEP_MS 10u

int archive_fail(struct archive *archive, int code, struct strbuf *error)
{
	const char *path = archive->path;

	switch (code & 0xff) {
	case SQLITE_FULL:
		strbuf_printf(error,
			      "%s: no space left on its disk; nothing of the run "
			      "was added",
			      path);
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		strbuf_printf(error, "%s: is locked by another program for %u s", path,
			      archive->waited_ms / 1000);
		return -EBUSY;
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		strbuf_printf(error, "%s: is damaged (%s)", path,
			      guard_message(archive->db, code));
		return -EINVAL;
	case SQLITE_TOOBIG:
		strbuf_printf(error, "%s: the run is too large for an archive", path);
		return -EFBIG;
	default:
		strbuf_printf(error, "%s: cannot be written: %s", path,
			      *held_refusal() ? held_refusal()
					      : guard_message(archive->db, code));
		return -EIO;
	}
}

sqlite3_stmt *archive_ask(struct archive *archive, const char *sql, int *code,
			  const int64_t *numbers, int count)
{
	sqlite3_stmt *statement = NULL;

	if (*code == SQLITE_OK)
		*code = sqlite3_prepare_v2(archive->db, sql, -1, &statement, NULL);
	for (int i = 0; i < count && *code == SQLITE_OK; i++)
		*code = sqlite3_bind_int64(statement, i + 1, numbers[i]);
	return statement;
}

/* Another archive add may be at work. */
static int wait_for_lock(void *context, int count)
{
	struct archive *archive = context;

	if (count == 0)
		archive->waited_ms = 0;
	if (archive->waited_ms >= WAIT_MOST_MS)
		return 0;
	usleep(WAIT_STEP_MS * 1000);
	archive->waited_ms += WAIT_STEP_MS;
	return 1;
}

/* Whoever is first makes the tables. */
static int make_tables(struct archive *archive)
{
	sqlite3_stmt *statement;
	char identity[128];
	int code = sqlite3_exec(archive->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	bool is_blank = false;

	statement = archive_ask(archive, "SELECT COUNT(*) FROM sqlite_master", &code,
				NULL, 0);
	if (code == SQLITE_OK)
		is_blank = sqlite3_step(statement) == SQLITE_ROW &&
			   sqlite3_column_int(statement, 0) == 0;
	sqlite3_finalize(statement);
	snprintf(identity, sizeof(identity),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 ARCHIVE_APPLICATION_ID, ARCHIVE_SCHEMA_VERSION);
	if (code == SQLITE_OK && is_blank)
		code = sqlite3_exec(archive->db, identity, NULL, NULL, NULL);
	if (code == SQLITE_OK && is_blank)
		code = sqlite3_exec(archive->db, archive_tables_sql, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(archive->db, "COMMIT", NULL, NULL, NULL);
	return code;
}

/* An existing file is checked as a reader does. */
static int check(const char *path, struct strbuf *error)
{
	struct rundb *db;
	int result = rundb_open_archive(path, &db, error);

	if (result == 0)
		rundb_close(db);
	return result;
}

/* Another one is about to make it. */
static bool is_empty(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

static int open_database(struct archive *archive, bool is_new, struct strbuf *error)
{
	int code = held_connect(&archive->file, NULL,
				SQLITE_OPEN_READWRITE | (is_new ? SQLITE_OPEN_CREATE : 0),
				&archive->db);

	if (code == SQLITE_OK) {
		guard_connection(archive->db, GUARD_WRITE);
		sqlite3_busy_handler(archive->db, wait_for_lock, archive);
		code = sqlite3_exec(archive->db,
				    "PRAGMA journal_mode = DELETE;"
				    "PRAGMA synchronous = FULL;"
				    "PRAGMA cell_size_check = ON;"
				    "PRAGMA temp_store = MEMORY",
				    NULL, NULL, NULL);
	}
	if (code == SQLITE_OK && is_new)
		code = make_tables(archive);
	return code == SQLITE_OK ? 0 : archive_fail(archive, code, error);
}

int archive_open(const char *path, struct archive **ret, struct strbuf *error)
{
	struct archive *archive = xcalloc(1, sizeof(*archive));
	char words[512] = "";
	int result = held_find(path, HELD_WRITE, &archive->file, words, sizeof(words));
	bool is_new = result == -ENOENT || (result == 0 && is_empty(path));

	archive->path = path;
	if (result < 0 && !is_new) {
		strbuf_printf(error, "%s: %s", path, *words ? words : strerror(-result));
		free(archive);
		return result;
	}
	result = is_new ? 0 : check(path, error);
	if (result == 0)
		result = open_database(archive, is_new, error);
	/* two that make it at the same time: what is there now is checked, too */
	if (result == 0 && is_new)
		result = check(path, error);
	if (result < 0)
		archive_close(archive);
	else
		*ret = archive;
	return result;
}

void archive_close(struct archive *archive)
{
	if (!archive)
		return;
	sqlite3_close(archive->db);
	held_done(&archive->file);
	archive_forget_reference(&archive->reference);
	free(archive);
}
