/* SPDX-License-Identifier: MIT */
/*
 * What this is:  run.db, for writing.
 * Runs on:       one thread at a time; several processes may write one file in turn.
 * Must not:      touch a file that is not ours.
 * See also:      common/schema.sql; shim/collector/ingest.h, where rows come from
 */
#pragma once

#include <stddef.h>

#include "shim/collector/ingest.h"

struct sqlite3;

/*
 * Opens run.db for writing, or makes it. Refuses with one sentence in error what is not
 * a database, another program's, of a newer or unknown version, or not writable. 0 or
 * -errno. *ret is closed with store_close().
 */
int store_open(const char *path, struct sqlite3 **ret, char *error, size_t error_size);
void store_close(struct sqlite3 *db);

/*
 * Appends the run, or replaces the one of the same token, in one transaction: after an
 * error nothing has changed. db: from store_open(), or any handle with the schema. Ids go
 * on from the highest ones of the file. 0, or -errno with a sentence in error.
 */
int store_run(struct sqlite3 *db, const struct ingest *ingest, char *error,
	      size_t error_size);

/* The run_id of the run with this token, 0: there is none. */
int64_t store_run_id(struct sqlite3 *db, uint64_t token);
