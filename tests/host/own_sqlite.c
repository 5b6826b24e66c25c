/* SPDX-License-Identifier: MIT */
/* A program with an SQLite of its own, and a database in a file. */
#include "truth.h"
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

ALONE static int use(sqlite3 *database)
{
	sqlite3_stmt *statement;
	int sum = -1;

	if (sqlite3_exec(database,
			 "CREATE TABLE t(x); WITH RECURSIVE c(x) AS (SELECT 1 UNION "
			 "ALL SELECT x + 1 FROM c WHERE x < 2000) INSERT INTO t SELECT x "
			 "FROM c",
			 NULL, NULL, NULL) ||
	    sqlite3_prepare_v2(database, "SELECT SUM(x) FROM t", -1, &statement, NULL))
		return -1;
	if (sqlite3_step(statement) == SQLITE_ROW)
		sum = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return sum;
}

int main(void)
{
	sqlite3 *database;

	unlink("own.db");
	if (sqlite3_open("own.db", &database))
		return 1;
	printf("%s: %d\n", sqlite3_libversion(), use(database));
	printf("%d %d\n", sqlite3_close(database), (int)sqlite3_memory_used());
	return unlink("own.db");
}
