/* SPDX-License-Identifier: MIT */
/* A report that is being built, for the engine's own files. */
#pragma once

#include "analyzer/reports/engine/ask.h"
#include "analyzer/reports/engine/part.h"

struct engine {
	struct ask ask;
	struct doc *doc;
	bool is_brief;
	size_t limit; /* of the tables, when it is brief */
	bool is_empty, has_ended;
};

/* Sentences with placeholders, see sentence.c. One that names no column stays as it is,
 * for a test to find. */
void sentence_put(struct strbuf *ret, const char *text, const struct table *table,
		  size_t row);
/* The text with its placeholders filled from the row, in the document's memory; NULL of
 * NULL. */
const char *engine_sentence(struct engine *engine, const char *text,
			    const struct table *table, size_t row);

/* The row's text of that name; NULL: there is none. The table's. */
const char *engine_text_at(const struct table *table, size_t row, const char *name);

/* tables.c: tables sorted, cut to the rows that are shown, with what is left out summed
 * up, and put into the document. */

/* How many rows from the first on have the same in that column. */
size_t engine_rows_alike(const struct table *table, size_t first, const char *column);

/* Adds the part's table, or several: one for each value of its column `each`. The table
 * is the callee's. */
enum exit_status engine_add_tables(struct engine *engine, const struct report_part *part,
				   struct table *table);
