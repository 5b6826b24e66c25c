/* SPDX-License-Identifier: MIT */
/* Shared by the files of rundb/. Must not be included elsewhere. */
#pragma once

#include "common/base/text.h"
#include "analyzer/model/table.h"
#include "collector/store/held.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct rundb {
	sqlite3 *handle;
	char *path;
	bool is_archive;       /* of runs, with tables of its own */
	struct held_file file; /* the file's directory, while it is open */
	struct strbuf error;
	struct rundb_live *live; /* owned */
	unsigned locked_ms;	 /* the latest wait for a lock */
	/* limits.c: when the current query's time is over; 0: never */
	uint64_t cpu_end_ms;
	unsigned allowed_ms;
	bool is_out_of_time;
};

/* limits.c: called on a new connection, when a query begins, and around preparing one. */
void limits_apply(struct rundb *db);
void limits_start(struct rundb *db, bool is_foreign);
void limits_prepare(bool begins);
int64_t limits_memory_bytes(void);
/* Appends why a limit stopped the query; false: none did. */
bool limits_explain(const struct rundb *db, int code, struct strbuf *text);

/* call.c: sets the result of a function, or the value of a column. */
void rundb_put_cell(sqlite3_context *context, struct cell cell);

/* Turns a SQLite result into the database's error sentence and -errno. */
int rundb_fail(struct rundb *db, int code);
/* Ends the command with that sentence. */
_Noreturn void rundb_end(struct rundb *db, int code);
