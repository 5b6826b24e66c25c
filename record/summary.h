/* SPDX-License-Identifier: MIT */
/*
 * run.db for prof-record's few queries; it may be any file. Must not stay open while the
 * program runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/store/guard.h"
#include "collector/store/held.h"

struct record_question {
	struct held_file file;
	struct sqlite3 *db;
	struct sqlite3_stmt *statement; /* NULL: the query failed */
};

/* A parameter of the SQL; the last one has no name. */
struct record_value {
	const char *name;
	int64_t number;
	const char *text; /* NULL: number is used */
};

/* Queries path if it is a run.db with our schema; changes it only if the file is ours,
 * too. Returns SQLite's code of the first step or of what failed. Call record_asked() in
 * any case. */
int record_ask(struct record_question *ret, const char *path, enum guard_use use,
	       const char *sql, const struct record_value *values);
void record_asked(struct record_question *question);

/* Can a run be added to output? It must be missing, empty or a run.db of our version, and
 * writable. Otherwise ends prof-record. */
void record_check_output(const char *output);

/* The highest run_id in the file, 0 when there is no file or no run. */
int64_t record_last_run(const char *output);

struct record_stored {
	int64_t run_id, wall_ns;
	char line[4096 + 256]; /* "run 3 in run.db: 38.2 M calls, 1.2 s, peak 14.3 MiB" */
};

/* Summarizes the newest run after run `before`, preferring one that process `program` was
 * part of. false: there is none, or the file is unreadable. shown_output: the name to
 * print. */
bool record_summary(const char *output, const char *shown_output, int64_t before,
		    pid_t program, struct record_stored *ret);
