/* SPDX-License-Identifier: MIT */
/* Opens an archive for adding. Must not write into a file that is no archive of ours. */
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "collector/store/guard.h"
#include "collector/store/held.h"
#include "common/base/command.h"
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

static struct {
	sqlite3 *db;
	struct held_file file;
	const char *path; /* borrowed */
	unsigned waited_ms;
} archive;

sqlite3 *archive_handle(void)
{
	return archive.db;
}

const char *archive_path(void)
{
	return archive.path;
}

static _Noreturn void fail(int code)
{
	const char *path = archive.path;

	switch (code & 0xff) {
	case SQLITE_FULL:
		command_fail(
			STATUS_FAILED,
			"%s: no space left on its disk; nothing of the run was added",
			path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		command_fail(STATUS_FAILED, "%s: is locked by another program for %u s",
			     path, archive.waited_ms / 1000);
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		command_fail(STATUS_FAILED, "%s: is damaged (%s)", path,
			     guard_message(archive.db, code));
	case SQLITE_TOOBIG:
		command_fail(STATUS_FAILED, "%s: the run is too large for an archive",
			     path);
	default:
		command_fail(STATUS_FAILED, "%s: cannot be written: %s", path,
			     *held_refusal() ? held_refusal()
					     : guard_message(archive.db, code));
	}
}

int archive_must(int code)
{
	if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
		fail(code);
	return code;
}

sqlite3_stmt *archive_ask(const char *sql, int64_t number)
{
	sqlite3_stmt *statement;

	archive_must(sqlite3_prepare_v2(archive.db, sql, -1, &statement, NULL));
	if (number)
		archive_must(sqlite3_bind_int64(statement, 1, number));
	return statement;
}

static void execute(const char *sql)
{
	archive_must(sqlite3_exec(archive.db, sql, NULL, NULL, NULL));
}

/* Another archive add may be at work. */
static int wait_for_lock(void *context, int count)
{
	(void)context;
	if (count == 0)
		archive.waited_ms = 0;
	if (archive.waited_ms >= WAIT_MOST_MS)
		return 0;
	usleep(WAIT_STEP_MS * 1000);
	archive.waited_ms += WAIT_STEP_MS;
	return 1;
}

/* Whoever is first makes the tables. */
static void make_tables(void)
{
	sqlite3_stmt *statement;
	char identity[128];
	bool is_blank;

	execute("BEGIN IMMEDIATE");
	statement = archive_ask("SELECT COUNT(*) FROM sqlite_master", 0);
	is_blank = archive_must(sqlite3_step(statement)) == SQLITE_ROW &&
		   sqlite3_column_int(statement, 0) == 0;
	sqlite3_finalize(statement);
	if (is_blank) {
		snprintf(identity, sizeof(identity),
			 "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 ARCHIVE_APPLICATION_ID, ARCHIVE_SCHEMA_VERSION);
		execute(identity);
		execute(archive_tables_sql);
	}
	execute("COMMIT");
}

/* An existing file is checked as a reader does. */
static void check(const char *path)
{
	struct strbuf error = {0};
	struct rundb *db;

	if (rundb_open_archive(path, &db, &error) < 0)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	rundb_close(db);
}

/* Another one is about to make it. */
static bool is_empty(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* A command that fails leaves no journal behind. */
static void roll_back(void)
{
	if (archive.db && !sqlite3_get_autocommit(archive.db))
		sqlite3_exec(archive.db, "ROLLBACK", NULL, NULL, NULL);
}

void archive_open(const char *path)
{
	char words[512] = "";
	int result = held_find(path, HELD_WRITE, &archive.file, words, sizeof(words));
	bool is_new = result == -ENOENT || (result == 0 && is_empty(path));

	archive.path = path;
	if (result < 0 && !is_new)
		command_fail(STATUS_FAILED, "%s: %s", path,
			     *words ? words : strerror(-result));
	if (!is_new)
		check(path);
	archive_must(held_connect(
		&archive.file, NULL,
		SQLITE_OPEN_READWRITE | (is_new ? SQLITE_OPEN_CREATE : 0), &archive.db));
	atexit(roll_back);
	guard_connection(archive.db, GUARD_WRITE);
	sqlite3_busy_handler(archive.db, wait_for_lock, NULL);
	execute("PRAGMA journal_mode = DELETE;"
		"PRAGMA synchronous = FULL;"
		"PRAGMA cell_size_check = ON;"
		"PRAGMA temp_store = MEMORY");
	if (!is_new)
		return;
	make_tables();
	/* two that make it at the same time: what is there now is checked, too */
	check(path);
}

void archive_close(void)
{
	sqlite3_close(archive.db);
	archive.db = NULL;
	held_done(&archive.file);
}
