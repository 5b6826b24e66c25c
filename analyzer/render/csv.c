/* SPDX-License-Identifier: MIT */
/*
 * What this is:  csv (RFC 4180): the document's main table, raw numbers, units in the
 *                header. A document without one gives its notes.
 * Runs on:       prof-analyze, main thread.
 * Must not:      scale or shorten anything.
 * See also:      render.h.
 */
#include "analyzer/render/render.h"

#include "analyzer/base/strbuf.h"
#include "analyzer/base/utf8.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/findings.h"

#include <string.h>

static void put_field(FILE *out, const char *text, bool *first)
{
	if (!*first)
		fputc(',', out);
	*first = false;
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
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
	struct strbuf scratch = {0};

	put_header(out, table);
	for (size_t i = 0; i < table->row_count; i++)
		put_row(out, table, i, &scratch);
	strbuf_free(&scratch);
}

static void put_findings(FILE *out, const struct section *section)
{
	struct table *table = findings_as_table(section);

	put_table(out, table);
	table_free(table);
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
