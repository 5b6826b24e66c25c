/* SPDX-License-Identifier: MIT */
/* Inserts computed rows into tables of this connection. */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

struct rundb_insert {
	struct rundb *db;
	sqlite3_stmt *statement;
	int result;
};

static char *statement_of(const char *table, int column_count)
{
	struct strbuf sql = {0};
	char *name = sqlite3_mprintf("INSERT INTO temp.\"%w\" VALUES (", table);

	strbuf_puts(&sql, name ? name : "");
	for (int i = 0; i < column_count; i++)
		strbuf_puts(&sql, i ? ", ?" : "?");
	strbuf_putc(&sql, ')');
	sqlite3_free(name);
	return sql.data;
}

struct rundb_insert *rundb_insert_begin(struct rundb *db, const char *table,
					int column_count)
{
	struct rundb_insert *insert = xcalloc(1, sizeof(*insert));
	auto_free char *sql = statement_of(table, column_count);

	insert->db = db;
	insert->result = sqlite3_exec(
		db->handle, "PRAGMA query_only = OFF; SAVEPOINT rows", NULL, NULL, NULL);
	if (insert->result == SQLITE_OK)
		insert->result =
			sqlite3_prepare_v2(db->handle, sql, -1, &insert->statement, NULL);
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
	int count =
		insert->statement ? sqlite3_bind_parameter_count(insert->statement) : 0;

	for (int i = 0; i < count && insert->result == SQLITE_OK; i++)
		insert->result = bind(insert->statement, i + 1, &cells[i]);
	if (insert->result != SQLITE_OK)
		return;
	sqlite3_step(insert->statement);
	insert->result = sqlite3_reset(insert->statement);
}

int rundb_insert_end(struct rundb_insert *insert)
{
	struct rundb *db = insert->db;
	int result = insert->result == SQLITE_OK ? 0 : rundb_fail(db, insert->result);

	sqlite3_finalize(insert->statement);
	sqlite3_exec(db->handle, "RELEASE rows; PRAGMA query_only = ON", NULL, NULL,
		     NULL);
	free(insert);
	return result;
}
