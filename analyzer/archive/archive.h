/* SPDX-License-Identifier: MIT */
/*
 * An archive of runs: one SQLite file (tables.sql) that others may read, and add to, at
 * the same time. Runs on: prof-analyze, main thread. Functions that can fail return 0 or
 * -errno and leave one sentence in error.
 */
#pragma once

#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive;
struct rundb;

/* Opens an archive for adding; makes it if there is none. */
int archive_open(const char *path, struct archive **ret, struct strbuf *error);
void archive_close(struct archive *archive);

struct archive_added {
	int64_t run_id; /* in the archive */
	bool is_new;	/* else it was there, and only tags were set */
};

/* Adds a run whole, or nothing of it. tags: "NAME=VALUE" each. */
int archive_add(struct archive *archive, struct rundb *db, int64_t run_id,
		const char *const *tags, size_t tag_count, struct archive_added *ret,
		struct strbuf *error);

/*
 * Takes runs out of an archive, as a run.db in memory with the same run_ids. wanted: runs
 * by number, label or tag (NAME=VALUE), between commas; NULL: the latest. Of what is no
 * number all are taken if takes_all, else the latest. Runs that belong together (ranks of
 * a job, prof-record --plain) come with each other. -ENOENT: there is no such run.
 */
int archive_take(const char *path, const char *wanted, bool takes_all,
		 struct rundb **ret_db, struct strbuf *error);
