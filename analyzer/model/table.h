/* SPDX-License-Identifier: MIT */
/*
 * A table with typed columns, filled from a query and drawn by a renderer.
 *
 * Column names are for machines (json keys, csv header, --sort): those of the views in
 * common/schema.sql, units included. Titles are for people.
 */
#pragma once

#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_type {
	COLUMN_ANY,   /* whatever the cell holds, unscaled */
	COLUMN_TEXT,  /* prose; cut at the end if there is no room */
	COLUMN_NAME,  /* of a function; shortened in the middle */
	COLUMN_CHAIN, /* names from the outermost to the innermost, see TABLE_CHAIN_END */
	COLUMN_LOCATION, /* file and line; two columns named "file" and "line" in json,
			    csv */
	COLUMN_FILE,	 /* a file's path; leading directories give way */
	COLUMN_ID,
	COLUMN_COUNT,
	COLUMN_BYTES,
	COLUMN_NSEC,
	COLUMN_PERCENT,
	COLUMN_COUNT_CHANGE, /* with a sign */
	COLUMN_BYTES_CHANGE,
	COLUMN_FLAG,   /* 0 or 1 */
	COLUMN_FIGURE, /* a number that the report formatted, with sign or unit */
};

enum column_flag {
	COLUMN_MACHINE = 1u << 0, /* in json and csv only */
	COLUMN_HUMAN = 1u << 1,	  /* in text and md only */
	COLUMN_DETAIL = 1u << 2,  /* in text: on lines of its own below the row */
	COLUMN_KEEP = 1u << 3,	  /* in text: never left out for width */
	COLUMN_SORTED = 1u << 4,  /* the rows are sorted by it; shown with a mark */
	COLUMN_HIDDEN = 1u << 8,  /* shown nowhere: used while the report is made */
};

/* Ends every name of a COLUMN_CHAIN cell but the last. */
#define TABLE_CHAIN_END '\x1f'
#define TABLE_CHAIN_END_TEXT "\x1f"

struct column {
	const char *name;
	const char *title; /* NULL: the name */
	enum column_type type;
	unsigned flags; /* enum column_flag */
};

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT };

struct cell {
	uint8_t kind;	    /* enum cell_kind */
	bool is_definition; /* COLUMN_LOCATION: the function's, for want of the line */
	uint32_t line;	    /* COLUMN_LOCATION: 0 if not known */
	union {
		int64_t integer;
		double real;
		const char *text; /* in the table's arena, or static */
	};
};

struct table {
	struct column *columns;
	size_t column_count;
	struct cell *cells;
	size_t row_count;
	struct arena texts;
};

/* columns are copied, their strings are borrowed unless in table->texts. */
struct table *table_new(const struct column *columns, size_t count);
void table_free(struct table *table);

/* A new row of NULL cells, borrowed until the next table_add_row(). */
struct cell *table_add_row(struct table *table);
struct cell *table_row(const struct table *table, size_t row);
/* The cell of a named column in a row; the column must exist. */
struct cell *table_cell(const struct table *table, size_t row, const char *column);
/* The error column of a column: "self_error_ns" for "self_ns", "self_error_percent" for
 * "self_percent". It has half the width of the 95 % interval, which people see beside the
 * number. -1: there is none. */
int table_error_column(const struct table *table, size_t column);
/* The index of a column, or -1. */
int table_column(const struct table *table, const char *name);

struct cell cell_integer(int64_t value);
struct cell cell_real(double value);
/* The text is borrowed; NULL: there is none. */
struct cell cell_text(const char *text);
/* The text is copied into the table; NULL makes a NULL cell. */
struct cell table_text(struct table *table, const char *text);
/* The nearest int64_t; 0 for NAN. */
int64_t whole_number(double value);
/* Any cell as a number; 0 for NULL and text. */
double cell_number(const struct cell *cell);
/* The same as an integer. */
int64_t cell_whole(const struct cell *cell);

/* Sorts numbers from high to low, texts from a to z, NULL last. Equal rows are sorted by
 * the column tie; -1 keeps their order. */
void table_sort(struct table *table, int column, int tie);
/* Moves the column in front of all others. */
void table_lead(struct table *table, size_t column);
/* Keeps the first limit rows; 0 keeps all. */
void table_cut(struct table *table, size_t limit);
/* Sum of a numeric column over all rows. */
double table_sum(const struct table *table, const char *column);
/* Whether a name is in a list of names separated by spaces. */
bool table_is_listed(const char *list, const char *name);
/* Shows people these columns only, names separated by spaces; machines see all. */
void table_show(struct table *table, const char *columns);
