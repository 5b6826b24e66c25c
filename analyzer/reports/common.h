/* SPDX-License-Identifier: MIT */
/* What several reports need: failures, queries with the common parameters, tables. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/reports/report.h"

/* Sets the error sentence and returns status. */
enum exit_status report_fail(struct report_input *input, enum exit_status status,
			     const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with what the database said. */
enum exit_status report_fail_db(struct report_input *input);

/* The rows of sql, with :run and :thread bound; of a query that fails there are none. */
struct cursor *report_query(struct report_input *input, const char *sql);
/* Closes the cursor. 0, or -errno when the query has failed (then the error is set). */
int report_finish(struct report_input *input, struct cursor *cursor);
/* Puts the rows into the table, which is freed on failure: then NULL, and the error is
 * set. */
struct table *report_fill(struct report_input *input, struct cursor *cursor,
			  struct table *table);
/* A text of the present row as it can be shown, in the document's memory, or NULL. */
const char *report_text(struct doc *doc, struct cursor *cursor, const char *column);
/* A query that fills a new table. NULL on failure (then the error is set). */
struct table *report_table(struct report_input *input, const char *sql,
			   const struct column *columns, size_t count);

/* Rows of a table on a page, where a reader can sort and filter them. */
#define REPORT_PAGE_ROWS 100
/* Rows to show: --limit, or for people the report's own; 0: all. */
size_t report_limit(const struct report_input *input, size_t people);
/* The first rows that show their call paths: of a terminal's few, usual. */
size_t report_path_rows(const struct report_input *input, size_t usual);
/* Sorts by --sort, equal rows as they are. Usage error when it is not one of the table's
 * columns; "self" stands for self_ns and so on. */
enum exit_status report_sort_asked(struct report_input *input, struct table *table);
/* How many rows there are of all that are known, and what of their sum these have. */
struct report_shown {
	size_t rows, all_rows;
	const char *noun; /* of one row */
	double part, all; /* all 0: not told */
	const char *weight,
		*others; /* of what; what is said of the other rows, or NULL */
};
/* "5 of 12 sites shown, 92.4% of the bytes; --limit 0 shows all", the document's; NULL
 * when all are. */
const char *report_footer(struct doc *doc, const struct report_shown *shown);
/* Adds the table, cut to limit rows, with a last line that says what was left out:
 * of what (noun) and how much of weight_column (NULL: not told) named weight is shown. A
 * table that knows of more rows has "of_rows" and "others" in its first. */
struct section *report_add_table(struct doc *doc, const char *name, const char *title,
				 struct table *table, size_t limit, const char *noun,
				 const char *weight_column, const char *weight);

/* Cuts a time and its error to what contains it (0: nothing does): no error goes beyond
 * it, and of what is not known people see "<" and no more than all there is. */
void report_fit(const struct report_input *input, double all_ns, double *ns,
		double *error_ns);

/* Reads a file that the user named, but not without bound: it may be a device. what: for
 * the sentence when it is too large. */
enum exit_status report_read_file(struct report_input *input, const char *path,
				  const char *what, struct strbuf *ret);
/* A node's names from its root, as a COLUMN_CHAIN cell of table. */
struct cell report_chain(struct table *table, const struct calltree *tree, uint32_t node);
/* The call path of a site: for people as far as the first library's function behind the
 * owner, and how many there are behind that. */
struct cell report_site_chain(struct table *table, const struct calltree *tree,
			      uint32_t node, bool for_people);
/* Adds the note that nothing was recorded, with where to look. */
void report_nothing_note(struct report_input *input, struct doc *doc);
