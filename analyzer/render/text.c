/* SPDX-License-Identifier: MIT */
/* Text for people at a terminal. Must not be wider than the terminal. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyzer/model/units.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/findings.h"
#include "analyzer/render/render.h"
#include "analyzer/render/style.h"
#include "analyzer/rules/rule.h"
#include "common/base/text.h"

/* Findings for people at a terminal. Must not be wider than the terminal. */

#define TEXT_COLUMN 13
#define NAME_LEAST 16
#define PATH_LEAST 20
#define PATH_LINES 3
#define LOCATION_WIDTH 32

/* State while a finding is drawn. */
struct drawing {
	const struct text_style *style;
	const struct section *section;
	size_t indent; /* of all its lines but the first */
};

static const char *separator(const struct text_style *style)
{
	return style->shorten->ellipsis[0] == '.' ? " - " : " · ";
}

static void put_indent(const struct drawing *drawing)
{
	fprintf(drawing->style->out, "%*s", (int)drawing->indent, "");
}

/* "1 HIGH     ", as wide as the widest of the section. */
static size_t put_rank(struct strbuf *buffer, const struct section *section, size_t index,
		       size_t width)
{
	strbuf_printf(buffer, "%zu ", index + 1);
	for (const char *c = severity_word(section->findings->list[index].severity); *c;
	     c++)
		strbuf_putc(buffer, (char)toupper((unsigned char)*c));
	for (strbuf_putc(buffer, ' '); buffer->size < width;)
		strbuf_putc(buffer, ' ');
	return buffer->size;
}

static size_t widest_rank(const struct section *section)
{
	size_t widest = 0;

	for (size_t i = 0; i < section->shown_count; i++) {
		struct strbuf rank = {0};
		size_t width = put_rank(&rank, section, i, 0);

		widest = width > widest ? width : widest;
		strbuf_free(&rank);
	}
	return widest;
}

/* "1 HIGH   find_match: called 3,816,870 times for 8.6ns each". A name that does not fit
 * beside it gets a line of its own. */
static void put_head(const struct drawing *drawing, size_t index)
{
	const struct text_style *style = drawing->style;
	const struct finding *finding = &drawing->section->findings->list[index];
	size_t room = style->width - drawing->indent, wide, used;
	ended_by(strbuf_free) struct strbuf rank = {0}, name = {0}, says = {0};

	put_rank(&rank, drawing->section, index, drawing->indent);
	fprintf(style->out, "%s%s%s",
		finding->severity >= SEVERITY_HIGH ? style->warning : style->bold,
		strbuf_text(&rank), style->off);
	shorten_signs(&says, finding->says ? finding->says : "", style->shorten);
	wide = utf8_width(strbuf_text(&says)) + 2;
	finding_put_name(&name, finding, room - 1, style->shorten);
	if (name.size && utf8_width(strbuf_text(&name)) + wide > room &&
	    wide + NAME_LEAST <= room) {
		strbuf_reset(&name);
		finding_put_name(&name, finding, room - wide, style->shorten);
	}
	if (name.size)
		fprintf(style->out, "%s%s%s:", style->bold, strbuf_text(&name),
			style->off);
	used = name.size ? utf8_width(strbuf_text(&name)) + 2 : 0;
	if (used + wide - 2 > room && name.size) {
		fputc('\n', style->out);
		put_indent(drawing);
		used = 0;
	} else if (name.size) {
		fputc(' ', style->out);
	}
	text_wrap(style, strbuf_text(&says), drawing->indent + used, drawing->indent);
}

/* "insn_size → find_match (assemble.c:2213)", with as much of the path's end as fits. */
static void put_place(struct strbuf *buffer, const struct drawing *drawing,
		      const struct finding *finding, size_t room)
{
	ended_by(strbuf_free) struct strbuf place = {0};
	bool has_path = finding->chain && *finding->chain;
	size_t least = 0;

	if (finding->file)
		shorten_location(&place, basename(finding->file), finding->line,
				 LOCATION_WIDTH, drawing->style->shorten);
	if (has_path) {
		struct strbuf whole = {0};

		shorten_chain_end(&whole, finding->chain, SIZE_MAX,
				  drawing->style->shorten);
		least = utf8_width(strbuf_text(&whole));
		least = least < PATH_LEAST ? least : PATH_LEAST;
		strbuf_free(&whole);
	}
	if (has_path && place.size && room < least + utf8_width(strbuf_text(&place)) + 3)
		strbuf_reset(&place);
	if (has_path && room >= least)
		shorten_chain_end(
			buffer, finding->chain,
			room - (place.size ? utf8_width(strbuf_text(&place)) + 3 : 0),
			drawing->style->shorten);
	if (place.size && (buffer->size || utf8_width(strbuf_text(&place)) <= room))
		strbuf_printf(buffer, buffer->size ? " (%s)" : "%s", strbuf_text(&place));
}

