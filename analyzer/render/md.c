/* SPDX-License-Identifier: MIT */
/*
 * GitHub flavoured Markdown, for pull requests and wikis. Must not let a name break a
 * table: pipes, newlines and markup are escaped.
 */
#include "analyzer/render/render.h"

#include "common/base/text.h"
#include "analyzer/model/units.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/findings.h"
#include "analyzer/render/style.h"

#include <string.h>

#define CHAIN_WIDTH 120
#define NAME_WIDTH 100
#define DEEPEST 40     /* levels drawn; deeper ones get a number */
#define PATH_WIDTH 240 /* of a finding */

/* Plain text: what Markdown or HTML would take as markup is escaped. */
static void put_escaped(FILE *out, const char *text)
{
	ended_by(strbuf_free) struct strbuf own = {0};

	shorten_signs(&own, text, &shorten_utf8);
	for (const char *at = strbuf_text(&own); *at; at++) {
		if (strchr("\\`*_[]<>|#~&", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
}

static size_t longest_ticks(const char *text)
{
	size_t length = 0, longest = 0;

	for (; *text; text++) {
		length = *text == '`' ? length + 1 : 0;
		longest = length > longest ? length : longest;
	}
	return longest;
}

static void put_fence(FILE *out, size_t length)
{
	while (length-- > 0)
		fputc('`', out);
}

/* A code span. in_table: a pipe must be escaped even in a code span. */
static void put_code(FILE *out, const char *text, bool in_table)
{
	size_t ticks = longest_ticks(text);
	const char *space = ticks ? " " : "";

	put_fence(out, ticks + 1);
	fputs(space, out);
	/* an empty code span is not possible */
	for (const char *at = *text ? text : "\"\""; *at; at++) {
		if (*at == '|' && in_table)
			fputc('\\', out);
		fputc(*at, out);
	}
	fputs(space, out);
	put_fence(out, ticks + 1);
}

static void put_fact(FILE *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "- **%s**: ", label);
	put_escaped(out, text);
	fputc('\n', out);
}

static void put_code_fact(FILE *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "- **%s**: ", label);
	put_code(out, text, false);
	fputc('\n', out);
}

/* State while a finding is drawn. */
struct finding_drawing {
	FILE *out;
	const struct shorten_style *style;
};

static void put_finding_fact(void *context, const struct fact *fact)
{
	const struct finding_drawing *drawing = context;
	ended_by(strbuf_free) struct strbuf path = {0};

	if (fact->kind == FACT_TEXT) {
		put_fact(drawing->out, fact->label, fact->text);
	} else if (fact->kind == FACT_ADVICE) {
		fprintf(drawing->out, "%s  %zu. ",
			fact->number == 1 ? "- **try**:\n" : "", fact->number);
		put_escaped(drawing->out, fact->text);
		fputc('\n', drawing->out);
	} else {
		if (fact->kind == FACT_CHAIN)
			shorten_chain(&path, fact->text, PATH_WIDTH, 1, drawing->style);
		put_code_fact(drawing->out, fact->label,
			      path.size ? strbuf_text(&path) : fact->text);
	}
}

static void put_finding(FILE *out, const struct shorten_style *style,
			const struct section *section, size_t index)
{
	const struct finding *finding = &section->findings->list[index];
	struct finding_drawing drawing = {out, style};
	ended_by(strbuf_free) struct strbuf text = {0};

	fprintf(out, "#### %zu. %s: ", index + 1, severity_word(finding->severity));
	finding_put_name(&text, finding, NAME_WIDTH, style);
	if (text.size) {
		put_code(out, strbuf_text(&text), false);
		fputs(": ", out);
	}
	put_escaped(out, finding->says ? finding->says : "");
	fputs("\n\n", out);
	finding_each_fact(section, finding, put_finding_fact, &drawing);
}

static void put_findings(FILE *out, const struct shorten_style *style,
			 const struct section *section)
{
	for (size_t i = 0; i < section->shown_count; i++) {
		if (i)
			fputc('\n', out);
		put_finding(out, style, section, i);
	}
	if (section->footer) {
		fputs(section->shown_count ? "\n*" : "*", out);
		put_escaped(out, section->footer);
		fputs("*\n", out);
	}
}

static void put_cell(FILE *out, const struct shorten_style *style,
		     const struct cell *cell, enum column_type type)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	bool is_code =
		cell->kind == CELL_TEXT &&
		(type == COLUMN_NAME || type == COLUMN_CHAIN || type == COLUMN_LOCATION);

	cell_shortened(&text, cell, type,
		       type == COLUMN_CHAIN  ? CHAIN_WIDTH
		       : type == COLUMN_NAME ? NAME_WIDTH
					     : SIZE_MAX / 2,
		       style);
	if (cell->kind == CELL_NULL && type == COLUMN_CHAIN)
		strbuf_reset(&text);
	if (is_code)
		put_code(out, strbuf_text(&text), true);
	else
		put_escaped(out, strbuf_text(&text));
}

