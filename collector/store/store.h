/* SPDX-License-Identifier: MIT */
/*
 * Writes run.db. Must not touch a file that is not ours.
 *
 * A NEW FILE is made under another name, in the spool if possible, and gets its own name
 * when it is complete and on the disk. So run.db exists with the run or not at all, and
 * nobody has to wait for its maker.
 *
 * AN EXISTING FILE is written in short turns (STORE_TURN_NS), each a transaction of its
 * own, so that others can store and read in between. A run that takes more than one turn
 * is announced in the table storing, which keeps its ids and hides its rows until the
 * last turn adds its row to run. Most runs take one turn.
 */
#pragma once

#include <stddef.h>

#include "collector/ingest/ingest.h"
#include "collector/store/waiting.h"

struct sqlite3;

/*
 * Appends the run to output, which is created if needed, or replaces the run of the same
 * token there. 0: the run is on the disk, and its spool may go. -errno with a sentence:
 * the runs in output are unchanged, except for an earlier version of the same run.
 * Refuses a file that is not a database, belongs to another program, version or user, or
 * has a schema that is not ours. waiting and *ret_run_id may be NULL.
 */
int store_run(const char *output, const struct ingest *ingest,
	      const struct store_waiting *waiting, int64_t *ret_run_id, char *error,
	      size_t error_size);

/* Adds or replaces the run in any handle with the schema, in one transaction. After
 * -errno, with a sentence, nothing has changed. */
int store_run_into(struct sqlite3 *db, const struct ingest *ingest, char *error,
		   size_t error_size);
