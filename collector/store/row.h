/* SPDX-License-Identifier: MIT */
/*
 * Inserting rows: one prepared statement, its values bound in the order of its columns.
 *
 * The first error sticks: later calls do nothing, and row_close() returns it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/quantities.h"

struct store;
struct sqlite3_stmt;

struct row {
	struct store *store;
	struct sqlite3_stmt *statement;
	int column; /* last one bound */
	int code;   /* SQLite's, SQLITE_OK as long as all is fine */
};

/* Rows of a table: values of the columns ("run_id, name") in their order. */
void row_open(struct row *row, struct store *store, const char *table,
	      const char *columns);
/* The same with the quantities of a subject behind them, for row_quantities(). */
void row_open_with(struct row *row, struct store *store, const char *table,
		   const char *columns, enum quantity_subject of);
void row_null(struct row *row);
void row_int(struct row *row, int64_t value);
/* QUANTITY_UNKNOWN becomes NULL. */
void row_quantities(struct row *row, enum quantity_subject of, const int64_t *values);
/* Numbers past INT64_MAX become INT64_MAX. */
void row_count(struct row *row, uint64_t value);
void row_real(struct row *row, double value);
/* NULL text becomes NULL. Text and blob are borrowed until row_next(). */
void row_text(struct row *row, const char *text);
/* Empty text becomes NULL, too. */
void row_filled_text(struct row *row, const char *text);
/* Less than 0 becomes NULL. */
void row_known(struct row *row, int64_t value);
/* As row_text(), but keeps a copy; empty text becomes NULL, too. */
void row_copy(struct row *row, const char *text);
void row_blob(struct row *row, const void *data, size_t size);
/* Inserts what was bound and starts the next row. The store's turn may end here. */
void row_next(struct row *row);
/* Returns SQLITE_OK or the first error. */
int row_close(struct row *row);
