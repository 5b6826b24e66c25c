/* SPDX-License-Identifier: MIT */
/*
 * An archive of runs: one SQLite file (tables.sql) that others may read, and add to, at
 * the same time. Runs on: prof-analyze, main thread. What fails ends the command; nothing
 * of the run that was being added stays in the archive.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rundb;

/* Opens the archive that the command adds to; makes it if there is none. */
void archive_open(const char *path);
void archive_close(void);

struct archive_added {
	int64_t run_id; /* in the archive */
	bool is_new;	/* else it was there, and only tags were set */
};

/* Adds a run whole, or nothing of it. tags: "NAME=VALUE" each. */
struct archive_added archive_add(struct rundb *db, int64_t run_id,
				 const char *const *tags, size_t tag_count);

/*
 * Takes runs out of an archive, as a run.db in memory with the same run_ids. wanted: runs
 * by number, label or tag (NAME=VALUE), between commas; NULL: the latest. Of what is no
 * number all are taken if takes_all, else the latest. Runs that belong together (ranks of
 * a job, prof-record --plain) come with each other.
 */
struct rundb *archive_take(const char *path, const char *wanted, bool takes_all);
