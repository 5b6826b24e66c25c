/* SPDX-License-Identifier: MIT */
/* Reads and writes the rows of a run. Runs on: prof-analyze, main thread. */
#include "analyzer/archive/rows.h"

#include "common/base/xalloc.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "archive.sql.h"

/* Values of a run: a hostile archive must not take all memory. 16 bytes each. */
#define VALUES_MOST (64u << 20)

/* Ids that are not called TABLE_id, or end so. */
static const struct {
	const char *column, *id;
} other_ids[] = {
	{"caller_id", "function_id"}, {"callee_id", "function_id"},
	{"until_id", "snapshot_id"},  {"born_id", "snapshot_id"},
	{"freed_id", "snapshot_id"},
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The table whose rows the column's numbers are ids of; -1: none. */
static int table_meant(const struct rows *rows, const char *column)
{
	for (size_t i = 0; i < sizeof(other_ids) / sizeof(other_ids[0]); i++)
		if (strcmp(column, other_ids[i].column) == 0)
			column = other_ids[i].id;
	for (size_t i = 0; i < rows->table_count; i++)
		if (rows->tables[i].has_ids &&
		    ends_with(column, rows->tables[i].columns[0].name))
			return (int)i;
	return -1;
}

static int describe_columns(struct rows_table *table, struct sqlite3 *db)
{
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(db, archive_sql_columns, -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		struct rows_column *column =
			&ARRAY_ADD(table->columns, table->column_count);

		code = SQLITE_OK;
		column->name = xstrdup((const char *)sqlite3_column_text(statement, 0));
		column->is_run_id = strcmp(column->name, "run_id") == 0;
	}
	sqlite3_finalize(statement);
	if (table->column_count && !table->columns[0].is_run_id) {
		size_t length = strlen(table->name);

		table->has_ids =
			strncmp(table->columns[0].name, table->name, length) == 0 &&
			strcmp(table->columns[0].name + length, "_id") == 0;
	}
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int rows_describe(struct rows *rows, struct sqlite3 *db)
{
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(db, archive_sql_tables, -1, &statement, NULL);

	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		struct rows_table *table = &ARRAY_ADD(rows->tables, rows->table_count);

		table->name = xstrdup((const char *)sqlite3_column_text(statement, 0));
		table->has_rowid = !sqlite3_column_int(statement, 1);
		code = describe_columns(table, db);
	}
	sqlite3_finalize(statement);
	for (size_t i = 0; i < rows->table_count; i++)
		for (size_t k = 0; k < rows->tables[i].column_count; k++) {
			struct rows_column *column = &rows->tables[i].columns[k];

			column->of = table_meant(rows, column->name);
		}
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* "SELECT a, b FROM t WHERE run_id = ?"; a table without run_id is found by its first
 * column, an id. */
static void put_select(struct strbuf *sql, const struct rows *rows,
		       const struct rows_table *table)
{
	const struct rows_column *first = &table->columns[0];
	bool has_run = false;

	strbuf_puts(sql, "SELECT ");
	for (size_t i = 0; i < table->column_count; i++) {
		strbuf_printf(sql, "%s\"%s\"", i ? ", " : "", table->columns[i].name);
		has_run |= table->columns[i].is_run_id;
	}
	strbuf_printf(sql, " FROM \"%s\" WHERE ", table->name);
	if (has_run)
		strbuf_puts(sql, "run_id = ?1");
	else if (first->of >= 0)
		strbuf_printf(sql,
			      "\"%s\" IN (SELECT \"%s\" FROM \"%s\" WHERE run_id = ?1)",
			      first->name, first->name, rows->tables[first->of].name);
	else
		strbuf_puts(sql, "0"); /* of no run */
	if (table->has_rowid)
		strbuf_puts(sql, " ORDER BY rowid");
}

static struct rows_value value_of(struct rows *rows, sqlite3_stmt *statement, int column)
{
	struct rows_value value = {.kind = ROWS_NULL};
	double real;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		value.kind = ROWS_INTEGER;
		value.number = sqlite3_column_int64(statement, column);
		break;
	case SQLITE_FLOAT:
		value.kind = ROWS_REAL;
		real = sqlite3_column_double(statement, column);
		memcpy(&value.number, &real, sizeof(real));
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		value.kind = sqlite3_column_type(statement, column) == SQLITE_TEXT
				     ? ROWS_TEXT
				     : ROWS_BLOB;
		value.bytes = sqlite3_column_blob(statement, column);
		value.size = (uint32_t)sqlite3_column_bytes(statement, column);
		value.bytes = arena_copy(&rows->bytes, value.bytes ? value.bytes : "",
					 value.size);
		break;
	}
	return value;
}

bool rows_size(struct rows_table *table, size_t row_count)
{
	if (row_count > VALUES_MOST / (table->column_count + 1))
		return false;
	table->row_count = row_count;
	for (size_t i = 0; i < table->column_count; i++)
		table->columns[i].values =
			xcalloc(row_count + 1, sizeof(*table->columns[i].values));
	return true;
}

void rows_find_ids(struct rows_table *table)
{
	const struct rows_value *ids = table->columns[0].values;

	table->is_numbered = table->has_ids && table->row_count > 0;
	for (size_t i = 0; i < table->row_count && table->is_numbered; i++)
		table->is_numbered = ids[i].kind == ROWS_INTEGER && ids[i].number > 0 &&
				     ids[i].number < INT64_MAX / 2 &&
				     ids[i].number == ids[0].number + (int64_t)i;
	table->first_id = table->is_numbered ? ids[0].number : 0;
}

/* Makes room for twice as many rows when a table is full: counting them first would read
 * it twice. */
static void add_row(struct rows *rows, struct rows_table *table, sqlite3_stmt *statement)
{
	size_t row = table->row_count++;

	for (size_t i = 0; i < table->column_count; i++) {
		struct rows_column *column = &table->columns[i];

		column->values = array_room(column->values, row, sizeof(*column->values));
		column->values[row] = value_of(rows, statement, (int)i);
	}
}

static int read_table(struct rows *rows, struct rows_table *table, struct sqlite3 *db,
		      int64_t run_id)
{
	struct strbuf sql = {0};
	sqlite3_stmt *statement;
	int code;

	put_select(&sql, rows, table);
	code = sqlite3_prepare_v2(db, strbuf_text(&sql), -1, &statement, NULL);
	strbuf_free(&sql);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(statement, 1, run_id);
	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		code = SQLITE_OK;
		if (table->row_count >= VALUES_MOST / (table->column_count + 1))
			code = SQLITE_TOOBIG;
		else
			add_row(rows, table, statement);
	}
	sqlite3_finalize(statement);
	if (table->row_count)
		rows_find_ids(table);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int rows_read(struct rows *rows, struct sqlite3 *db, int64_t run_id)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < rows->table_count && code == SQLITE_OK; i++)
		code = read_table(rows, &rows->tables[i], db, run_id);
	return code;
}

