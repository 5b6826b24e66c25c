/* SPDX-License-Identifier: MIT */
/* Rows over sqlite3_bind_*(). Must not know a table. */
#include "collector/store/row.h"

#include <sqlite3.h>

#include "collector/store/ids.h"

void row_open(struct row *row, struct store *store, const char *insert)
{
	*row = (struct row){.store = store};
	row->code = sqlite3_prepare_v2(store->db, insert, -1, &row->statement, NULL);
}

static void keep(struct row *row, int code)
{
	if (row->code == SQLITE_OK)
		row->code = code;
}

void row_null(struct row *row)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_null(row->statement, row->column));
}

void row_int(struct row *row, int64_t value)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_int64(row->statement, row->column, value));
}

void row_count(struct row *row, uint64_t value)
{
	row_int(row, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void row_real(struct row *row, double value)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_double(row->statement, row->column, value));
}

void row_text(struct row *row, const char *text)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_text(row->statement, row->column, text, -1,
					    SQLITE_STATIC));
}

void row_copy(struct row *row, const char *text)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_text(row->statement, row->column,
					    text && *text ? text : NULL, -1,
					    SQLITE_TRANSIENT));
}

void row_blob(struct row *row, const void *data, size_t size)
{
	row->column++;
	if (row->code == SQLITE_OK)
		keep(row, sqlite3_bind_blob64(row->statement, row->column, data, size,
					      SQLITE_STATIC));
}

void row_next(struct row *row)
{
	int code;

	if (row->code != SQLITE_OK)
		return;
	code = sqlite3_step(row->statement);
	keep(row, code == SQLITE_DONE ? SQLITE_OK : code);
	keep(row, sqlite3_reset(row->statement));
	row->column = 0;
	if (row->code == SQLITE_OK)
		row->code = store_yield(row->store);
}

int row_close(struct row *row)
{
	int code = row->code;

	sqlite3_finalize(row->statement);
	*row = (struct row){.column = 0};
	return code;
}
