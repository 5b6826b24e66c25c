/* SPDX-License-Identifier: MIT */
/* A section of a report's file, as scripts/embed_report.py writes it: see
 * analyzer/reports/sql/README.md for what the words mean. */
#pragma once

#include "analyzer/reports/trust/facts.h"

enum report_part_kind {
	PART_KEEP,    /* a table for the queries below it, never shown */
	PART_NOTE,    /* a sentence for each row: text, advice */
	PART_NOTHING, /* with a row, or when the run is empty: says so, and it ends */
	PART_END,     /* with a row: the report ends */
	PART_VALUES,  /* one row, a column each */
	PART_TABLE,
	PART_LANES, /* rows of label, name, started_ns, duration_ns, state; by label */
	PART_PLOTS, /* rows of title, unit, point, value, peak, span_ns; by title */
	PART_PAIRS, /* rows of name and value */
	PART_CODE,  /* what C makes of the rows, or without a query of the run */
};

enum report_part_flag {
	PART_BRIEF = 1u << 0, /* stands in the report on one page, too */
	PART_ONLY_BRIEF = 1u << 1,
	PART_OPTIONAL = 1u << 2,  /* a table without rows is not there */
	PART_QUIET = 1u << 3,	  /* a table without rows is there for machines only */
	PART_SORT = 1u << 4,	  /* --sort is about this table */
	PART_EMPTY = 1u << 5,	  /* note: the report has nothing to tell */
	PART_STOP = 1u << 6,	  /* note: nothing comes after it */
	PART_WHOLE = 1u << 9,	  /* a table that --limit does not cut */
	PART_HALF = 1u << 8,	  /* brief: half as many rows as others */
	PART_PAGE_MAIN = 1u << 7, /* it is the report's table for csv */
};

struct ask;

/* A section of the file. Strings are constants. */
struct report_part {
	enum report_part_kind kind;
	const char *name;
	const char *title; /* with placeholders, filled from the first row; NULL: none */
	const char *sql;
	unsigned flags;		/* enum report_part_flag */
	unsigned section_flags; /* enum section_flag */
	enum note_level level;
	size_t rows;	    /* of a table, for people; 0: all */
	size_t detail_rows; /* the first that have their details, for people; 0: all */
	size_t points;	    /* of a plot */
	/* a column of numbers: the queries below find it with each row's place, as it is
	 * shown, in the table NAME_shown (COLUMN, place) */
	const char *order;
	/* Sorted by this column, equal rows by that: SQL would move all rows. */
	const char *by, *tie;
	const char *for_by; /* stands in the report when --by is one of these words */
	const char *rest;   /* the column with the names of rows that --limit cuts, summed
			     * up   in one row, and of the sum of all */
	struct {
		const char *column, *of, *count; /* in such rows one is a mean */
	} mean;
	const char *each; /* a column: rows of the same value are a table each */
	const char *noun; /* what a row is */
	const char *weight,
		*weight_words; /* the column whose share is told, and of what */
	const char *show; /* the columns that people see, names separated by spaces */
	/* PART_CODE: adds to the document, or rows to the tables `fills`; rows NULL
	 * without a query, borrowed. */
	const char *fills;
	enum exit_status (*code)(struct ask *ask, struct doc *doc,
				 const struct table *rows);
};
