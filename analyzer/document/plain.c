/* SPDX-License-Identifier: MIT */
/* Cleans the texts of a complete document for people. Must not change numbers, or what is
 * for machines. */
#include "analyzer/document/plain.h"

#include "common/base/text.h"
#include "common/plain_text.h"
#include "analyzer/findings/finding.h"

#include <string.h>

static bool is_plain(const char *text, char kept)
{
	size_t size = strlen(text), at = 0;

	while (at < size) {
		uint32_t character;

		at += plain_text_next(text + at, size - at, &character);
		if (character == PLAIN_TEXT_REPLACEMENT ||
		    (plain_text_is_hidden(character) && character != (unsigned char)kept))
			return false;
	}
	return true;
}

/* kept: a control character that has a meaning here; 0: none. */
static void clean_but(struct doc *doc, const char **text, char kept)
{
	ended_by(strbuf_free) struct strbuf clean = {0}, part = {0};
	const char *at = *text;

	if (!at || is_plain(at, kept))
		return;
	for (;;) {
		size_t size = kept ? strcspn(at, (char[]){kept, '\0'}) : strlen(at);

		strbuf_reset(&part);
		strbuf_add(&part, at, size);
		utf8_clean(&clean, strbuf_text(&part));
		at += size;
		if (!*at)
			break;
		strbuf_putc(&clean, *at++);
	}
	*text = doc_copy(doc, strbuf_text(&clean));
}

static void clean(struct doc *doc, const char **text)
{
	clean_but(doc, text, 0);
}

static void clean_chain(struct doc *doc, const char **text)
{
	clean_but(doc, text, TABLE_CHAIN_END);
}

static void clean_cell(struct doc *doc, struct cell *cell, enum column_type type)
{
	if (cell->kind == CELL_TEXT)
		clean_but(doc, &cell->text, type == COLUMN_CHAIN ? TABLE_CHAIN_END : 0);
}

static void clean_values(struct doc *doc, struct section *section)
{
	for (size_t i = 0; i < section->value_count; i++) {
		clean(doc, &section->values[i].name);
		clean(doc, &section->values[i].title);
		clean_cell(doc, &section->values[i].cell, section->values[i].type);
	}
}

static void clean_table(struct doc *doc, struct table *table)
{
	for (size_t i = 0; table && i < table->column_count; i++) {
		clean(doc, &table->columns[i].name);
		clean(doc, &table->columns[i].title);
		for (size_t row = 0; row < table->row_count; row++)
			clean_cell(doc, &table_row(table, row)[i],
				   table->columns[i].type);
	}
}

static void clean_lanes(struct doc *doc, struct lanes *lanes)
{
	for (size_t i = 0; lanes && i < lanes->count; i++) {
		clean(doc, &lanes->all[i].label);
		for (size_t j = 0; j < lanes->all[i].count; j++)
			clean(doc, &lanes->all[i].slices[j].name);
	}
}

static void clean_finding(struct doc *doc, struct finding *finding)
{
	const char **const texts[] = {
		&finding->function, &finding->path,  &finding->step,
		&finding->file,	    &finding->where, &finding->says,
		&finding->why,	    &finding->sql,   &finding->verify};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		clean(doc, texts[i]);
	clean_chain(doc, &finding->chain);
	clean_chain(doc, &finding->through);
	for (size_t i = 0; finding->advice[i]; i++)
		clean(doc, &finding->advice[i]);
	for (size_t i = 0; i < finding->also_count; i++)
		clean(doc, &finding->also[i].function);
	for (size_t i = 0; i < finding->evidence_count; i++) {
		clean(doc, &finding->evidence[i].name);
		clean(doc, &finding->evidence[i].unit);
	}
}

static void clean_section(struct doc *doc, struct section *section)
{
	clean(doc, &section->title);
	clean(doc, &section->text);
	clean(doc, &section->advice);
	clean(doc, &section->footer);
	clean_values(doc, section);
	clean_table(doc, section->table);
	clean_lanes(doc, section->lanes);
	for (size_t i = 0; section->findings && i < section->findings->count; i++)
		clean_finding(doc, &section->findings->list[i]);
}

void doc_make_plain(struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++)
		clean_section(doc, &doc->sections[i]);
}
