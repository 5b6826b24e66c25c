/* SPDX-License-Identifier: MIT */
/* Shared by the files of archive/. Must not be included elsewhere. */
#pragma once

#include "analyzer/archive/archive.h"
#include "analyzer/archive/rows.h"

#include <sqlite3.h>

/* open.c: the archive that is added to. Fails unless SQLite's code is OK, ROW or DONE;
 * returns it. */
int archive_must(int code);
/* A statement, its first parameter bound to the number; 0: not bound. */
sqlite3_stmt *archive_ask(const char *sql, int64_t number);
sqlite3 *archive_handle(void);
const char *archive_path(void);

/* A run that others are differences from: the latest that was read. Zeroed: none. */
struct archive_reference {
	int64_t run_id;
	struct rows rows;
};

/* take.c: reads a run of this archive into rows of the tables of like, a run.db.
 * reference: NULL, or where the run's is, or is put. */
void archive_unpack(sqlite3 *db, int64_t run_id, sqlite3 *like,
		    struct archive_reference *reference, struct rows *ret);
/* Reads the reference, unless it is the one at hand. */
void archive_read_reference(sqlite3 *db, int64_t run_id, sqlite3 *like,
			    struct archive_reference *ret);

/* git.c: a tag's name and value; lives as long as the call. */
typedef void git_tell(void *context, const char *name, const char *value);
/* Tells commit and branch of the work tree that the directory is in, as it was at the
 * time (ISO 8601): if its HEAD has not moved since. */
void git_tags(const char *directory, const char *since_utc, git_tell *tell,
	      void *context);
