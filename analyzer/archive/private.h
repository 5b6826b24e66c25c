/* SPDX-License-Identifier: MIT */
/* Shared by the files of archive/. Must not be included elsewhere. */
#pragma once

#include "analyzer/archive/archive.h"
#include "analyzer/archive/rows.h"
#include "collector/store/held.h"

#include <sqlite3.h>

struct archive {
	sqlite3 *db;
	struct held_file file;
	const char *path; /* borrowed */
	unsigned waited_ms;
	/* The latest reference that was read: other runs are differences from it. */
	int64_t reference_id; /* 0: none */
	struct rows reference;
};

/* open.c: turns a code of SQLite into a sentence and -errno. */
int archive_fail(struct archive *archive, int code, struct strbuf *error);
/* A statement with these numbers bound, from the first parameter on; NULL: *code says
 * why. */
sqlite3_stmt *archive_ask(struct archive *archive, const char *sql, int *code,
			  const int64_t *numbers, int count);

/* take.c: reads a run; its tables are described already. -EINVAL: damaged. */
int archive_unpack(sqlite3 *db, int64_t run_id, struct rows *ret,
		   const struct rows *reference, struct strbuf *error);

/* git.c: a tag's name and value; lives as long as the call. */
typedef void git_tell(void *context, const char *name, const char *value);
/* Tells commit and branch of the work tree that the directory is in, as it was at the
 * time (ISO 8601): if its HEAD has not moved since. */
void git_tags(const char *directory, const char *since_utc, git_tell *tell,
	      void *context);
