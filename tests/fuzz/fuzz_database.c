/* SPDX-License-Identifier: MIT */
/* What this is: see fuzz_database.h. */
#include "tests/fuzz/fuzz_database.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "collector/store/guard.h"

/* The statements that empty all tables. */
static char *find_tables(struct sqlite3 *db)
{
	static const char sql[] =
		"SELECT 'BEGIN;' || group_concat('DELETE FROM ' || name, ';') "
		"|| ';COMMIT' FROM sqlite_master WHERE type = 'table'";
	struct sqlite3_stmt *statement;
	char *deletes = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		deletes = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return deletes;
}

struct sqlite3 *fuzz_database(void)
{
	static struct sqlite3 *db;
	static char *deletes;

	if (!db && (guard_open_memory(&db) != 0 || !(deletes = find_tables(db))))
		abort();
	if (sqlite3_exec(db, deletes, NULL, NULL, NULL) != SQLITE_OK)
		abort();
	return db;
}
