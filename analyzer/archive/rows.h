/* SPDX-License-Identifier: MIT */
/*
 * The rows of one run, out of all tables of run.db, in memory: column by column, as the
 * archive packs them. Must not know any table but by the names of its columns.
 */
#pragma once

#include "common/base/xalloc.h"
#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/* ROWS_INTEGER is the usual one, ROWS_NULL what zeroed memory has. */
enum rows_kind { ROWS_NULL, ROWS_INTEGER, ROWS_TEXT, ROWS_REAL, ROWS_BLOB, ROWS_KINDS };

/* A real is the bits of its double, in number. */
struct rows_value {
	union {
		int64_t number;
		const char *bytes;
	};
	uint32_t size; /* of bytes */
	uint8_t kind;
};

struct rows_column {
	char *name;
	int of; /* its numbers are ids of this table's rows; -1: of none */
	bool is_run_id;
	struct rows_value *values;
};

struct rows_table {
	char *name;
	struct rows_column *columns;
	size_t column_count, row_count;
	bool has_rowid;
	bool has_ids;	  /* its first column, NAME_id */
	bool is_numbered; /* its rows have the ids first_id, first_id + 1, ... */
	int64_t first_id;
};

/* Zeroed: no rows. */
struct rows {
	struct rows_table *tables;
	size_t table_count;
	struct arena bytes;
};

/* Makes the tables of a run.db, without rows, in the order of the schema: a table comes
 * behind those that its ids are of. SQLite's code. */
int rows_describe(struct rows *rows, struct sqlite3 *db);
/* Reads the rows of a run. SQLite's code. */
int rows_read(struct rows *rows, struct sqlite3 *db, int64_t run_id);
/* Room for so many rows, all NULL. false: that is more than a run has. */
bool rows_size(struct rows_table *table, size_t row_count);
/* Sets is_numbered and first_id, once the first column is there. */
void rows_find_ids(struct rows_table *table);
/* Adds the rows to a run.db of the same schema, as the run of this number; ids are moved
 * behind those that are there. SQLite's code. */
int rows_write(const struct rows *rows, struct sqlite3 *db, int64_t run_id);
void rows_free(struct rows *rows);
