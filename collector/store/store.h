/* SPDX-License-Identifier: MIT */
/*
 * run.db, for writing. Must not touch a file that is not ours.
 *
 * A NEW FILE is made under another name, in the spool where there is room for it, and
 * gets its own name when it is whole and on the disk: whatever happens, run.db is there
 * with the run or not at all, and nobody waits for who is making it.
 *
 * A FILE THAT IS THERE is written in short turns (STORE_TURN_NS), each a transaction of
 * its own, so that others can store and read in between. A run that takes longer than
 * one turn is announced in the table storing, which keeps its ids and hides its rows
 * until the last turn adds its row to run. Most runs take one turn.
 */
#pragma once

#include <stddef.h>

#include "collector/ingest/ingest.h"
#include "collector/store/waiting.h"

struct sqlite3;

/*
 * Appends the run to output, which is made when it is not there, or replaces the one of
 * the same token there. After 0 the run is on the disk: its spool may go. After an error,
 * -errno with a sentence, the runs in output are what they were, but for an earlier
 * version of the same run. Refuses what is not a database, another program's, another
 * version's, somebody else's, or has a schema that is not ours. waiting may be NULL.
 * *ret_run_id may be NULL.
 */
int store_run(const char *output, const struct ingest *ingest,
	      const struct store_waiting *waiting, int64_t *ret_run_id, char *error,
	      size_t error_size);

/* Adds or replaces the run in any handle with the schema, in one transaction: after an
 * error, -errno with a sentence, nothing has changed. */
int store_run_into(struct sqlite3 *db, const struct ingest *ingest, char *error,
		   size_t error_size);
