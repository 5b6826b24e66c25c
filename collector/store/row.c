/* SPDX-License-Identifier: MIT */
/* Inserts rows with sqlite3_bind_*(), one statement per table. Must not know a table. */
#include "collector/store/row.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

static int has(const struct quantity_list *list, const char *name)
{
	for (size_t i = 0; list && i < list->count; i++)
		if (strcmp(quantities[list->numbers[i]].name, name) == 0)
			return 1;
	return 0;
}

/* Lists the columns as the file has them. Its schema was compared with ours before. */
static void put_columns(struct row *row, const struct row_table *table, sqlite3_str *sql)
{
	const struct quantity_list *list = table->quantities;
	sqlite3_stmt *columns = NULL;

	row->code = sqlite3_prepare_v2(row->store->db,
				       "SELECT name FROM pragma_table_info(?)", -1,
				       &columns, NULL);
	sqlite3_bind_text(columns, 1, table->name, -1, SQLITE_STATIC);
	while (sqlite3_step(columns) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(columns, 0);

		if (name && !has(list, name))
			sqlite3_str_appendf(sql, row->column_count++ ? ", %s" : "%s",
					    name);
	}
	sqlite3_finalize(columns);
	for (size_t i = 0; list && i < list->count; i++)
		sqlite3_str_appendf(sql, ", %s", quantities[list->numbers[i]].name);
}

static void prepare(struct row *row, const struct row_table *table)
{
	size_t more = table->quantities ? table->quantities->count : 0;
	sqlite3_str *sql = sqlite3_str_new(row->store->db);
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO %s (", table->name);
	put_columns(row, table, sql);
	sqlite3_str_appendall(sql, ") VALUES (?");
	for (size_t i = 1; i < row->column_count + more; i++)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	if (row->code == SQLITE_OK)
		row->code = text ? sqlite3_prepare_v2(row->store->db, text, -1,
						      &row->statement, NULL)
				 : SQLITE_NOMEM;
	sqlite3_free(text);
}

int row_fill(struct store *store, const struct row_table *table)
{
	struct row row = {.store = store,
			  .ingest = store->ingest,
			  .ids = &store->ids,
			  .quantities = table->quantities};
	const char *base = (const char *)store->ingest, *element = NULL;
	size_t count = 1;

	if (table->list.size) {
		memcpy(&element, base + table->list.at, sizeof(element));
		memcpy(&count, base + table->list.count_at, sizeof(count));
	}
	prepare(&row, table);
	for (; row.index < count && row.code == SQLITE_OK; row.index++) {
		if (table->quantities)
			row.values = (const void *)(element + table->quantities_at);
		table->add(&row, element);
		if (element)
			element += table->list.size;
	}
	sqlite3_finalize(row.statement);
	return row.code;
}

static int bind(struct sqlite3_stmt *statement, int column, const struct value *value)
{
	switch (value->kind) {
	case VALUE_INTEGER:
		return sqlite3_bind_int64(statement, column, value->integer);
	case VALUE_REAL:
		return sqlite3_bind_double(statement, column, value->real);
	case VALUE_TEXT:
		return sqlite3_bind_text(statement, column, value->data, -1,
					 SQLITE_STATIC);
	case VALUE_BLOB:
		return sqlite3_bind_blob64(statement, column, value->data, value->size,
					   SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, column);
	}
}

void row_insert(struct row *row, const struct value *values, size_t count)
{
	size_t more = row->quantities ? row->quantities->count : 0;
	int column = 0;

	assert(count == row->column_count);
	for (size_t i = 0; i < count && row->code == SQLITE_OK; i++)
		row->code = bind(row->statement, ++column, &values[i]);
	for (size_t i = 0; i < more && row->code == SQLITE_OK; i++) {
		struct value value =
			value_if(row->values[i] != QUANTITY_UNKNOWN, row->values[i]);

		row->code = bind(row->statement, ++column, &value);
	}
	if (row->code != SQLITE_OK)
		return;
	sqlite3_step(row->statement);
	row->code = sqlite3_reset(row->statement);
	if (row->code == SQLITE_OK)
		row->code = store_yield(row->store);
}

struct split_values row_split(int is_known, int64_t duration_ns, uint64_t ready_ns,
			      uint64_t blocked_ns)
{
	int64_t blocked = quantity_of_count(blocked_ns);
	int64_t ready = quantity_of_count(ready_ns);

	if (!is_known)
		return (struct split_values){VALUE_NONE, VALUE_NONE, VALUE_NONE};
	if (blocked > duration_ns)
		blocked = duration_ns;
	if (ready > duration_ns - blocked)
		ready = duration_ns - blocked;
	return (struct split_values){value_integer(duration_ns - ready - blocked),
				     value_integer(ready), value_integer(blocked)};
}
