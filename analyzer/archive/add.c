/* SPDX-License-Identifier: MIT */
/*
 * Adds a run to an archive, in one transaction. Runs on: prof-analyze, main thread. Must
 * not add a run twice, or believe that it can be read back: it is.
 */
#include "analyzer/archive/pack.h"
#include "analyzer/archive/private.h"

#include "analyzer/rundb/rundb.h"
#include "common/base/xalloc.h"
#include "common/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.sql.h"
#include "archive_own.sql.h"

/* A run whose difference is not this much smaller than its reference is the reference of
 * those after it. In percent. */
#define LARGE_DIFFERENCE 85

struct adding {
	struct archive *archive;
	sqlite3 *from;
	int64_t run_id; /* in its run.db */
	int64_t number; /* in the archive */
	sqlite3_stmt *tag;
	int code;      /* of SQLite, of the archive */
	int from_code; /* of the run.db */
	struct strbuf *error;
};

static const char *text_at(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Runs a statement that changes something; the result is adding->code. */
static void change(struct adding *adding, sqlite3_stmt *statement)
{
	if (adding->code == SQLITE_OK)
		adding->code = sqlite3_step(statement);
	if (adding->code == SQLITE_DONE)
		adding->code = SQLITE_OK;
	sqlite3_reset(statement);
}

/* A query of the run.db about the run. */
static sqlite3_stmt *ask_run(struct adding *adding, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (adding->from_code == SQLITE_OK)
		adding->from_code =
			sqlite3_prepare_v2(adding->from, sql, -1, &statement, NULL);
	if (adding->from_code == SQLITE_OK)
		adding->from_code = sqlite3_bind_int64(statement, 1, adding->run_id);
	return statement;
}

/* true: a row. */
static bool next(struct adding *adding, sqlite3_stmt *statement)
{
	int code = adding->from_code == SQLITE_OK && adding->code == SQLITE_OK
			   ? sqlite3_step(statement)
			   : SQLITE_DONE;

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		adding->from_code = code;
	return code == SQLITE_ROW;
}

static void tell_tag(void *context, const char *name, const char *value)
{
	struct adding *adding = context;

	if (adding->code != SQLITE_OK)
		return;
	sqlite3_bind_int64(adding->tag, 1, adding->number);
	sqlite3_bind_text(adding->tag, 2, name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(adding->tag, 3, value, -1, SQLITE_TRANSIENT);
	change(adding, adding->tag);
}

static void add_tags(struct adding *adding, const char *const *tags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *equals = strchr(tags[i], '=');
		char *name = xstrndup(tags[i], (size_t)(equals - tags[i]));

		tell_tag(adding, name, equals + 1);
		free(name);
	}
}

/* What was said of the run when it was recorded. */
static void add_own_tags(struct adding *adding)
{
	sqlite3_stmt *row = ask_run(adding, archive_sql_tags);

	while (next(adding, row))
		tell_tag(adding, text_at(row, 0), text_at(row, 1));
	sqlite3_finalize(row);
}

/* The run's number in the archive if it is there already, else 0. */
static int64_t find_known(struct adding *adding, const char *token, const char *host)
{
	sqlite3_stmt *statement = archive_ask(adding->archive, archive_own_sql_known,
					      &adding->code, NULL, 0);
	int64_t number = 0;

	if (adding->code == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, token, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(statement, 2, host, -1, SQLITE_TRANSIENT);
		if (sqlite3_step(statement) == SQLITE_ROW)
			number = sqlite3_column_int64(statement, 0);
	}
	sqlite3_finalize(statement);
	return number;
}

/* Its label; or the command, whose program may lie elsewhere for each build. */
static char *workload_of(const char *label, const char *command, const char *program)
{
	size_t length = strcspn(command, " ");

	if (*label)
		return xstrdup(label);
	return *command ? xasprintf("%s%s", program, command + length) : xstrdup(program);
}

static void bind_named(sqlite3_stmt *statement, const char *name, const char *text)
{
	sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name), text,
			  -1, SQLITE_TRANSIENT);
}