static int bind(sqlite3_stmt *statement, int number, const struct rows_value *value,
		int64_t moved)
{
	double real;

	switch (value->kind) {
	case ROWS_INTEGER:
		return sqlite3_bind_int64(statement, number,
					  value->number > 0 &&
							  value->number < INT64_MAX / 2
						  ? value->number + moved
						  : value->number);
	case ROWS_REAL:
		memcpy(&real, &value->number, sizeof(real));
		return sqlite3_bind_double(statement, number, real);
	case ROWS_TEXT:
		return sqlite3_bind_text(statement, number, value->bytes,
					 (int)value->size, SQLITE_STATIC);
	case ROWS_BLOB:
		return sqlite3_bind_blob(statement, number, value->bytes,
					 (int)value->size, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, number);
	}
}

static int write_table(const struct rows_table *table, struct sqlite3 *db, int64_t run_id,
		       const int64_t *moved)
{
	struct strbuf sql = {0};
	sqlite3_stmt *statement;
	int code;

	strbuf_printf(&sql, "INSERT INTO \"%s\" VALUES (", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		strbuf_puts(&sql, i ? ", ?" : "?");
	strbuf_putc(&sql, ')');
	code = sqlite3_prepare_v2(db, strbuf_text(&sql), -1, &statement, NULL);
	strbuf_free(&sql);
	for (size_t row = 0; row < table->row_count && code == SQLITE_OK; row++) {
		for (size_t i = 0; i < table->column_count && code == SQLITE_OK; i++) {
			const struct rows_column *column = &table->columns[i];

			code = column->is_run_id
				       ? sqlite3_bind_int64(statement, (int)i + 1, run_id)
				       : bind(statement, (int)i + 1, &column->values[row],
					      column->of < 0 ? 0 : moved[column->of]);
		}
		if (code == SQLITE_OK)
			code = sqlite3_step(statement);
		if (code == SQLITE_DONE)
			code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

/* How far the ids of this run must be moved to stand behind those that are there. */
static int find_moved(const struct rows *rows, struct sqlite3 *db, int64_t *moved)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < rows->table_count && code == SQLITE_OK; i++) {
		const struct rows_table *table = &rows->tables[i];
		struct strbuf sql = {0};
		sqlite3_stmt *statement;

		if (!table->has_ids)
			continue;
		strbuf_printf(&sql, "SELECT MAX(\"%s\") FROM \"%s\"",
			      table->columns[0].name, table->name);
		code = sqlite3_prepare_v2(db, strbuf_text(&sql), -1, &statement, NULL);
		if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
			moved[i] = sqlite3_column_int64(statement, 0);
		sqlite3_finalize(statement);
		strbuf_free(&sql);
	}
	return code;
}

int rows_write(const struct rows *rows, struct sqlite3 *db, int64_t run_id)
{
	auto_free int64_t *moved = xcalloc(rows->table_count + 1, sizeof(*moved));
	int code = find_moved(rows, db, moved);

	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "SAVEPOINT archived", NULL, NULL, NULL);
	for (size_t i = 0; i < rows->table_count && code == SQLITE_OK; i++)
		code = write_table(&rows->tables[i], db, run_id, moved);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "RELEASE archived", NULL, NULL, NULL);
	return code;
}

void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->table_count; i++) {
		struct rows_table *table = &rows->tables[i];

		for (size_t k = 0; k < table->column_count; k++) {
			free(table->columns[k].name);
			free(table->columns[k].values);
		}
		free(table->columns);
		free(table->name);
	}
	free(rows->tables);
	arena_free(&rows->bytes);
	*rows = (struct rows){0};
}
