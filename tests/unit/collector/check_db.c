/* SPDX-License-Identifier: MIT */
#include "collector/ingest/ingest.h"
#include "tests/unit/collector/check_db.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "collector/store/guard.h"
#include "collector/store/store.h"

struct sqlite3 *check_ingest(const struct make_run *run, const struct ingest_watch *watch)
{
	static const struct ingest_watch nothing;
	struct ingest ingest;
	struct sqlite3 *db = NULL;
	char error[512] = "";

	if (ingest_load(&ingest, &run->rundir, watch ? watch : &nothing, error,
			sizeof(error)) < 0 ||
	    guard_open_memory(&db) != 0 ||
	    store_run_into(db, &ingest, error, sizeof(error)) < 0)
		fail_msg("%s", error);
	ingest_done(&ingest);
	return db;
}

int check_store(const struct make_run *run, const struct make_file *file, uint64_t token,
		char *error, size_t error_size)
{
	static const struct ingest_watch nothing;
	struct ingest ingest;
	int result;

	run->page->token = run->state->token = file->file->token = token;
	assert_int_equal(ingest_load(&ingest, &run->rundir, &nothing, error, error_size),
			 0);
	result = store_run(run->output, &ingest, NULL, NULL, error, error_size);
	ingest_done(&ingest);
	return result;
}

void check_must_store(const struct make_run *run, const struct make_file *file,
		      uint64_t token)
{
	char error[512] = "";

	if (check_store(run, file, token, error, sizeof(error)) < 0)
		fail_msg("%s", error);
}

struct sqlite3 *check_output(const struct make_run *run)
{
	struct sqlite3 *db;

	assert_int_equal(sqlite3_open(run->output, &db), SQLITE_OK);
	return db;
}

static sqlite3_stmt *prepare(struct sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sqlite3_errmsg(db), sql);
	return statement;
}

int64_t check_int(struct sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = prepare(db, sql);
	int64_t value = 0;

	if (sqlite3_step(statement) != SQLITE_ROW)
		fail_msg("no row: %s", sql);
	else
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

void check_rows(struct sqlite3 *db, const char *sql, const char *expected)
{
	sqlite3_stmt *statement = prepare(db, sql);
	char found[4096] = "";
	size_t at = 0;

	while (sqlite3_step(statement) == SQLITE_ROW && at < sizeof(found)) {
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *text =
				(const char *)sqlite3_column_text(statement, i);

			at += (size_t)snprintf(found + at, sizeof(found) - at, "%s%s",
					       i    ? "|"
					       : at ? ";"
						    : "",
					       text ? text : "");
			if (at >= sizeof(found))
				break;
		}
	}
	sqlite3_finalize(statement);
	if (strcmp(found, expected) != 0)
		fail_msg("%s\n    gives %s\n    not   %s", sql, found, expected);
}

void check_invariants(struct sqlite3 *db)
{
	check_rows(db,
		   "SELECT (SELECT TOTAL(self_ns) FROM path) = (SELECT TOTAL(total_ns) "
		   "FROM path WHERE parent_path_id IS NULL), (SELECT TOTAL(raw_self_ns) "
		   "FROM path) = (SELECT TOTAL(raw_total_ns) FROM path "
		   "WHERE parent_path_id IS NULL)",
		   "1|1");
	check_rows(db,
		   "SELECT COUNT(*) FROM path p WHERE total_ns <> self_ns + (SELECT "
		   "TOTAL(total_ns) FROM path c WHERE c.parent_path_id = p.path_id)",
		   "0");
	check_rows(
		db,
		"SELECT COUNT(*) FROM function f WHERE calls <> (SELECT TOTAL(calls) "
		"FROM path p WHERE p.function_id = f.function_id) OR total_ns < self_ns",
		"0");
	check_rows(db,
		   "SELECT alloc_count = (SELECT TOTAL(alloc_count) FROM site), "
		   "live_bytes_at_exit = (SELECT TOTAL(live_bytes) FROM site) FROM run",
		   "1|1");
	check_rows(
		db,
		"SELECT COUNT(*) FROM path p WHERE (SELECT COUNT(*) FROM path_lane) AND "
		"(calls <> (SELECT TOTAL(calls) FROM path_lane l WHERE l.path_id = "
		"p.path_id) OR unwound_count <> (SELECT TOTAL(unwound_count) FROM "
		"path_lane l WHERE l.path_id = p.path_id) OR self_ns <> (SELECT "
		"TOTAL(self_ns) FROM path_lane l "
		"WHERE l.path_id = p.path_id))",
		"0");
}

void check_begin(struct check_one *ret)
{
	make_run(&ret->run, MAKE_TOKEN);
	make_file(&ret->file, &ret->run, "100-1");
	ret->process =
		make_process(&ret->file, 100, MAKE_START, CHECK_END, &ret->process_slot);
	make_lane(&ret->lane, &ret->file, ret->process, ret->process_slot);
}

void check_end(struct check_one *one, struct sqlite3 *db)
{
	check_invariants(db);
	sqlite3_close(db);
	make_file_free(&one->file);
	make_run_free(&one->run);
}
