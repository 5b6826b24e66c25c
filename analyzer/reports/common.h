/* SPDX-License-Identifier: MIT */
/* What several reports need: failures, queries with the common parameters, tables. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/reports/report.h"

/* Sets the sentence that is said below the document. STATUS_NOTHING. */
enum exit_status report_nothing(struct report_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the command with the message of the run's database. */
_Noreturn void report_fail_db(struct report_input *input);

/* Starts a query with :run and :thread bound. */
struct cursor *report_query(struct report_input *input, const char *sql);
/* A text of the current row, cleaned, in the document's memory; or NULL. */
const char *report_text(struct doc *doc, struct cursor *cursor, const char *column);

/* Ends the command with STATUS_USAGE because a word is not among others: says so, which
 * one is near, and which there are (list, or NULL: the words). */
_Noreturn void report_unknown(const char *word, const char *const *words, size_t count,
			      const struct strbuf *list, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Rows of a table on a page, where readers can sort and filter. */
#define REPORT_PAGE_ROWS 100
/* How many rows to show: --limit, or for people the report's own number; 0: all. */
size_t report_limit(const struct report_input *input, size_t people);
/* How many first rows show their call paths; on a terminal `usual`. */
size_t report_path_rows(const struct report_input *input, size_t usual);
/* Sorts by --sort; equal rows keep their order. "self" means self_ns and so on. A usage
 * error if the table has no such column. */
void report_sort_asked(struct report_input *input, struct table *table);
/* How many of the known rows are shown, and their part of the sum. */
struct report_shown {
	size_t rows, all_rows;
	const char *noun;	     /* of one row */
	double part, all;	     /* all 0: not told */
	const char *weight, *others; /* of the sum; of the other rows, or NULL */
};
/* "5 of 12 sites shown, 92.4% of the bytes; --limit 0 shows all", owned by the document;
 * NULL if all are shown. */
const char *report_footer(struct doc *doc, const struct report_shown *shown);
/* Adds the table, cut to limit rows. A last line says how many rows (noun) and how much
 * of weight_column (its words: weight; NULL: not told) are shown. If the table stands for
 * more rows, its first row has "of_rows" and "others". */
struct section *report_add_table(struct doc *doc, const char *name, const char *title,
				 struct table *table, size_t limit, const char *noun,
				 const char *weight_column, const char *weight);

/* Cuts a time and its error to what contains it (0: no bound). No error exceeds the
 * bound; if the time is not known, people see "<" and at most the bound. */
void report_fit(const struct report_input *input, double all_ns, double *ns,
		double *error_ns);

/* Reads a file that the user named, or ends the command. The size is bounded, since it
 * may be a device. what: its description, for the error. */
void report_read_file(const char *path, const char *what, struct strbuf *ret);
/* A node's names from its root, as a COLUMN_CHAIN cell of table. */
struct cell report_chain(struct table *table, const struct calltree *tree, uint32_t node);
/* The call path of a site. People see it up to the first library function below the
 * owner, and how many follow. */
struct cell report_site_chain(struct table *table, const struct calltree *tree,
			      uint32_t node, bool for_people);
/* Adds the note that nothing was recorded, with where to look. */
void report_nothing_note(struct report_input *input, struct doc *doc);
