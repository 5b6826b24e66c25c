/* SPDX-License-Identifier: MIT */
/*
 * run.db for prof-record's few questions: any file may stand there. Must not be kept
 * open while the program runs.
 */
#pragma once

#include "collector/database/guard.h"
#include "collector/database/held.h"

struct record_db {
	struct held_file file;
	struct sqlite3 *db; /* NULL: not opened */
};

/* Opens path when it is a run.db whose schema is ours; for writing also only when it is
 * ours. A lock is waited for busy_ms. 0 or -errno; record_db_close() in any case. */
int record_db_open(struct record_db *ret, const char *path, enum guard_use use,
		   int busy_ms);
void record_db_close(struct record_db *db);
