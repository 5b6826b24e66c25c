/* SPDX-License-Identifier: MIT */
/*
 * Csv (RFC 4180): the document's main table with raw numbers and units in the header, or
 * its notes if it has no table. Must not scale or shorten anything, or give a
 * spreadsheet a formula that is the name of a function.
 */
#include "analyzer/render/render.h"

#include "common/base/text.h"
#include "common/plain_text.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/findings.h"

#include <string.h>

/* Characters that begin a formula; the wide forms do so, too, where they are typed. */
static bool begins_formula(const char *text)
{
	uint32_t first;

	if (!*text || !text[1])
		return false;
	plain_text_next(text, strlen(text), &first);
	return (first < 0x80 && strchr("=+-@", (int)first)) || first == 0xff1d ||
	       first == 0xff0b || first == 0xff0d || first == 0xff20;
}

/* "-12", "+3.5e-7", "-4.1%": evaluating these changes nothing. */
static bool is_number(const char *text)
{
	size_t digits = 0;

	text += *text == '+' || *text == '-';
	for (; *text >= '0' && *text <= '9'; text++)
		digits++;
	text += *text == '.';
	for (; *text >= '0' && *text <= '9'; text++)
		digits++;
	if (digits && (*text == 'e' || *text == 'E')) {
		text += 1 + (text[1] == '+' || text[1] == '-');
		for (digits = 0; *text >= '0' && *text <= '9'; text++)
			digits++;
	}
	text += *text == '%';
	return digits && !*text;
}

/* Hidden characters are escaped as in JSON, except line breaks, which quoted fields may
 * contain. Formulas get an apostrophe in front. */
static void put_safe(struct strbuf *safe, const char *text)
{
	size_t left = strlen(text);

	if (begins_formula(text) && !is_number(text))
		strbuf_putc(safe, '\'');
	while (left > 0) {
		uint32_t character;
		size_t length = plain_text_next(text, left, &character);

		if (character != '\n' && plain_text_is_hidden(character))
			strbuf_printf(safe, character < 0x10000 ? "\\u%04x" : "\\U%08x",
				      character);
		else if (character == PLAIN_TEXT_REPLACEMENT)
			strbuf_puts(safe, "\xef\xbf\xbd");
		else
			strbuf_add(safe, text, length);
		text += length;
		left -= length;
	}
}

static void put_field(FILE *out, const char *text, bool *first)
{
	ended_by(strbuf_free) struct strbuf safe = {0};

	if (!*first)
		fputc(',', out);
	*first = false;
	put_safe(&safe, text);
	/* Some readers split fields at ';': quoted, ours stay whole. */
	if (!strpbrk(strbuf_text(&safe), ",;\"\n")) {
		fputs(strbuf_text(&safe), out);
		return;
	}
	fputc('"', out);
	for (const char *at = strbuf_text(&safe); *at; at++) {
		if (*at == '"')
			fputc('"', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

static void put_header(FILE *out, const struct table *table)
{
	bool first = true;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->flags & COLUMN_HUMAN)
			continue;
		put_field(out, column->name, &first);
		if (column->type == COLUMN_LOCATION)
			put_field(out, "line", &first);
	}
	fputs("\r\n", out);
}

static void put_row(FILE *out, const struct table *table, size_t row,
		    struct strbuf *scratch)
{
	const struct cell *cells = table_row(table, row);
	bool first = true;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (column->flags & COLUMN_HUMAN)
			continue;
		strbuf_reset(scratch);
		cell_for_machines(scratch, &cells[i]);
		put_field(out, strbuf_text(scratch), &first);
		if (column->type != COLUMN_LOCATION)
			continue;
		strbuf_reset(scratch);
		if (cells[i].kind == CELL_TEXT && cells[i].line)
			strbuf_printf(scratch, "%u", cells[i].line);
		put_field(out, strbuf_text(scratch), &first);
	}
	fputs("\r\n", out);
}

static void put_table(FILE *out, const struct table *table)
{
	ended_by(strbuf_free) struct strbuf scratch = {0};

	put_header(out, table);
	for (size_t i = 0; i < table->row_count; i++)
		put_row(out, table, i, &scratch);
}

static void put_findings(FILE *out, const struct section *section)
{
	put_table(out, findings_as_table(section));
}

static void put_notes(FILE *out, const struct doc *doc)
{
	static const char *const levels[] = {"plain", "good", "warning"};

	fputs("level,name,text,advice\r\n", out);
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];
		bool first = true;

		if (section->kind != SECTION_NOTE || (section->flags & SECTION_HUMAN))
			continue;
		put_field(out, levels[section->level], &first);
		put_field(out, section->name, &first);
		put_field(out, section->text, &first);
		put_field(out, section->advice ? section->advice : "", &first);
		fputs("\r\n", out);
	}
}

static void render(const struct doc *doc, const struct render_context *context)
{
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (!(section->flags & SECTION_MAIN))
			continue;
		if (section->kind == SECTION_FINDINGS)
			put_findings(context->out, section);
		else
			put_table(context->out, section->table);
		return;
	}
	put_notes(context->out, doc);
}

const struct renderer renderer_csv = {
	.name = "csv", .for_machines = true, .render = render};
