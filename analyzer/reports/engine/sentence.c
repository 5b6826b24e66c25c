/* SPDX-License-Identifier: MIT */
/*
 * Sentences with placeholders, filled from a row:
 *
 *     {NAME}           the value of the column, with its unit; "not known" of NULL
 *     {NAME noun}      "1 noun", "13 nouns"
 *     {NAME|one|many}  the first word when the value is 1, else the other
 *
 * Text between placeholders is ours; values are cleaned. White space of any length
 * becomes one space, so a sentence may span lines of its file.
 */
#include "analyzer/reports/engine/run.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/engine/columns.h"

#include <stdlib.h>
#include <string.h>

#define PERCENT_ERROR_LEAST 0.05 /* smaller errors do not show in the digits */

static void put_value(struct strbuf *ret, const struct table *table, size_t row,
		      int column)
{
	int error = table_error_column(table, (size_t)column);
	const struct cell *cells = table_row(table, row);

	if (error >= 0 && cells[error].kind != CELL_NULL &&
	    cells[column].kind != CELL_NULL && table->columns[column].type == COLUMN_NSEC)
		units_nsec_error(ret, cell_whole(&cells[column]),
				 cell_whole(&cells[error]), UNITS_ERROR_SIGN);
	else
		columns_put(ret, &cells[column], table->columns[column].type);
	if (error >= 0 && table->columns[column].type == COLUMN_PERCENT &&
	    cell_number(&cells[error]) >= PERCENT_ERROR_LEAST)
		strbuf_printf(ret, " +-%.2g%%", cell_number(&cells[error]));
}

/* Handles the text between braces. False: it is no placeholder. */
static bool put_placeholder(struct strbuf *ret, char *words, const struct table *table,
			    size_t row)
{
	char *noun = strchr(words, ' '), *one = strchr(words, '|'), *many;
	const struct cell *cell;
	int column;

	if (one)
		*one++ = '\0';
	else if (noun)
		*noun++ = '\0';
	column = table_column(table, words);
	if (column < 0)
		return false;
	cell = table_row(table, row) + column;
	many = one ? strchr(one, '|') : NULL;
	if (many)
		*many++ = '\0';
	if (one)
		strbuf_puts(ret, cell_whole(cell) == 1 || !many ? one : many);
	else if (noun)
		units_counted(ret, cell_whole(cell), noun);
	else
		put_value(ret, table, row, column);
	return true;
}

static const char *put_space(struct strbuf *ret, const char *at)
{
	strbuf_putc(ret, ' ');
	return at + strspn(at, " \t\n");
}

void sentence_put(struct strbuf *ret, const char *text, const struct table *table,
		  size_t row)
{
	for (const char *at = text; *at;) {
		const char *end = *at == '{' ? strchr(at, '}') : NULL;
		char *words;

		if (strchr(" \t\n", *at)) {
			at = put_space(ret, at);
			continue;
		}
		if (!end) {
			strbuf_putc(ret, *at++);
			continue;
		}
		words = xstrndup(at + 1, (size_t)(end - at - 1));
		if (put_placeholder(ret, words, table, row))
			at = end + 1;
		else
			strbuf_putc(ret, *at++);
		free(words);
	}
}

const char *engine_sentence(struct engine *engine, const char *text,
			    const struct table *table, size_t row)
{
	ended_by(strbuf_free) struct strbuf buffer = {0};

	if (!text)
		return NULL;
	sentence_put(&buffer, text, table, row);
	return doc_copy(engine->doc, strbuf_text(&buffer));
}

const char *engine_text_at(const struct table *table, size_t row, const char *name)
{
	int column = table_column(table, name);
	const struct cell *cell = column < 0 ? NULL : table_row(table, row) + column;

	return cell && cell->kind == CELL_TEXT ? cell->text : NULL;
}
