/* SPDX-License-Identifier: MIT */
/* Inserts computed rows into tables of this connection. */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

struct rundb_insert {
	struct rundb *db;
	sqlite3_stmt *statement;
};

static void check(struct rundb *db, int result)
{
	if (result != SQLITE_OK)
		rundb_end(db, result);
}

/* A row has as many values as the table has columns. */
static char *statement_of(struct rundb *db, const char *table)
{
	char *select = sqlite3_mprintf("SELECT * FROM temp.\"%w\"", table), *insert;
	sqlite3_str *sql = sqlite3_str_new(db->handle);
	sqlite3_stmt *rows;

	check(db, sqlite3_prepare_v2(db->handle, select, -1, &rows, NULL));
	sqlite3_str_appendf(sql, "INSERT INTO temp.\"%w\" VALUES (?", table);
	for (int i = 1; i < sqlite3_column_count(rows); i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	sqlite3_finalize(rows);
	sqlite3_free(select);
	insert = sqlite3_str_finish(sql);
	if (!insert)
		rundb_end(db, SQLITE_NOMEM);
	return insert;
}

struct rundb_insert *rundb_insert_begin(struct rundb *db, const char *table)
{
	struct rundb_insert *insert = xcalloc(1, sizeof(*insert));
	char *sql = statement_of(db, table);

	insert->db = db;
	check(db, sqlite3_exec(db->handle, "PRAGMA query_only = OFF; SAVEPOINT rows",
			       NULL, NULL, NULL));
	check(db, sqlite3_prepare_v2(db->handle, sql, -1, &insert->statement, NULL));
	sqlite3_free(sql);
	return insert;
}

static int bind(sqlite3_stmt *statement, int number, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_INTEGER:
		return sqlite3_bind_int64(statement, number, cell->integer);
	case CELL_REAL:
		return sqlite3_bind_double(statement, number, cell->real);
	case CELL_TEXT:
		return sqlite3_bind_text(statement, number, cell->text, -1,
					 SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, number);
	}
}

void rundb_insert_row(struct rundb_insert *insert, const struct cell *cells)
{
	int count = sqlite3_bind_parameter_count(insert->statement);

	for (int i = 0; i < count; i++)
		check(insert->db, bind(insert->statement, i + 1, &cells[i]));
	sqlite3_step(insert->statement);
	check(insert->db, sqlite3_reset(insert->statement));
}

void rundb_insert_end(struct rundb_insert *insert)
{
	sqlite3_finalize(insert->statement);
	sqlite3_exec(insert->db->handle, "RELEASE rows; PRAGMA query_only = ON", NULL,
		     NULL, NULL);
	free(insert);
}
