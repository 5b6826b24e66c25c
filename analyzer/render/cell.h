/* SPDX-License-Identifier: MIT */
/* Single cells as text. */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/model/shorten.h"
#include "analyzer/model/table.h"

/* Behind a place that is the definition of a function, for want of the line in it. */
#define CELL_OF_FUNCTION " (function)"
/* What a number's "<" means. */
#define CELL_UNKNOWN "<: at most this much, perhaps 0 (sorting uses the estimate)"

/* Appends a cell as people read it: scaled, cleaned, unshortened; "-" for NULL. */
void cell_for_people(struct strbuf *buffer, const struct cell *cell,
		     enum column_type type, const struct shorten_style *style);
/* The same of a number with its error (NULL: it has none): "1.20s ±8%", or "<80ms", what
 * it is at most, when there is not more to it than that. */
void cell_with_error(struct strbuf *buffer, const struct cell *cell,
		     const struct cell *error, enum column_type type,
		     const struct shorten_style *style);
/* Is it "<80ms"? Then CELL_UNKNOWN stands below the table. */
bool cell_is_unknown(const struct cell *cell, const struct cell *error,
		     enum column_type type);
/* Like cell_for_people() in at most width columns. */
void cell_shortened(struct strbuf *buffer, const struct cell *cell, enum column_type type,
		    size_t width, const struct shorten_style *style);
/* Appends a cell as csv has it: raw numbers, the names of a chain joined by ';', nothing
 * for NULL; of a location the file. */
void cell_for_machines(struct strbuf *buffer, const struct cell *cell);

/* Columns of numbers stand to the right. */
bool column_is_number(const struct table *table, size_t column);
const char *column_title(const struct column *column);
