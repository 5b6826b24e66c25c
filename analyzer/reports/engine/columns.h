/* SPDX-License-Identifier: MIT */
/*
 * The names of result columns describe them: [HEADING[!]:][MARKS]NAME[/TYPE].
 *
 * Without HEADING people see NAME. !: never left out for width. MARKS: '.' machines
 * only; '~' people only; '>' on a line of its own below the row; '?' people see it if
 * some row has a value; '-' hidden, for placeholders of the title; '&' the path is that
 * of an allocation site. TYPE is only needed if the name's ending does not tell (_ns,
 * _bytes, _percent, _count, _calls, _id, ...); see types[] in columns.c.
 */
#pragma once

#include "analyzer/reports/report.h"

/* Reads all rows of a query with such columns and closes the cursor. */
struct table *columns_read(struct report_input *input, struct cursor *cursor);
/* The type of a column with this name. */
enum column_type columns_type(const char *name);
/* Whether nobody sees the column; in values also a '?' column without a value. */
bool columns_is_hidden(const struct table *table, size_t column);
/* Whether the column holds call paths of sites: see ask_chain(). */
bool columns_is_site(const struct table *table, size_t column);
/* Removes hidden columns. */
void columns_drop_hidden(struct table *table);
/* Appends the cell as a sentence has it. type: that of its column. */
void columns_put(struct strbuf *text, const struct cell *cell, enum column_type type);
