/* SPDX-License-Identifier: MIT */
/* A section of a report's file, as scripts/embed_report.py writes it: see
 * analyzer/reports/sql/README.md for what the words mean. */
#pragma once

#include "analyzer/reports/report.h"

enum report_part_kind {
	PART_KEEP,    /* a table for the queries below it, never shown */
	PART_NOTE,    /* a sentence for each row: text, advice */
	PART_NOTHING, /* given a row or an empty run: says so, and ends the report */
	PART_END,     /* ends the report if it gives a row */
	PART_VALUES,  /* one row, a column each */
	PART_TABLE,
	PART_LANES, /* rows of label, name, started_ns, duration_ns, state; by label */
	PART_PLOTS, /* rows of title, unit, point, value, peak, span_ns; by title */
	PART_PAIRS, /* rows of name and value */
	PART_CODE,  /* C handles the rows, or runs without a query */
};

enum report_part_flag {
	PART_BRIEF = 1u << 0, /* stands in the report on one page, too */
	PART_ONLY_BRIEF = 1u << 1,
	PART_OPTIONAL = 1u << 2,  /* left out when it has no rows */
	PART_QUIET = 1u << 3,	  /* without rows left out for people */
	PART_SORT = 1u << 4,	  /* --sort applies to this table */
	PART_EMPTY = 1u << 5,	  /* note: the report has nothing to tell */
	PART_STOP = 1u << 6,	  /* note: nothing comes after it */
	PART_WHOLE = 1u << 9,	  /* --limit does not cut this table */
	PART_HALF = 1u << 8,	  /* brief: half as many rows as others */
	PART_PAGE_MAIN = 1u << 7, /* csv of the report on one page shows this table */
};

struct ask;

/* A section of the file. Strings are constants. */
struct report_part {
	enum report_part_kind kind;
	const char *name;
	const char *title; /* has placeholders, filled from the first row; NULL: none */
	const char *sql;
	unsigned flags;		/* enum report_part_flag */
	unsigned section_flags; /* enum section_flag */
	enum note_level level;
	size_t rows;	    /* of a table, for people; 0: all */
	size_t detail_rows; /* how many first rows show details to people; 0: all */
	size_t points;	    /* of a plot */
	/* A numeric column: later queries find its shown order, with each row's place, in
	 * the table NAME_shown (COLUMN, place). */
	const char *order;
	/* Sort column and tie-breaker; sorting in SQL would move whole rows. */
	const char *by, *tie;
	const char *for_by; /* only with one of these words in --by */
	/* the column that names two added rows: what --limit cuts, and the sum of all */
	const char *rest;
	struct {
		const char *column, *of,
			*count; /* in such rows `column` is the mean: of / count */
	} mean;
	const char *each; /* a column; equal values form a table */
	const char *noun; /* what a row is */
	const char *weight,
		*weight_words; /* the column whose share is told, and its words */
	const char *show; /* the columns that people see, names separated by spaces */
	/* PART_CODE: adds to the document, fills the tables `fills`, or sets the ask's
	 * status. rows is borrowed; NULL if there is no query. */
	const char *fills;
	void (*code)(struct ask *ask, struct doc *doc, const struct table *rows);
};
