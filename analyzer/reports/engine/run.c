/* SPDX-License-Identifier: MIT */
/* Texts of a report that is being built. */
#include "analyzer/reports/engine/run.h"

#include "analyzer/reports/engine/sentence.h"

const char *engine_sentence(struct engine *engine, const char *text,
			    const struct table *table, size_t row)
{
	struct strbuf buffer = {0};
	const char *copy;

	if (!text)
		return NULL;
	sentence_put(&buffer, text, table, row);
	copy = doc_copy(engine->doc, strbuf_text(&buffer));
	strbuf_free(&buffer);
	return copy;
}

const char *engine_text_at(const struct table *table, size_t row, const char *name)
{
	int column = table_column(table, name);
	const struct cell *cell = column < 0 ? NULL : table_row(table, row) + column;

	return cell && cell->kind == CELL_TEXT ? cell->text : NULL;
}
