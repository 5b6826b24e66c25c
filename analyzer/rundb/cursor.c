/* SPDX-License-Identifier: MIT */
/*
 * Queries: prepare, bind, step, and whole results into tables. Must not trust the types
 * of values: a damaged file may hold any.
 */
#include "analyzer/rundb/rundb.h"

#include "common/base/command.h"
#include "common/base/xalloc.h"
#include "analyzer/rundb/private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
	struct rundb *db;
	sqlite3_stmt *statement;
	bool is_foreign; /* the user's own query: errors are the query's */
	int64_t result_bytes;
	/* Known columns, in the order of access, which is the same in each row. */
	struct known_column {
		const char *name;
		int column;
	} * known;
	size_t known_count, next_known;
};

struct cursor *rundb_query(struct rundb *db, const char *sql)
{
	struct cursor *cursor = xcalloc(1, sizeof(*cursor));
	int result;

	cursor->db = db;
	limits_start(db, false);
	result = sqlite3_prepare_v2(db->handle, sql, -1, &cursor->statement, NULL);
	if (result != SQLITE_OK)
		rundb_end(db, result);
	return cursor;
}

static _Noreturn void refuse(const char *text)
{
	command_fail(STATUS_FAILED, "sql: %s", text);
}

/* Ends the command, and says why a user's query failed while it ran: by itself, at a
 * limit, or by the file. */
static _Noreturn void foreign_failure(struct rundb *db, int code)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "the query ");
	if (limits_explain(db, code, &text))
		refuse(strbuf_text(&text));
	if ((code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_TOOBIG)
		refuse(sqlite3_errmsg(db->handle));
	rundb_end(db, code);
}

