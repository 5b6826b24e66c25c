/* SPDX-License-Identifier: MIT */
/*
 * How good the recording is, above the findings that rest on it. Must not judge:
 * rules/quality.c does.
 */
#include "analyzer/reports/bottlenecks/parts.h"

static const struct column columns[] = {
	{"name", NULL, COLUMN_TEXT, 0},	  {"value", NULL, COLUMN_FIGURE, 0},
	{"unit", NULL, COLUMN_TEXT, 0},	  {"limit", NULL, COLUMN_FIGURE, 0},
	{"effect", NULL, COLUMN_TEXT, 0}, {"text", NULL, COLUMN_TEXT, 0},
	{"advice", NULL, COLUMN_TEXT, 0},
};

/* The advice of what weighs most is what to do first. */
static void add_note(struct doc *doc, const struct quality *quality)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "Quality: ");
	quality_put_summary(&text, quality);
	doc_note(doc, "quality", NOTE_WARNING, strbuf_text(&text),
		 doc_copy(doc, quality->facts[0].advice));
	strbuf_free(&text);
}

void bottlenecks_add_quality(struct doc *doc, const struct quality *quality)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct strbuf text = {0};

	for (size_t i = 0; i < quality->count; i++) {
		const struct quality_fact *fact = &quality->facts[i];
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, fact->name);
		row[1] = cell_real(fact->value);
		row[2] = table_text(table, fact->unit);
		if (fact->has_limit)
			row[3] = cell_real(fact->limit);
		strbuf_reset(&text);
		quality_put_effect(&text, fact);
		row[4] = table_text(table, strbuf_text(&text));
		row[5] = table_text(table, fact->text);
		row[6] = table_text(table, fact->advice);
	}
	if (quality->count)
		add_note(doc, quality);
	doc_table(doc, "quality", NULL, table)->flags = SECTION_MACHINE;
	strbuf_free(&text);
}