/* What to do, the most it can gain, and where: on one line if there is room, else on
 * two. */
static void put_answer(const struct drawing *drawing, const struct finding *finding)
{
	const struct text_style *style = drawing->style;
	size_t room = style->width - drawing->indent, used,
	       id = strlen(finding->rule->id) + 1;
	ended_by(strbuf_free) struct strbuf text = {0}, place = {0};
	bool is_behind;

	finding_put_answer(&text, drawing->section->findings, finding);
	used = utf8_width(strbuf_text(&text)) + utf8_width(separator(style));
	if (used + id < room)
		put_place(&place, drawing, finding, room - used - id);
	is_behind = place.size > 0;
	put_indent(drawing);
	if (place.size) {
		fprintf(style->out, "%s%s", strbuf_text(&text), separator(style));
	} else {
		put_place(&place, drawing, finding, room - id);
		if (!place.size)
			strbuf_printf(&text, " %s", finding->rule->id);
		text_wrap(style, strbuf_text(&text), drawing->indent, drawing->indent);
	}
	if (!is_behind && place.size)
		put_indent(drawing);
	if (place.size)
		fprintf(style->out, "%s %s%s%s\n", strbuf_text(&place), style->dim,
			finding->rule->id, style->off);
}

static void put_fact(void *context, const struct fact *fact)
{
	const struct drawing *drawing = context;
	const struct text_style *style = drawing->style;
	struct strbuf text = {0};

	fprintf(style->out, "   %s%-*s%s", style->dim, TEXT_COLUMN - 3,
		fact->number > 1 ? "" : fact->label, style->off);
	if (fact->kind != FACT_CHAIN) {
		text_wrap(style, fact->text, TEXT_COLUMN, TEXT_COLUMN);
		return;
	}
	shorten_chain(&text, fact->text, style->width - TEXT_COLUMN, PATH_LINES,
		      style->shorten);
	for (const char *at = strbuf_text(&text); *at; at++) {
		fputc(*at, style->out);
		if (*at == '\n')
			fprintf(style->out, "%*s", TEXT_COLUMN, "");
	}
	fputc('\n', style->out);
	strbuf_free(&text);
}

static void text_findings(const struct text_style *style, const struct section *section)
{
	struct drawing drawing = {style, section, widest_rank(section)};
	bool is_brief = section->flags & SECTION_BRIEF;

	for (size_t i = 0; i < section->shown_count; i++) {
		const struct finding *finding = &section->findings->list[i];

		if (i && !is_brief)
			fputc('\n', style->out);
		put_head(&drawing, i);
		if (is_brief)
			put_answer(&drawing, finding);
		else
			finding_each_fact(section, finding, put_fact, &drawing);
	}
	if (section->footer)
		text_wrap(style, section->footer, 0, 0);
}

#define LABEL_LEAST 8
#define PLOT_COLUMNS 60
#define PLOT_LEGEND 16 /* "  peak 12.3MiB" */
#define ADVICE_INDENT 2

static void put_note(const struct text_style *style, const struct section *section)
{
	const char *color = section->level == NOTE_WARNING ? style->warning
			    : section->level == NOTE_GOOD  ? style->good
							   : "";

	if (section->flags & SECTION_VERBATIM) {
		fprintf(style->out, "%s\n", section->text);
		return;
	}
	fputs(color, style->out);
	text_wrap(style, section->text, 0,
		  section->advice || section->level != NOTE_PLAIN ? ADVICE_INDENT : 0);
	fputs(*color ? style->off : "", style->out);
	if (section->advice) {
		fprintf(style->out, "%*s", ADVICE_INDENT, "");
		text_wrap(style, section->advice, ADVICE_INDENT, ADVICE_INDENT);
	}
}

static const char *value_title(const struct section_value *value)
{
	return value->title ? value->title : value->name;
}

