/* SPDX-License-Identifier: MIT */
/* Rows over sqlite3_bind_*(). Must not know a table. */
#include "collector/store/row.h"

#include <sqlite3.h>

#include "collector/store/ids.h"

static void prepare(struct row *row, struct store *store, const char *table,
		    const char *columns, const struct quantity_list *list)
{
	sqlite3_str *sql = sqlite3_str_new(store->db);
	size_t count = 1 + list->count;
	char *text;

	for (const char *at = columns; *at; at++)
		count += *at == ',';
	sqlite3_str_appendf(sql, "INSERT INTO %s (%s", table, columns);
	for (size_t i = 0; i < list->count; i++)
		sqlite3_str_appendf(sql, ", %s", quantities[list->numbers[i]].name);
	sqlite3_str_appendall(sql, ") VALUES (?");
	while (--count)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	*row = (struct row){.store = store, .code = SQLITE_NOMEM};
	if (text)
		row->code =
			sqlite3_prepare_v2(store->db, text, -1, &row->statement, NULL);
	sqlite3_free(text);
}

void row_open(struct row *row, struct store *store, const char *table,
	      const char *columns)
{
	prepare(row, store, table, columns, &(struct quantity_list){.count = 0});
}

void row_open_with(struct row *row, struct store *store, const char *table,
		   const char *columns, enum quantity_subject of)
{
	prepare(row, store, table, columns, &quantity_lists[of]);
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

void row_quantities(struct row *row, enum quantity_subject of, const int64_t *values)
{
	for (size_t i = 0; i < quantity_lists[of].count; i++) {
		if (values[i] == QUANTITY_UNKNOWN)
			row_null(row);
		else
			row_int(row, values[i]);
	}
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

void row_filled_text(struct row *row, const char *text)
{
	row_text(row, text && *text ? text : NULL);
}

void row_known(struct row *row, int64_t value)
{
	if (value >= 0)
		row_int(row, value);
	else
		row_null(row);
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
