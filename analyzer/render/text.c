/* SPDX-License-Identifier: MIT */
/* Text for people at a terminal. Must not be wider than the terminal. */
#include "analyzer/render/render.h"

#include "common/base/text.h"
#include "analyzer/model/units.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/findings.h"
#include "analyzer/render/style.h"

#include <math.h>
#include <string.h>

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
	struct strbuf text = {0};

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
	strbuf_free(&text);
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
	struct strbuf text = {0};

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
		units_nsec(&text, section->span_ns);
		fprintf(style->out, "  %*s  %s0%*s%s\n", LABEL_LEAST, "", style->dim,
			(int)columns - 1, strbuf_text(&text), style->off);
	}
	strbuf_free(&text);
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