/* Allows only reading, and only from this database. */
static int authorize(void *context, int action, const char *a, const char *b,
		     const char *database, const char *trigger)
{
	(void)context, (void)b, (void)database, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_FUNCTION:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_PRAGMA:
		return a && (strncmp(a, "table_", 6) == 0 ||
			     strcmp(a, "user_version") == 0 ||
			     strcmp(a, "application_id") == 0)
			       ? SQLITE_OK
			       : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

struct cursor *rundb_query_foreign(struct rundb *db, const char *sql)
{
	struct cursor *cursor = xcalloc(1, sizeof(*cursor));
	const char *rest = "";
	int result;

	cursor->db = db;
	cursor->is_foreign = true;
	limits_start(db, true);
	sqlite3_set_authorizer(db->handle, authorize, NULL);
	limits_prepare(true);
	result = sqlite3_prepare_v2(db->handle, sql, -1, &cursor->statement, &rest);
	limits_prepare(false);
	sqlite3_set_authorizer(db->handle, NULL, NULL);
	if ((result & 0xff) == SQLITE_AUTH)
		refuse("the query may only read; use SELECT");
	if ((result & 0xff) == SQLITE_NOMEM)
		refuse("the query's views are too big to be prepared");
	if (result != SQLITE_OK)
		refuse(sqlite3_errmsg(db->handle));
	/* The authorizer is not asked about VACUUM INTO. */
	if (cursor->statement && !sqlite3_stmt_readonly(cursor->statement))
		refuse("the query may only read; use SELECT");
	if (!cursor->statement)
		refuse("the query is empty");
	if (rest[strspn(rest, " \t\r\n;")])
		refuse("give one statement, not several");
	return cursor;
}

static int parameter_index(struct cursor *cursor, const char *parameter)
{
	return sqlite3_bind_parameter_index(cursor->statement, parameter);
}

void cursor_bind_real(struct cursor *cursor, const char *parameter, double value)
{
	sqlite3_bind_double(cursor->statement, parameter_index(cursor, parameter), value);
}

void cursor_bind_integer(struct cursor *cursor, const char *parameter, int64_t value)
{
	sqlite3_bind_int64(cursor->statement, parameter_index(cursor, parameter), value);
}

void cursor_bind_named(struct cursor *cursor, const char *name, const struct cell *value)
{
	char parameter[64];

	snprintf(parameter, sizeof(parameter), ":%s", name);
	cursor_bind_integer(cursor, parameter, value ? cell_whole(value) : 0);
}

void cursor_bind_text(struct cursor *cursor, const char *parameter, const char *text)
{
	sqlite3_bind_text(cursor->statement, parameter_index(cursor, parameter), text, -1,
			  SQLITE_STATIC);
}

/* Counts a row of the user's query against the limit of memory, since rows are kept. */
static void count_row(struct cursor *cursor)
{
	for (int i = 0; i < sqlite3_column_count(cursor->statement); i++) {
		int type = sqlite3_column_type(cursor->statement, i);

		cursor->result_bytes += (int64_t)sizeof(struct cell);
		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			cursor->result_bytes +=
				sqlite3_column_bytes(cursor->statement, i);
	}
	if (limits_memory_bytes() && cursor->result_bytes >= limits_memory_bytes())
		command_fail(STATUS_FAILED,
			     "sql: the query has a result of more than %lld MiB; "
			     "--no-limits lets it go on",
			     (long long)(limits_memory_bytes() >> 20));
}

bool cursor_next(struct cursor *cursor)
{
	int result = sqlite3_step(cursor->statement);

	if (result != SQLITE_ROW && result != SQLITE_DONE) {
		if (cursor->is_foreign)
			foreign_failure(cursor->db, result);
		rundb_end(cursor->db, result);
	}
	if (result == SQLITE_ROW && cursor->is_foreign)
		count_row(cursor);
	return result == SQLITE_ROW;
}

void cursor_bind_row(struct cursor *cursor, const struct cursor *from, int first_column)
{
	int count = sqlite3_column_count(from->statement);

	for (int i = first_column; i < count; i++)
		sqlite3_bind_value(cursor->statement, i - first_column + 1,
				   sqlite3_column_value(from->statement, i));
}

int cursor_run(struct cursor *cursor)
{
	cursor_next(cursor);
	sqlite3_reset(cursor->statement);
	return 0;
}

void cursor_close(struct cursor *cursor)
{
	if (!cursor)
		return;
	sqlite3_finalize(cursor->statement);
	free(cursor->known);
	free(cursor);
}

void cursor_close_at(struct cursor **cursor)
{
	cursor_close(*cursor);
}

int cursor_find(const struct cursor *cursor, const char *name, size_t size)
{
	for (int i = 0; i < cursor_column_count(cursor); i++) {
		const char *own = cursor_column_name(cursor, i);

		if (strncmp(own, name, size) == 0 && !own[size])
			return i;
	}
	return -1;
}

/* An unknown name is our mistake: the query is ours, too. */
static int find_column(struct cursor *cursor, const char *name)
{
	int column = cursor_find(cursor, name, strlen(name));

	if (column >= 0)
		return column;
	fprintf(stderr, "prof-analyze: a query has no column '%s': %s\n", name,
		sqlite3_sql(cursor->statement));
	abort();
}

static int column_number(struct cursor *cursor, const char *name)
{
	struct known_column *known;

	/* Names are constants, and rows are read in the same order: try the next one
	 * first. */
	for (size_t tries = 0; tries < cursor->known_count; tries++) {
		if (cursor->next_known == cursor->known_count)
			cursor->next_known = 0;
		known = &cursor->known[cursor->next_known++];
		if (known->name == name)
			return known->column;
	}
	known = &ARRAY_ADD(cursor->known, cursor->known_count);
	*known = (struct known_column){name, find_column(cursor, name)};
	cursor->next_known = cursor->known_count;
	return known->column;
}

/* Only here integers of a file are checked. In the user's own queries they are shown as
 * they are. */
static int64_t integer_at(struct cursor *cursor, int column)
{
	int64_t value = sqlite3_column_int64(cursor->statement, column);

	return cursor->is_foreign ? value : quantity_judged(value);
}

/* The same for real numbers. Large ones are allowed, since counters may count anything.
 * As integers they go through whole_number(). */
double cursor_real_at(struct cursor *cursor, int column)
{
	double value = sqlite3_column_double(cursor->statement, column);

	return cursor->is_foreign || isfinite(value) ? value : 0;
}

void cursor_quantities(struct cursor *cursor, enum quantity_subject of, int64_t *values)
{
	const struct quantity_list *list = &quantity_lists[of];

	for (size_t i = 0; i < list->count; i++) {
		int column = column_number(cursor, quantities[list->numbers[i]].name);

		values[i] = integer_at(cursor, column);
		/* sums are always known */
		if (list->sums[i] > QUANTITY_OUTERMOST &&
		    sqlite3_column_type(cursor->statement, column) == SQLITE_NULL)
			values[i] = QUANTITY_UNKNOWN;
	}
}

int64_t cursor_integer(struct cursor *cursor, const char *name)
{
	return integer_at(cursor, column_number(cursor, name));
}

double cursor_real(struct cursor *cursor, const char *name)
{
	return cursor_real_at(cursor, column_number(cursor, name));
}

const char *cursor_text_at(struct cursor *cursor, int column)
{
	return (const char *)sqlite3_column_text(cursor->statement, column);
}

const char *cursor_text(struct cursor *cursor, const char *name)
{
	return cursor_text_at(cursor, column_number(cursor, name));
}

bool cursor_is_null(struct cursor *cursor, const char *name)
{
	return sqlite3_column_type(cursor->statement, column_number(cursor, name)) ==
	       SQLITE_NULL;
}

int cursor_column_count(const struct cursor *cursor)
{
	return sqlite3_column_count(cursor->statement);
}

const char *cursor_column_name(const struct cursor *cursor, int column)
{
	const char *name = sqlite3_column_name(cursor->statement, column);

	return name ? name : "?";
}

static struct cell blob_cell(struct cursor *cursor, int column, struct table *table)
{
	const unsigned char *bytes = sqlite3_column_blob(cursor->statement, column);
	int size = sqlite3_column_bytes(cursor->statement, column);
	ended_by(strbuf_free) struct strbuf text = {0};

	for (int i = 0; i < size; i++)
		strbuf_printf(&text, "%02x", bytes[i]);
	return table_text(table, strbuf_text(&text));
}

struct cell cursor_cell(struct cursor *cursor, int column, struct table *table)
{
	switch (sqlite3_column_type(cursor->statement, column)) {
	case SQLITE_INTEGER:
		return cell_integer(integer_at(cursor, column));
	case SQLITE_FLOAT:
		return cell_real(cursor_real_at(cursor, column));
	case SQLITE_TEXT:
		return table_text(table, cursor_text_at(cursor, column));
	case SQLITE_BLOB:
		return blob_cell(cursor, column, table);
	default:
		return (struct cell){.kind = CELL_NULL};
	}
}

/* A value of the wrong kind, which only a damaged file has, becomes NULL. */
static struct cell fitting(struct cell cell, enum column_type type)
{
	bool is_text = cell.kind == CELL_TEXT;

	if (type == COLUMN_ANY || cell.kind == CELL_NULL)
		return cell;
	if (is_text != (type == COLUMN_TEXT || type == COLUMN_NAME ||
			type == COLUMN_LOCATION || type == COLUMN_FILE ||
			type == COLUMN_CHAIN))
		return (struct cell){.kind = CELL_NULL};
	return cell;
}

void cursor_fill(struct cursor *cursor, struct table *table)
{
	auto_free int *from = xreallocarray(NULL, table->column_count, sizeof(*from));
	int line = cursor_find(cursor, "line", 4);

	for (size_t i = 0; i < table->column_count; i++)
		from[i] = cursor_find(cursor, table->columns[i].name,
				      strlen(table->columns[i].name));
	while (cursor_next(cursor)) {
		struct cell *row = table_add_row(table);

		for (size_t i = 0; i < table->column_count; i++) {
			enum column_type type = table->columns[i].type;

			if (from[i] < 0)
				continue;
			row[i] = fitting(cursor_cell(cursor, from[i], table), type);
			if (type == COLUMN_LOCATION && line >= 0)
				row[i].line = (uint32_t)sqlite3_column_int64(
					cursor->statement, line);
		}
	}
	cursor_close(cursor);
}
