/* SPDX-License-Identifier: MIT */
/* Single cells as text. */
#pragma once

#include "common/base/text.h"
#include "analyzer/model/shorten.h"
#include "analyzer/model/table.h"

/* Follows a place that is a function's definition because its line is not known. */
#define CELL_OF_FUNCTION " (function)"
/* Explains "<" before a number. */
#define CELL_UNKNOWN "<: at most this much, perhaps 0 (sorting uses the estimate)"

/* Appends a cell for people: scaled, cleaned, unshortened; "-" for NULL. */
void cell_for_people(struct strbuf *buffer, const struct cell *cell,
		     enum column_type type, const struct shorten_style *style);
/* The same for a number with an error (NULL: none): "1.20s ±8%". If the number is not
 * larger than its error, the most it can be: "<80ms". */
void cell_with_error(struct strbuf *buffer, const struct cell *cell,
		     const struct cell *error, enum column_type type,
		     const struct shorten_style *style);
/* Whether the cell is shown as "<80ms". Then CELL_UNKNOWN goes below the table. */
bool cell_is_unknown(const struct cell *cell, const struct cell *error,
		     enum column_type type);
/* Like cell_for_people() in at most width columns. */
void cell_shortened(struct strbuf *buffer, const struct cell *cell, enum column_type type,
		    size_t width, const struct shorten_style *style);
/* Appends a cell for csv: raw numbers, chains joined by ';', nothing for NULL, and of a
 * location the file. */
void cell_for_machines(struct strbuf *buffer, const struct cell *cell);

/* Columns of numbers are aligned to the right. */
bool column_is_number(const struct table *table, size_t column);
const char *column_title(const struct column *column);
