/* SPDX-License-Identifier: MIT */
/* A report while it is built, for the engine's own files. */
#pragma once

#include "analyzer/reports/engine/ask.h"
#include "analyzer/reports/engine/part.h"

struct engine {
	struct ask ask;
	struct doc *doc;
	bool is_brief;
	size_t limit; /* for its tables, when it is brief */
	bool is_empty, has_ended;
};

/* Fills placeholders, see sentence.c. One that names no column stays as it is, so that a
 * test finds it. */
void sentence_put(struct strbuf *ret, const char *text, const struct table *table,
		  size_t row);
/* The text with placeholders filled from the row, in the document's memory; NULL stays
 * NULL. */
const char *engine_sentence(struct engine *engine, const char *text,
			    const struct table *table, size_t row);

/* The row's text in the column, or NULL; owned by the table. */
const char *engine_text_at(const struct table *table, size_t row, const char *name);

/* tables.c sorts tables, cuts them to the rows that are shown, sums up the rest, and adds
 * them to the document. */

/* How many rows from first on have the same value in that column. */
size_t engine_rows_alike(const struct table *table, size_t first, const char *column);

/* Adds the part's table, or one table for each value of its column `each`. Takes the
 * table. */
void engine_add_tables(struct engine *engine, const struct report_part *part,
		       struct table *table);
