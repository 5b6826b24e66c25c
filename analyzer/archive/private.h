/* SPDX-License-Identifier: MIT */
/* Shared by the files of archive/. Must not be included elsewhere. */
#pragma once

#include "analyzer/archive/archive.h"
#include "analyzer/archive/rows.h"
#include "collector/store/held.h"

#include <sqlite3.h>

/* A run that others are differences from: the latest that was read. Zeroed: none. */
struct archive_reference {
	int64_t run_id;
	struct rows rows;
};

struct archive {
	sqlite3 *db;
	struct held_file file;
	const char *path; /* borrowed */
	unsigned waited_ms;
	struct archive_reference reference;
};

/* open.c: turns a code of SQLite into a sentence and -errno. */
int archive_fail(struct archive *archive, int code, struct strbuf *error);
/* A statement with these numbers bound, from the first parameter on; NULL: *code says
 * why. */
sqlite3_stmt *archive_ask(struct archive *archive, const char *sql, int *code,
			  const int64_t *numbers, int count);

/* take.c: reads a run of this archive into rows of the tables of like, a run.db.
 * reference: NULL, or where the run's is, or is put. -EINVAL: damaged. */
int archive_unpack(sqlite3 *db, int64_t run_id, sqlite3 *like,
		   struct archive_reference *reference, struct rows *ret,
		   struct strbuf *error);
/* Reads the reference, unless it is the one at hand. */
int archive_read_reference(sqlite3 *db, int64_t run_id, sqlite3 *like,
			   struct archive_reference *ret, struct strbuf *error);
void archive_forget_reference(struct archive_reference *reference);

/* git.c: a tag's name and value; lives as long as the call. */
typedef void git_tell(void *context, const char *name, const char *value);
/* Tells commit and branch of the work tree that the directory is in, as it was at the
 * time (ISO 8601): if its HEAD has not moved since. */
void git_tags(const char *directory, const char *since_utc, git_tell *tell,
	      void *context);