/* Columns of the query that are called like a parameter are its value. */
static void insert_run(struct adding *adding, sqlite3_stmt *row, const char *program)
{
	sqlite3_stmt *insert = archive_ask(adding->archive, archive_own_sql_insert_run,
					   &adding->code, NULL, 0);
	char *workload = workload_of(text_at(row, 2), text_at(row, 3), program), name[64];

	for (int i = 0; i < sqlite3_column_count(row) && adding->code == SQLITE_OK; i++) {
		int number;

		snprintf(name, sizeof(name), ":%s", sqlite3_column_name(row, i));
		number = sqlite3_bind_parameter_index(insert, name);
		if (number)
			adding->code = sqlite3_bind_value(insert, number,
							  sqlite3_column_value(row, i));
	}
	if (adding->code == SQLITE_OK) {
		bind_named(insert, ":program", program);
		bind_named(insert, ":workload", workload);
		sqlite3_bind_int(insert, sqlite3_bind_parameter_index(insert, ":schema"),
				 RUNDB_SCHEMA_VERSION);
		change(adding, insert);
	}
	adding->number = sqlite3_last_insert_rowid(adding->archive->db);
	sqlite3_finalize(insert);
	free(workload);
}

/* Reads the run that others are differences from, unless it is the one at hand. Returns
 * its packed size, 0: there is none. */
