/* SPDX-License-Identifier: MIT */
/*
 * A run.db, opened to be read: checks of the file, cursors over queries, queries into
 * tables. Must not print; show sqlite3.h to its users; change the file.
 *
 * Functions that can fail return 0 or -errno and leave one sentence in an error buffer
 * or in rundb_error().
 */
#pragma once

#include "common/base/strbuf.h"
#include "common/quantities.h"
#include "analyzer/model/table.h"

struct rundb;
struct cursor;
struct sums;

/* Opens a file. error: why not, in one sentence. -ENOENT: there is no such file. */
int rundb_open(const char *path, struct rundb **ret_db, struct strbuf *error);
/* Asked while a file that is opened or read is locked, for waited_ms so far; false: fail.
 * NULL: it is waited for ten seconds without a word. */
void rundb_on_lock(int (*wait)(void *context, unsigned waited_ms), void *context);
/* An empty run.db in memory, to be filled through rundb_handle(). */
int rundb_open_memory(const char *path, struct rundb **ret_db, struct strbuf *error);
void rundb_close(struct rundb *db);

/* The path as the user gave it. */
const char *rundb_path(const struct rundb *db);
/* Why the last call failed, naming the file. */
const char *rundb_error(const struct rundb *db);
/* For the ingest library only. */
struct sqlite3 *rundb_handle(struct rundb *db);

/* What goes on while the database is read; who opened it fills it in. */
struct rundb_live {
	int pid; /* of the process that a run read from its spool belongs to; 0: has ended
		  */
	bool is_attended; /* a collector watches it */
	int running_pid;  /* of a run beside the stored ones, which alone were read; or 0
			   */
};
struct rundb_live *rundb_live(struct rundb *db);

/* Queries. A cursor is bound, stepped and closed. Never NULL: a query that fails has no
 * rows, and cursor_finish() tells. */
struct cursor *rundb_query(struct rundb *db, const char *sql);
/* From now on the public views (trust, too) hold this run alone for queries of this
 * connection; main.NAME still has all. The file is not changed. */
int rundb_limit_views(struct rundb *db, int64_t run_id);
/* From now on this connection has a table of that name with the rows of sql, whose :run
 * is bound, in place of an earlier one. The file is not changed. */
int rundb_keep(struct rundb *db, const char *name, const char *sql, int64_t run_id);
/* The same, bound by a function of the caller's. */
int rundb_keep_bound(struct rundb *db, const char *name, const char *sql,
		     void (*bind)(void *context, struct cursor *cursor), void *context);
/* Adds rows to such a table, cells in the order of its columns. The statement that fails
 * first ends it; rundb_insert_end() gives back the memory and tells: 0 or -errno. */
struct rundb_insert *rundb_insert_begin(struct rundb *db, const char *table,
					int column_count);
void rundb_insert_row(struct rundb_insert *insert, const struct cell *cells);
int rundb_insert_end(struct rundb_insert *insert);
/* This connection has the table no longer. */
int rundb_drop(struct rundb *db, const char *name);
/* From now on queries of this connection have a function of so many values, at most
 * RUNDB_VALUES; call NULL: no longer. Its text is copied. */
#define RUNDB_VALUES 4
int rundb_function(struct rundb *db, const char *name, int count,
		   struct cell (*call)(void *context, const struct cell *values),
		   void *context);
/* Rows that C has. Texts need to live until the next call. */
struct rundb_rows {
	const char *const *columns;
	size_t column_count;
	size_t (*count)(void *context); /* asked when a query begins to read */
	struct cell (*cell)(void *context, size_t row, size_t column);
};
/* From now on queries of this connection find them as a table; NULL: no longer. */
int rundb_show_rows(struct rundb *db, const char *name, const struct rundb_rows *rows,
		    void *context);
/* From now on this connection has a view of that name, in place of an earlier one or the
 * file's; NULL: no longer. The file is not changed. */
int rundb_view(struct rundb *db, const char *name, const char *sql);
/* A table with the sums by one number: a row each. */
int rundb_keep_sums(struct rundb *db, const char *name, const char *key,
		    const char *value, const struct sums *sums);
/* A table of rows of numbers, as many as it has columns; those as in CREATE TABLE,
 * without commas in between but those that divide them. */
int rundb_keep_numbers(struct rundb *db, const char *name, const char *columns,
		       const double *values, size_t row_count);
/* From now on functions have what the hooks saw, inlined copies as calls of their own,
 * for queries of this connection. The file is not changed. */
int rundb_show_inlined(struct rundb *db);
/* Of a database in memory: statements that have no rows. */
int rundb_execute(struct rundb *db, const char *sql);
/* A query written by the user: one statement that only reads, or an error. */
int rundb_query_foreign(struct rundb *db, const char *sql, struct cursor **ret_cursor);
void cursor_bind_integer(struct cursor *cursor, const char *parameter, int64_t value);
void cursor_bind_real(struct cursor *cursor, const char *parameter, double value);
/* text is borrowed until cursor_close(); NULL binds NULL. */
void cursor_bind_text(struct cursor *cursor, const char *parameter, const char *text);
/* Binds its first parameters to the values of another one's present row, from a column
 * of it on. */
void cursor_bind_row(struct cursor *cursor, const struct cursor *from, int first_column);
/* 1: a row; 0: no more; -errno. */
int cursor_next(struct cursor *cursor);
/* Of one without rows: runs it once more, with what is bound now. 0 or -errno. */
int cursor_run(struct cursor *cursor);
void cursor_close(struct cursor *cursor);
/* The same; 0, or -errno when the query or a step of it has failed. */
int cursor_finish(struct cursor *cursor);

/* Values of the present row, by the column's name, a constant that is looked up once for
 * all rows; the program ends when the query, which is ours, has none of it. Texts are
 * borrowed until the next step; NULL stays NULL, and any other kind of value is turned
 * into what is asked. */
int64_t cursor_integer(struct cursor *cursor, const char *name);
double cursor_real(struct cursor *cursor, const char *name);
const char *cursor_text(struct cursor *cursor, const char *name);
bool cursor_is_null(struct cursor *cursor, const char *name);
/* What the row, of a query that has all its columns, says of a subject. */
void cursor_quantities(struct cursor *cursor, enum quantity_subject of, int64_t *values);

/* By number: columns that have no name of their own, or whose name is no constant. */
double cursor_real_at(struct cursor *cursor, int column);
const char *cursor_text_at(struct cursor *cursor, int column);
/* The number of a column whose name is so many bytes long; -1: there is none. */
int cursor_find(const struct cursor *cursor, const char *name, size_t size);
int cursor_column_count(const struct cursor *cursor);
const char *cursor_column_name(const struct cursor *cursor, int column);
struct cell cursor_cell(struct cursor *cursor, int column, struct table *table);

/* Adds all rows to the table, matching columns by name; a COLUMN_LOCATION column takes
 * the columns "file" and "line". Closes the cursor. */
int cursor_fill(struct cursor *cursor, struct table *table);
