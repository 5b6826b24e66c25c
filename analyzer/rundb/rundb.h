/* SPDX-License-Identifier: MIT */
/*
 * A run.db opened for reading: checks of the file, cursors over queries, queries into
 * tables. Must not print, show sqlite3.h to its users, or change the file.
 *
 * Opening returns -errno and leaves one sentence in an error buffer. After that a
 * failure, of a damaged file for example, ends the command with a sentence that names the
 * file.
 */
#pragma once

#include "common/base/text.h"
#include "common/quantities.h"
#include "analyzer/model/table.h"

struct rundb;
struct cursor;
struct sums;

/* Opens a file. On failure error gets one sentence. -ENOENT: there is no such file. */
int rundb_open(const char *path, struct rundb **ret_db, struct strbuf *error);
/* The same for an archive of runs, whose tables are analyzer/archive/tables.sql. */
int rundb_open_archive(const char *path, struct rundb **ret_db, struct strbuf *error);
/* Whether the file says that it is one; nothing else is checked. */
bool rundb_is_archive(const char *path);
/* Sets the function that is asked while a file is locked, after waited_ms; false: give
 * up. NULL: waits ten seconds silently. */
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

/* What is still running while the database is read; set by whoever opened it. */
struct rundb_live {
	int pid; /* of the process whose run is read from its spool; 0: it ended */
	bool is_attended; /* a collector watches it */
	int running_pid;  /* of a run that is not stored yet and was not read; or 0 */
};
struct rundb_live *rundb_live(struct rundb *db);

/* Starts a query; step the cursor, then close it. */
struct cursor *rundb_query(struct rundb *db, const char *sql);
/* Limits the public views, trust included, to one run for queries of this connection;
 * main.NAME still has all runs. The file is not changed. */
void rundb_limit_views(struct rundb *db, int64_t run_id);
/* Makes a table with the rows of sql for this connection, replacing an earlier one. :run
 * is bound. The file is not changed. */
void rundb_keep(struct rundb *db, const char *name, const char *sql, int64_t run_id);
/* The same; the caller's function binds the parameters. This and the other functions that
 * return a number return 0. */
int rundb_keep_bound(struct rundb *db, const char *name, const char *sql,
		     void (*bind)(void *context, struct cursor *cursor), void *context);
/* Adds rows to such a table, cells in the order of its columns. */
struct rundb_insert *rundb_insert_begin(struct rundb *db, const char *table);
void rundb_insert_row(struct rundb_insert *insert, const struct cell *cells);
void rundb_insert_end(struct rundb_insert *insert);
/* Makes such a table from a query, which may have no rows, and begins to add rows. */
struct rundb_insert *rundb_fill(struct rundb *db, const char *table, const char *sql);
/* Drops the table from this connection. */
void rundb_drop(struct rundb *db, const char *name);
/* Adds an SQL function with this many arguments (at most RUNDB_VALUES) to this
 * connection; call NULL: removes it. Its text is copied. */
#define RUNDB_VALUES 4
int rundb_function(struct rundb *db, const char *name, int count,
		   struct cell (*call)(void *context, const struct cell *values),
		   void *context);
/* Rows in C memory. Texts must live until the next call. */
struct rundb_rows {
	const char *const *columns;
	size_t column_count;
	size_t (*count)(void *context); /* called when a query begins to read */
	struct cell (*cell)(void *context, size_t row, size_t column);
};
/* Shows the rows to queries of this connection as a table; NULL: removes it. */
void rundb_show_rows(struct rundb *db, const char *name, const struct rundb_rows *rows,
		     void *context);
/* Makes a view for this connection, replacing an earlier one and hiding the file's; NULL:
 * removes it. The file is not changed. */
int rundb_view(struct rundb *db, const char *name, const char *sql);
/* Makes a table with one row for each sum, by one key. */
int rundb_keep_sums(struct rundb *db, const char *name, const char *key,
		    const char *value, const struct sums *sums);
/* Makes a table from rows of numbers, one for each column. columns: as in CREATE TABLE,
 * with commas only between columns. */
int rundb_keep_numbers(struct rundb *db, const char *name, const char *columns,
		       const double *values, size_t row_count);
/* Makes functions show what the hooks saw, with inlined copies as calls of their own, for
 * queries of this connection. The file is not changed. */
void rundb_show_inlined(struct rundb *db);
/* Runs statements without rows; for databases in memory. */
int rundb_execute(struct rundb *db, const char *sql);
/* A query written by the user: one statement that only reads. */
struct cursor *rundb_query_foreign(struct rundb *db, const char *sql);
void cursor_bind_integer(struct cursor *cursor, const char *parameter, int64_t value);
void cursor_bind_real(struct cursor *cursor, const char *parameter, double value);
/* Binds a parameter called as a column is to its value as a whole number; NULL: 0. */
void cursor_bind_named(struct cursor *cursor, const char *name, const struct cell *value);
/* text is borrowed until cursor_close(); NULL binds NULL. */
void cursor_bind_text(struct cursor *cursor, const char *parameter, const char *text);
/* Binds its first parameters to the current row of another cursor, starting at
 * first_column. */
void cursor_bind_row(struct cursor *cursor, const struct cursor *from, int first_column);
/* False: there are no more rows. */
bool cursor_next(struct cursor *cursor);
/* For a statement without rows: runs it again with the current bindings. 0. */
int cursor_run(struct cursor *cursor);
void cursor_close(struct cursor *cursor);
/* The same, for callers who pass a number on: 0. */
static inline int cursor_finish(struct cursor *cursor)
{
	cursor_close(cursor);
	return 0;
}
/* Of a local cursor, which is closed when its scope is left. */
#define auto_cursor ended_by(cursor_close_at)
void cursor_close_at(struct cursor **cursor);

/* Values of the current row by column name, a constant that is looked up once for all
 * rows. The program ends if the query, which is ours, lacks the column. Texts are
 * borrowed until the next step. NULL stays NULL; other kinds of values are converted. */
int64_t cursor_integer(struct cursor *cursor, const char *name);
double cursor_real(struct cursor *cursor, const char *name);
const char *cursor_text(struct cursor *cursor, const char *name);
bool cursor_is_null(struct cursor *cursor, const char *name);
/* Reads all quantities of a subject from a row that has all their columns. */
void cursor_quantities(struct cursor *cursor, enum quantity_subject of, int64_t *values);

/* By index: for columns without a name, or whose name is no constant. */
double cursor_real_at(struct cursor *cursor, int column);
const char *cursor_text_at(struct cursor *cursor, int column);
/* The index of a column whose name has this size; -1: none. */
int cursor_find(const struct cursor *cursor, const char *name, size_t size);
int cursor_column_count(const struct cursor *cursor);
const char *cursor_column_name(const struct cursor *cursor, int column);
struct cell cursor_cell(struct cursor *cursor, int column, struct table *table);

/* Adds all rows to the table and closes the cursor. Columns are matched by name; a
 * COLUMN_LOCATION column takes "file" and "line". */
void cursor_fill(struct cursor *cursor, struct table *table);