static void put_values(const struct text_style *style, const struct section *section)
{
	size_t label = LABEL_LEAST;
	ended_by(strbuf_free) struct strbuf text = {0};

	for (size_t i = 0; i < section->value_count; i++) {
		size_t width = utf8_width(value_title(&section->values[i]));

		if (!(section->values[i].flags & COLUMN_MACHINE) && width > label)
			label = width;
	}
	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];
		const char *title = value_title(value);

		if (value->flags & COLUMN_MACHINE)
			continue;
		strbuf_reset(&text);
		cell_for_people(&text, &value->cell, value->type, style->shorten);
		fprintf(style->out, "  %s%s%s%*s", style->dim, title, style->off,
			(int)(label - utf8_width(title) + 2), "");
		text_wrap(style, strbuf_text(&text), label + 4, label + 4);
	}
}

/* The highest point that falls into a column. */
static double column_value(const struct section *section, size_t column, size_t columns)
{
	size_t from = column * section->point_count / columns;
	size_t to = (column + 1) * section->point_count / columns;
	double highest = NAN;

	for (size_t i = from; i < to || i == from; i++)
		if (isnan(highest) || section->points[i] > highest)
			highest = section->points[i];
	return highest;
}

static const char *level_text(const struct text_style *style, double value, double peak)
{
	double level;

	if (isnan(value))
		return " ";
	level = peak > 0 ? value / peak * (double)(style->level_count - 1) + 0.5 : 0;
	if (level >= (double)style->level_count)
		level = (double)style->level_count - 1;
	return style->levels[level > 0 ? (size_t)level : 0];
}

static void put_plot(const struct text_style *style, const struct section *section,
		     bool with_axis)
{
	size_t room = style->width - LABEL_LEAST - 4 - PLOT_LEGEND;
	size_t columns = room < PLOT_COLUMNS ? room : PLOT_COLUMNS;
	struct cell peak = cell_real(section->peak);
	ended_by(strbuf_free) struct strbuf text = {0};

	if (columns > section->point_count)
		columns = section->point_count;
	shorten_end(&text, section->title, LABEL_LEAST, style->shorten);
	fprintf(style->out, "  %s%s%*s%s  ", style->dim, strbuf_text(&text),
		(int)(LABEL_LEAST - utf8_width(strbuf_text(&text))), "", style->off);
	strbuf_reset(&text);
	for (size_t i = 0; i < columns; i++)
		fputs(level_text(style, column_value(section, i, columns), section->peak),
		      style->out);
	cell_for_people(&text, &peak, section->plot_type, style->shorten);
	fprintf(style->out, "  peak %s\n", strbuf_text(&text));
	if (with_axis) {
		strbuf_reset(&text);
		doc_put_span(&text, section);
		fprintf(style->out, "  %*s  %s0%*s%s\n", LABEL_LEAST, "", style->dim,
			(int)columns - 1, strbuf_text(&text), style->off);
	}
}

static bool is_plot(const struct doc *doc, size_t index)
{
	return index < doc->section_count && doc->sections[index].kind == SECTION_PLOT;
}

static void put_section(const struct text_style *style, const struct doc *doc,
			size_t index)
{
	const struct section *section = &doc->sections[index];

	if (section->title && section->kind != SECTION_PLOT) {
		fputs(style->bold, style->out);
		text_wrap(style, section->title, 0, 0);
		fputs(style->off, style->out);
	}
	switch (section->kind) {
	case SECTION_NOTE:
		put_note(style, section);
		break;
	case SECTION_VALUES:
		put_values(style, section);
		break;
	case SECTION_TABLE:
		text_table(style, section);
		break;
	case SECTION_PLOT:
		put_plot(style, section, !is_plot(doc, index + 1));
		break;
	case SECTION_FINDINGS:
		text_findings(style, section);
		break;
	case SECTION_LANES:
		text_lanes(style, section);
		break;
	}
}

static void render(const struct doc *doc, const struct render_context *context)
{
	struct text_style style;
	bool first = true;

	text_style_init(&style, context, doc->names);
	for (size_t i = 0; i < doc->section_count; i++) {
		if (doc->sections[i].flags & SECTION_MACHINE)
			continue;
		if (!first && !(doc->sections[i].flags & SECTION_TIGHT) &&
		    !(is_plot(doc, i) && is_plot(doc, i - 1)))
			fputc('\n', style.out);
		first = false;
		put_section(&style, doc, i);
	}
}

const struct renderer renderer_text = {
	.name = "text", .for_machines = false, .render = render};
