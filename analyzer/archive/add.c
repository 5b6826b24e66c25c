/* SPDX-License-Identifier: MIT */
/*
 * Adds a run to an archive, in one transaction. Runs on: prof-analyze, main thread. Must
 * not add a run twice, or believe that it can be read back: it is.
 */
#include "analyzer/archive/pack.h"
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "common/base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.sql.h"
#include "archive_own.sql.h"

/* A run whose difference is not this much smaller than its reference is the reference of
 * those after it. In percent. */
#define LARGE_DIFFERENCE 85
#define INSERTS_MOST 3 /* of one query's rows */

/* Parameters of archive_own_sql_insert_packed, by number. */
enum { PACKED_RUN = 1, PACKED_REFERENCE, PACKED_SIZE, PACKED_ROWS };

struct adding {
	struct rundb *db;
	int64_t run_id; /* in its run.db */
	int64_t number; /* in the archive */
	sqlite3_stmt *tag;
};

/* The reference of the run that was added last. */
static struct archive_reference at_hand;

static const char *text_at(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

/* Runs a statement that changes something. */
static void change(sqlite3_stmt *statement)
{
	archive_must(sqlite3_step(statement));
	sqlite3_reset(statement);
}

/* Fails unless SQLite could read the run.db; returns the code. */
static int must_read(struct adding *adding, int code)
{
	if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
		command_fail(STATUS_FAILED,
			     "%s: is damaged or too large for an archive (%s)",
			     rundb_path(adding->db), sqlite3_errstr(code));
	return code;
}

/* A query of the run.db about the run. */
static sqlite3_stmt *ask_run(struct adding *adding, const char *sql)
{
	sqlite3_stmt *statement;

	must_read(adding, sqlite3_prepare_v2(rundb_handle(adding->db), sql, -1,
					     &statement, NULL));
	must_read(adding, sqlite3_bind_int64(statement, 1, adding->run_id));
	return statement;
}

static bool next(struct adding *adding, sqlite3_stmt *statement)
{
	return must_read(adding, sqlite3_step(statement)) == SQLITE_ROW;
}

/* Parameters that are called like a column of the row get its value; :run is the run's
 * number. */
static void bind_row(struct adding *adding, sqlite3_stmt *statement, sqlite3_stmt *row)
{
	int run = sqlite3_bind_parameter_index(statement, ":run");
	char name[64];

	for (int i = 0; i < sqlite3_column_count(row); i++) {
		int number;

		snprintf(name, sizeof(name), ":%s", sqlite3_column_name(row, i));
		number = sqlite3_bind_parameter_index(statement, name);
		if (number)
			archive_must(sqlite3_bind_value(statement, number,
							sqlite3_column_value(row, i)));
	}
	if (run)
		archive_must(sqlite3_bind_int64(statement, run, adding->number));
}

/* Runs the statements for each row that the query has of the run. */
static void copy(struct adding *adding, const char *query,
		 const char *const inserts[INSERTS_MOST])
{
	sqlite3_stmt *row = ask_run(adding, query), *statements[INSERTS_MOST];

	for (int i = 0; i < INSERTS_MOST && inserts[i]; i++)
		statements[i] = archive_ask(inserts[i], 0);
	while (next(adding, row))
		for (int i = 0; i < INSERTS_MOST && inserts[i]; i++) {
			bind_row(adding, statements[i], row);
			change(statements[i]);
		}
	for (int i = 0; i < INSERTS_MOST && inserts[i]; i++)
		sqlite3_finalize(statements[i]);
	sqlite3_finalize(row);
}

static void tell_tag(void *context, const char *name, const char *value)
{
	struct adding *adding = context;

	sqlite3_bind_int64(adding->tag, 1, adding->number);
	sqlite3_bind_text(adding->tag, 2, name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(adding->tag, 3, value, -1, SQLITE_TRANSIENT);
	change(adding->tag);
}

static void add_tags(struct adding *adding, const char *const *tags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *equals = strchr(tags[i], '=');
		auto_free char *name = xstrndup(tags[i], (size_t)(equals - tags[i]));

		tell_tag(adding, name, equals + 1);
	}
}

/* The run's number in the archive if it is there already, else 0. */
static int64_t find_known(struct adding *adding, sqlite3_stmt *row)
{
	sqlite3_stmt *statement = archive_ask(archive_own_sql_known, 0);
	int64_t number = 0;

	bind_row(adding, statement, row);
	if (archive_must(sqlite3_step(statement)) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* Reads the run that others are differences from, unless it is the one at hand. Returns
 * its packed size, 0: there is none. */
static int64_t find_reference(struct adding *adding)
{
	sqlite3_stmt *statement = archive_ask(archive_own_sql_reference, adding->number);
	int64_t number = 0, size = 0;

	if (archive_must(sqlite3_step(statement)) == SQLITE_ROW) {
		number = sqlite3_column_int64(statement, 0);
		size = sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
	if (number)
		archive_read_reference(archive_handle(), number, rundb_handle(adding->db),
				       &at_hand);
	return number ? size : 0;
}

static bool is_same_value(const struct rows_value *one, const struct rows_value *other)
{
	if (one->kind != other->kind)
		return false;
	if (one->kind == ROWS_TEXT || one->kind == ROWS_BLOB)
		return one->size == other->size &&
		       memcmp(one->bytes, other->bytes, one->size) == 0;
	return one->kind == ROWS_NULL || one->number == other->number;
}

static bool is_same_table(const struct rows_table *one, const struct rows_table *other)
{
	if (one->row_count != other->row_count)
		return false;
	for (size_t i = 0; i < one->column_count; i++)
		for (size_t row = 0; row < one->row_count && !one->columns[i].is_run_id;
		     row++)
			if (!is_same_value(&one->columns[i].values[row],
					   &other->columns[i].values[row]))
				return false;
	return true;
}

/* Whoever adds a run may remove its run.db: what comes back is compared. */
static void check_read(struct adding *adding, const struct rows *rows,
		       const struct rows *reference, const struct strbuf *packed)
{
	struct rows back = {0};
	bool is_same = rows_describe(&back, rundb_handle(adding->db)) == SQLITE_OK &&
		       pack_read(&back, reference, packed->data, packed->size);

	for (size_t i = 0; i < rows->table_count && is_same; i++)
		is_same = is_same_table(&rows->tables[i], &back.tables[i]);
	rows_free(&back);
	if (!is_same)
		command_fail(STATUS_FAILED,
			     "%s: the run was not added, since it could not be read "
			     "back; please report it",
			     archive_path());
}

static void insert_packed(struct adding *adding, sqlite3_stmt *row,
			  const struct rows *rows)
{
	int64_t reference_size = find_reference(adding);
	const struct rows *reference = reference_size ? &at_hand.rows : NULL;
	ended_by(strbuf_free) struct strbuf packed = {0};
	sqlite3_stmt *statement;

	pack_write(rows, reference, &packed);
	if (reference && (int64_t)packed.size * 100 > reference_size * LARGE_DIFFERENCE) {
		strbuf_reset(&packed);
		reference = NULL;
		pack_write(rows, NULL, &packed);
	}
	check_read(adding, rows, reference, &packed);
	statement = archive_ask(archive_own_sql_insert_packed, 0);
	bind_row(adding, statement, row);
	if (reference)
		archive_must(
			sqlite3_bind_int64(statement, PACKED_REFERENCE, at_hand.run_id));
	archive_must(sqlite3_bind_blob(statement, PACKED_ROWS, packed.data,
				       (int)packed.size, SQLITE_TRANSIENT));
	change(statement);
	sqlite3_finalize(statement);
}

/* Adds the run whose row is at hand. */
static void add_new(struct adding *adding, sqlite3_stmt *row)
{
	char here[256] = "";
	struct rows rows = {0};

	copy(adding, archive_sql_run,
	     (const char *[INSERTS_MOST]){archive_own_sql_insert_run});
	adding->number = sqlite3_last_insert_rowid(archive_handle());
	must_read(adding, rows_describe(&rows, rundb_handle(adding->db)));
	must_read(adding, rows_read(&rows, rundb_handle(adding->db), adding->run_id));
	insert_packed(adding, row, &rows);
	rows_free(&rows);
	copy(adding, archive_sql_functions,
	     (const char *[INSERTS_MOST]){archive_own_sql_insert_subject,
					  archive_own_sql_insert_measured,
					  archive_own_sql_insert_besides});
	/* another host's directories are not here */
	if (gethostname(here, sizeof(here) - 1) == 0 &&
	    strcmp(here, text_at(row, 1)) == 0)
		git_tags(text_at(row, 2), text_at(row, 3), tell_tag, adding);
	copy(adding, archive_sql_tags,
	     (const char *[INSERTS_MOST]){archive_own_sql_insert_tag});
}

struct archive_added archive_add(struct rundb *db, int64_t run_id,
				 const char *const *tags, size_t tag_count)
{
	struct adding adding = {.db = db, .run_id = run_id};
	struct archive_added added = {0};
	sqlite3_stmt *row;

	archive_must(sqlite3_exec(archive_handle(), "BEGIN IMMEDIATE", NULL, NULL, NULL));
	row = ask_run(&adding, archive_sql_run);
	adding.tag = archive_ask(archive_own_sql_insert_tag, 0);
	if (next(&adding, row)) {
		adding.number = find_known(&adding, row);
		added.is_new = !adding.number;
		if (!adding.number)
			add_new(&adding, row);
		add_tags(&adding, tags, tag_count);
		added.run_id = adding.number;
	}
	sqlite3_finalize(row);
	sqlite3_finalize(adding.tag);
	archive_must(sqlite3_exec(archive_handle(), "COMMIT", NULL, NULL, NULL));
	return added;
}
