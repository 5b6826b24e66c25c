/* SPDX-License-Identifier: MIT */
/*
 * Counts and changes labels in run.db. Must not create the file, or wait for a lock
 * longer than BUSY_MS.
 */
#include "record/series/label.h"

#include <unistd.h>

#include <sqlite3.h>

#include "record_summary_sql.h"
#include "record/db.h"

#define BUSY_MS 5000

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql, const char *label)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK)
		sqlite3_bind_text(statement,
				  sqlite3_bind_parameter_index(statement, ":label"),
				  label, -1, SQLITE_STATIC);
	return statement;
}

int64_t record_label_count(const char *output, const char *label)
{
	sqlite3_stmt *statement = NULL;
	struct record_db db;
	int64_t count = 0;

	if (record_db_open(&db, output, GUARD_READ, BUSY_MS) == 0)
		statement = prepare(db.db, record_summary_sql_labelled, label);
	if (statement && sqlite3_step(statement) == SQLITE_ROW)
		count = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	record_db_close(&db);
	return count;
}

bool record_label_plain(const char *output, int64_t run_id, int64_t hooked_run_id)
{
	sqlite3_stmt *statement = NULL;
	struct record_db db;
	bool done = false;

	if (record_db_open(&db, output, GUARD_WRITE, BUSY_MS) == 0)
		sqlite3_prepare_v2(db.db, record_summary_sql_plain, -1, &statement, NULL);
	if (statement) {
		sqlite3_bind_int64(statement,
				   sqlite3_bind_parameter_index(statement, ":run"),
				   run_id);
		sqlite3_bind_int64(statement,
				   sqlite3_bind_parameter_index(statement, ":hooked"),
				   hooked_run_id);
		done = sqlite3_step(statement) == SQLITE_DONE;
	}
	sqlite3_finalize(statement);
	record_db_close(&db);
	return done;
}

bool record_label_change(const char *output, int64_t run_id, const char *label)
{
	sqlite3_stmt *statement = NULL;
	struct record_db db;
	bool done = false;

	if (record_db_open(&db, output, GUARD_WRITE, BUSY_MS) == 0)
		statement = prepare(db.db, record_summary_sql_relabel, label);
	if (statement) {
		sqlite3_bind_int64(statement,
				   sqlite3_bind_parameter_index(statement, ":run"),
				   run_id);
		done = sqlite3_step(statement) == SQLITE_DONE;
	}
	sqlite3_finalize(statement);
	record_db_close(&db);
	return done;
}
