/* SPDX-License-Identifier: MIT */
/*
 * What the name of a result column says: [HEADING[!]:][MARKS]NAME[/TYPE].
 *
 * Without HEADING people see the name. !: never left out for width. MARKS: '.' for
 * machines only, '~' for people only, '>' on a line of its own below the row, '?' people
 * see it when some row has something in it, '-' nobody does: it is for the placeholders
 * of the title; '&' the path is that of a site. TYPE is only needed where the name's
 * ending does not tell (_ns, _bytes, _percent, _count, _calls, _id, ...); see types[] in
 * columns.c.
 */
#pragma once

#include "analyzer/reports/report.h"

/* Reads all rows of a query whose columns are named so. Closes the cursor. NULL on
 * failure. */
struct table *columns_read(struct report_input *input, struct cursor *cursor);
/* That of a column with this name. */
enum column_type columns_type(const char *name);
/* Whether nobody sees it: in values, a '?' without anything, too. */
bool columns_is_hidden(const struct table *table, size_t column);
/* Whether it is the call path of a site: see ask_chain(). */
bool columns_is_site(const struct table *table, size_t column);
/* Takes the columns away that nobody sees. */
void columns_drop_hidden(struct table *table);
/* The cell as it stands in a sentence. type: of its column. */
void columns_put(struct strbuf *text, const struct cell *cell, enum column_type type);
