/* SPDX-License-Identifier: MIT */
/*
 * Rows in C memory as a table of SQL: an eponymous virtual table that reads them in
 * place. Must not copy, or write.
 */
#include "analyzer/rundb/private.h"
#include "analyzer/rundb/rundb.h"

#include "common/base/xalloc.h"
#include "common/base/text.h"

#include <stdlib.h>

struct shared {
	struct rundb_rows rows;
	void *context;
};

struct rows_table {
	sqlite3_vtab base; /* first, as SQLite requires */
	struct shared *shared;
};

struct rows_cursor {
	sqlite3_vtab_cursor base; /* the same */
	size_t at, count;
};

static const struct shared *shared_of(const struct rows_cursor *cursor)
{
	return ((const struct rows_table *)cursor->base.pVtab)->shared;
}

static int connect_table(sqlite3 *handle, void *shared, int count,
			 const char *const *arguments, sqlite3_vtab **ret, char **error)
{
	const struct rundb_rows *rows = &((struct shared *)shared)->rows;
	struct strbuf sql = {0};
	struct rows_table *table;
	int result;

	(void)count, (void)arguments, (void)error;
	for (size_t i = 0; i < rows->column_count; i++)
		strbuf_printf(&sql, "%s%s", i ? ", " : "CREATE TABLE x (",
			      rows->columns[i]);
	strbuf_putc(&sql, ')');
	result = sqlite3_declare_vtab(handle, strbuf_text(&sql));
	strbuf_free(&sql);
	if (result != SQLITE_OK)
		return result;
	table = xcalloc(1, sizeof(*table));
	table->shared = shared;
	*ret = &table->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* Scans all rows in order, or finds one by its number. */
static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].usable && info->aConstraint[i].iColumn < 0 &&
		    info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
			info->idxNum = 1;
			info->aConstraintUsage[i].argvIndex = 1;
			info->estimatedCost = info->estimatedRows = 1;
			return SQLITE_OK;
		}
	info->estimatedCost = 100000;
	info->estimatedRows = 10000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct rows_cursor *cursor = xcalloc(1, sizeof(*cursor));

	(void)table;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int begin(sqlite3_vtab_cursor *base, int number, const char *text, int count,
		 sqlite3_value **values)
{
	struct rows_cursor *cursor = (struct rows_cursor *)base;
	const struct shared *shared = shared_of(cursor);

	size_t all = shared->rows.count(shared->context), row;

	(void)text, (void)count;
	cursor->at = 0;
	cursor->count = all;
	if (number) {
		row = (size_t)sqlite3_value_int64(values[0]) - 1;
		cursor->at = row < all ? row : all;
		cursor->count = row < all ? row + 1 : all;
	}
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct rows_cursor *)base)->at++;
	return SQLITE_OK;
}

static int is_over(sqlite3_vtab_cursor *base)
{
	const struct rows_cursor *cursor = (struct rows_cursor *)base;

	return cursor->at >= cursor->count;
}

static int put_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct rows_cursor *cursor = (struct rows_cursor *)base;
	const struct shared *shared = shared_of(cursor);

	rundb_put_cell(context,
		       shared->rows.cell(shared->context, cursor->at, (size_t)column));
	return SQLITE_OK;
}

static int put_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((struct rows_cursor *)base)->at + 1;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = connect_table,
	.xBestIndex = plan,
	.xDisconnect = disconnect_table,
	.xDestroy = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin,
	.xNext = next,
	.xEof = is_over,
	.xColumn = put_column,
	.xRowid = put_rowid,
};

void rundb_show_rows(struct rundb *db, const char *name, const struct rundb_rows *rows,
		     void *context)
{
	struct shared *shared = NULL;
	int result;

	if (rows) {
		shared = xmalloc(sizeof(*shared));
		*shared = (struct shared){*rows, context};
	}
	result = sqlite3_create_module_v2(db->handle, name, rows ? &module : NULL, shared,
					  rows ? free : NULL);
	if (result != SQLITE_OK)
		rundb_end(db, result);
}
