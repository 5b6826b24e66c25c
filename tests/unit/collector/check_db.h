/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what tests ask a run.db, and ingesting into one.
 * Runs on:       tests.
 * See also:      make_segment.h
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/ingest/ingest.h"
#include "tests/unit/collector/make_segment.h"

struct sqlite3;

/* Ingests the run into a new database in memory; fails the test when that fails. */
struct sqlite3 *check_ingest(const struct make_run *run,
			     const struct ingest_watch *watch);

/* The single number a query gives; fails the test when there is none. */
int64_t check_int(struct sqlite3 *db, const char *sql);

/* Fails the test unless the query's rows, columns joined by '|' and rows by ';', are as
 * expected; NULL is empty. */
void check_rows(struct sqlite3 *db, const char *sql, const char *expected);

/* The sums that hold in every run. */
void check_invariants(struct sqlite3 *db);

/* Stores the run as it is now, under the token, where it says. 0, or what store_run()
 * returns, with its sentence in error. */
int check_store(const struct make_run *run, const struct make_file *file, uint64_t token,
		char *error, size_t error_size);

/* Fails the test when that fails. */
void check_must_store(const struct make_run *run, const struct make_file *file,
		      uint64_t token);

/* What was stored; the caller closes it. */
struct sqlite3 *check_output(const struct make_run *run);

/* A run of one process with one lane, which has ended. */
struct check_one {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	uint32_t process_slot;
	struct make_lane lane;
};

#define CHECK_END (MAKE_START + 10000000)

void check_begin(struct check_one *ret);

/* Checks the invariants, and removes all there is. */
void check_end(struct check_one *one, struct sqlite3 *db);