static int64_t find_reference(struct adding *adding)
{
	struct archive *archive = adding->archive;
	sqlite3_stmt *statement = archive_ask(archive, archive_own_sql_reference,
					      &adding->code, &adding->number, 1);
	int64_t number = 0, size = 0;

	if (adding->code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
		number = sqlite3_column_int64(statement, 0);
		size = sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
	if (!number || number == archive->reference_id)
		return size;
	rows_free(&archive->reference);
	archive->reference_id = 0;
	if (rows_describe(&archive->reference, adding->from) != SQLITE_OK ||
	    archive_unpack(archive->db, number, &archive->reference, NULL,
			   adding->error) < 0)
		return 0;
	archive->reference_id = number;
	return size;
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
static bool can_be_read(struct adding *adding, const struct rows *rows,
			const struct rows *reference, const struct strbuf *packed)
{
	struct rows back = {0};
	bool is_same = rows_describe(&back, adding->from) == SQLITE_OK &&
		       pack_read(&back, reference, packed->data, packed->size);

	for (size_t i = 0; i < rows->table_count && is_same; i++)
		is_same = is_same_table(&rows->tables[i], &back.tables[i]);
	rows_free(&back);
	if (!is_same)
		strbuf_printf(adding->error,
			      "%s: the run was not added, since it could not be read "
			      "back; please report it",
			      adding->archive->path);
	return is_same;
}

static void insert_packed(struct adding *adding, const struct rows *rows)
{
	struct archive *archive = adding->archive;
	int64_t reference_size = find_reference(adding), size = 0;
	const struct rows *reference = reference_size ? &archive->reference : NULL;
	ended_by(strbuf_free) struct strbuf packed = {0};
	sqlite3_stmt *statement = ask_run(adding, archive_sql_size);

	if (next(adding, statement))
		size = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	pack_write(rows, reference, &packed);
	if (reference && (int64_t)packed.size * 100 > reference_size * LARGE_DIFFERENCE) {
		strbuf_reset(&packed);
		reference = NULL;
		pack_write(rows, NULL, &packed);
	}
	statement =
		archive_ask(archive, archive_own_sql_insert_packed, &adding->code,
			    (int64_t[]){adding->number, archive->reference_id, size}, 3);
	if (!can_be_read(adding, rows, reference, &packed))
		adding->code = SQLITE_ABORT;
	if (adding->code == SQLITE_OK && !reference)
		adding->code = sqlite3_bind_null(statement, 2);
	if (adding->code == SQLITE_OK)
		adding->code = sqlite3_bind_blob(statement, 4, packed.data,
						 (int)packed.size, SQLITE_TRANSIENT);
	change(adding, statement);
	sqlite3_finalize(statement);
}

/* The number of the function with this name and file. */
static int64_t subject_of(struct adding *adding, sqlite3_stmt *find, sqlite3_stmt *insert,
			  const char *name, const char *file)
{
	int64_t number = 0;

	sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(find, 2, file, -1, SQLITE_STATIC);
	if (sqlite3_step(find) == SQLITE_ROW)
		number = sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	if (number)
		return number;
	sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, file, -1, SQLITE_STATIC);
	change(adding, insert);
	return sqlite3_last_insert_rowid(adding->archive->db);
}

/* Binds columns of the row, from the first one on, and runs the statement. */
static void insert_numbers(struct adding *adding, sqlite3_stmt *insert, int64_t subject,
			   sqlite3_stmt *row, int first, int count)
{
	bool has_any = false;

	for (int i = 0; i < count && insert; i++) {
		sqlite3_bind_int64(insert, i + 3, sqlite3_column_int64(row, first + i));
		has_any |= sqlite3_column_int64(row, first + i) != 0;
	}
	if (!has_any)
		return;
	sqlite3_bind_int64(insert, 2, subject);
	change(adding, insert);
}

static void insert_measured(struct adding *adding)
{
	struct archive *archive = adding->archive;
	sqlite3_stmt *row = ask_run(adding, archive_sql_functions);
	sqlite3_stmt *insert = archive_ask(archive, archive_own_sql_insert_measured,
					   &adding->code, &adding->number, 1);
	sqlite3_stmt *besides = archive_ask(archive, archive_own_sql_insert_besides,
					    &adding->code, &adding->number, 1);
	sqlite3_stmt *find =
		archive_ask(archive, archive_own_sql_subject, &adding->code, NULL, 0);
	sqlite3_stmt *insert_subject = archive_ask(
		archive, archive_own_sql_insert_subject, &adding->code, NULL, 0);

	while (next(adding, row)) {
		int64_t subject = subject_of(adding, find, insert_subject,
					     text_at(row, 0), base_of(text_at(row, 1)));

		insert_numbers(adding, insert, subject, row, 2, 5);
		insert_numbers(adding, besides, subject, row, 7, 4);
	}
	sqlite3_finalize(row);
	sqlite3_finalize(insert);
	sqlite3_finalize(besides);
	sqlite3_finalize(find);
	sqlite3_finalize(insert_subject);
}

/* Adds the run whose row is at hand. */
static void add_new(struct adding *adding, sqlite3_stmt *row)
{
	const char *executable = text_at(row, 21), *host = text_at(row, 1);
	char here[256] = "";
	struct rows rows = {0};

	if (!*executable)
		executable = text_at(row, 3);
	insert_run(adding, row, base_of(executable));
	if (adding->code == SQLITE_OK)
		adding->from_code = rows_describe(&rows, adding->from);
	if (adding->code == SQLITE_OK && adding->from_code == SQLITE_OK)
		adding->from_code = rows_read(&rows, adding->from, adding->run_id);
	if (adding->code == SQLITE_OK && adding->from_code == SQLITE_OK)
		insert_packed(adding, &rows);
	rows_free(&rows);
	insert_measured(adding);
	/* another host's directories are not here */
	if (gethostname(here, sizeof(here) - 1) == 0 && strcmp(here, host) == 0)
		git_tags(text_at(row, 4), text_at(row, 5), tell_tag, adding);
	add_own_tags(adding);
}

static void add(struct adding *adding, const char *const *tags, size_t tag_count,
		enum archive_added *ret)
{
	sqlite3_stmt *row = ask_run(adding, archive_sql_run);

	adding->tag = archive_ask(adding->archive, archive_own_sql_insert_tag,
				  &adding->code, NULL, 0);
	if (next(adding, row)) {
		adding->number = find_known(adding, text_at(row, 0), text_at(row, 1));
		*ret = adding->number ? ARCHIVE_KNOWN : ARCHIVE_ADDED;
		if (!adding->number)
			add_new(adding, row);
		if (adding->from_code == SQLITE_OK)
			add_tags(adding, tags, tag_count);
	}
	sqlite3_finalize(row);
	sqlite3_finalize(adding->tag);
}

int archive_add(struct archive *archive, struct rundb *db, int64_t run_id,
		const char *const *tags, size_t tag_count, enum archive_added *ret,
		struct strbuf *error)
{
	struct adding adding = {.archive = archive,
				.from = rundb_handle(db),
				.run_id = run_id,
				.error = error};
	int result = 0;

	adding.code = sqlite3_exec(archive->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	add(&adding, tags, tag_count, ret);
	if (adding.from_code == SQLITE_OK && adding.code == SQLITE_OK && !error->size)
		adding.code = sqlite3_exec(archive->db, "COMMIT", NULL, NULL, NULL);
	if (adding.from_code == SQLITE_OK && adding.code == SQLITE_OK && !error->size)
		return 0;
	if (!error->size && adding.from_code != SQLITE_OK)
		strbuf_printf(error, "%s: is damaged or too large for an archive (%s)",
			      rundb_path(db), sqlite3_errstr(adding.from_code));
	result = error->size ? -EINVAL : archive_fail(archive, adding.code, error);
	if (!sqlite3_get_autocommit(archive->db))
		sqlite3_exec(archive->db, "ROLLBACK", NULL, NULL, NULL);
	/* it may have been read in this transaction */
	rows_free(&archive->reference);
	archive->reference_id = 0;
	return result;
}