/* Returns whether the value is not known. */
static bool put_row_cell(FILE *out, const struct shorten_style *style,
			 const struct table *table, size_t row, size_t column)
{
	const struct cell *cells = table_row(table, row);
	enum column_type type = table->columns[column].type;
	int error = table_error_column(table, column);
	ended_by(strbuf_free) struct strbuf text = {0};

	if (error < 0) {
		put_cell(out, style, &cells[column], type);
		return false;
	}
	cell_with_error(&text, &cells[column], &cells[error], type, style);
	put_escaped(out, strbuf_text(&text));
	return cell_is_unknown(&cells[column], &cells[error], type);
}

static bool is_shown(const struct column *column)
{
	return !(column->flags & COLUMN_MACHINE);
}

static void put_header(FILE *out, const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(&table->columns[i])) {
			fputs("| ", out);
			put_escaped(out, column_title(&table->columns[i]));
			fputc(' ', out);
		}
	fputs("|\n", out);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(&table->columns[i]))
			fputs(column_is_number(table, i) ? "|---:" : "|:---", out);
	fputs("|\n", out);
}

/* The depth of a row in a tree; 1 in other tables. */
static size_t row_depth(const struct section *section, size_t row)
{
	double depth;

	if (!section->depth_column)
		return 1;
	depth = cell_number(table_cell(section->table, row, section->depth_column));
	return depth > 1 ? (size_t)depth : 1;
}

static void put_indent(FILE *out, size_t levels)
{
	if (levels > DEEPEST) {
		fprintf(out, "+%zu ", levels - DEEPEST);
		levels = DEEPEST;
	}
	while (levels-- > 0)
		fputs("&ensp;", out);
}

static void put_below(FILE *out, const char *text)
{
	if (!text)
		return;
	fputs("\n*", out);
	put_escaped(out, text);
	fputs("*\n", out);
}

static void put_table(FILE *out, const struct shorten_style *style,
		      const struct section *section)
{
	const struct table *table = section->table;
	bool has_unknown = false;

	put_header(out, table);
	for (size_t i = 0; i < table->row_count; i++) {
		for (size_t j = 0; j < table->column_count; j++) {
			if (!is_shown(&table->columns[j]))
				continue;
			fputs("| ", out);
			if (table->columns[j].type == COLUMN_NAME)
				put_indent(out, row_depth(section, i) - 1);
			has_unknown |= put_row_cell(out, style, table, i, j);
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
	put_below(out, section->footer);
	put_below(out, has_unknown ? CELL_UNKNOWN : NULL);
}

/* A value without a name continues the one before it on a new line. */
static void put_values(FILE *out, const struct shorten_style *style,
		       const struct section *section)
{
	size_t count = 0;

	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];
		const char *title = value->title ? value->title : value->name;

		if (value->flags & COLUMN_MACHINE)
			continue;
		if (count++ && !*title) {
			fputs("\\\n  ", out);
		} else {
			fputs(count > 1 ? "\n- **" : "- **", out);
			put_escaped(out, title);
			fputs("**: ", out);
		}
		put_cell(out, style, &value->cell, value->type);
	}
	if (count)
		fputc('\n', out);
}

static void put_note(FILE *out, const struct section *section)
{
	if (section->flags & SECTION_VERBATIM) {
		put_code(out, section->text, false);
		fputc('\n', out);
		return;
	}
	if (section->level == NOTE_WARNING)
		fputs("> **Note:** ", out);
	else
		fputs("> ", out);
	put_escaped(out, section->text);
	if (section->advice) {
		fputs("\\\n> ", out);
		put_escaped(out, section->advice);
	}
	fputc('\n', out);
}

static void put_plot(FILE *out, const struct section *section)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	struct cell peak = cell_real(section->peak);

	cell_for_people(&text, &peak, section->plot_type, &shorten_utf8);
	fputs("- **", out);
	put_escaped(out, section->title);
	fprintf(out, "** peak %s over ", strbuf_text(&text));
	strbuf_reset(&text);
	doc_put_span(&text, section);
	fprintf(out, "%s\n", strbuf_text(&text));
}

/* The same as in a terminal. */
static void put_lanes(FILE *out, const struct doc *doc, const struct section *section)
{
	struct render_context terminal = {
		.out = out, .width = 80, .picture_width = 80, .utf8 = true};
	struct text_style style;

	text_style_init(&style, &terminal, doc->names);
	fputs("```\n", out);
	text_lanes(&style, section);
	fputs("```\n", out);
}

static void render(const struct doc *doc, const struct render_context *context)
{
	struct shorten_style style = shorten_utf8;
	FILE *out = context->out;
	bool first = true;

	style.names = doc->names;
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->flags & SECTION_MACHINE)
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		if (section->title && section->kind != SECTION_PLOT) {
			fputs("### ", out);
			put_escaped(out, section->title);
			fputs("\n\n", out);
		}
		switch (section->kind) {
		case SECTION_NOTE:
			put_note(out, section);
			break;
		case SECTION_VALUES:
			put_values(out, &style, section);
			break;
		case SECTION_TABLE:
			put_table(out, &style, section);
			break;
		case SECTION_PLOT:
			put_plot(out, section);
			break;
		case SECTION_LANES:
			put_lanes(out, doc, section);
			break;
		case SECTION_FINDINGS:
			put_findings(out, &style, section);
			break;
		}
	}
}

const struct renderer renderer_md = {
	.name = "md", .for_machines = false, .render = render};
