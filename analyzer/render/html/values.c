/* SPDX-License-Identifier: MIT */
/*
 * Names and values; parts of a whole as one bar, repeated in words; numbers over time as
 * a line. Must not say anything by a picture alone.
 */
#include <math.h>
#include <string.h>

#include "analyzer/model/units.h"
#include "analyzer/render/cell.h"
#include "analyzer/render/html/html.h"
#include "common/base/text.h"

/* Texts and links. Escaping for XML does, and takes out what would steer the reader. */

void html_put(struct html_page *page, const char *text)
{
	ended_by(strbuf_free) struct strbuf own = {0}, escaped = {0};

	shorten_signs(&own, text, &page->style);
	xml_escape(&escaped, strbuf_text(&own));
	fputs(strbuf_text(&escaped), page->out);
}

void html_put_element(struct html_page *page, const char *tag, const char *class,
		      const char *text)
{
	if (!text || !*text)
		return;
	fprintf(page->out, "<%s", tag);
	if (class)
		fprintf(page->out, " class=\"%s\"", class);
	fputc('>', page->out);
	html_put(page, text);
	fprintf(page->out, "</%s>", tag);
}

void html_put_needs_script(struct html_page *page, const char *subject)
{
	fprintf(page->out,
		"<noscript><p class=\"foot\">%s: drawn by a script. Without scripts the "
		"tables have all the numbers.</p></noscript>\n",
		subject);
}

void html_put_id(struct html_page *page, const struct section *section)
{
	size_t before = 0;

	for (const struct section *one = page->doc->sections; one < section; one++)
		before += strcmp(one->name, section->name) == 0;
	html_put(page, section->name);
	if (before)
		fprintf(page->out, "-%zu", before + 1);
}

void html_put_about(struct html_page *page, int64_t function_id)
{
	for (size_t i = 0; function_id && i < page->doc->section_count; i++)
		if (page->doc->sections[i].about == function_id) {
			fputs(" <a href=\"#", page->out);
			html_put_id(page, &page->doc->sections[i]);
			fputs("\">its slow calls</a>", page->out);
			return;
		}
}

#define WIDE 1000.0 /* width of a page-wide picture, in its units */
#define PLOT_HEIGHT 60.0

static const char *title_of(const struct section_value *value)
{
	return value->title ? value->title : value->name;
}

/* The value "cpu_error_ns" for "cpu_ns", as in tables; NULL: none. */
static const struct cell *error_of(const struct section *section,
				   const struct section_value *value)
{
	const char *unit = value->name ? strrchr(value->name, '_') : NULL;
	char name[64];

	if (!unit || unit - value->name > (ptrdiff_t)sizeof(name) / 2)
		return NULL;
	snprintf(name, sizeof(name), "%.*s_error%s", (int)(unit - value->name),
		 value->name, unit);
	for (size_t i = 0; i < section->value_count; i++)
		if (section->values[i].name && strcmp(section->values[i].name, name) == 0)
			return &section->values[i].cell;
	return NULL;
}

static void put_value(struct html_page *page, const struct section *section,
		      const struct section_value *value)
{
	const struct cell *error = error_of(section, value);
	ended_by(strbuf_free) struct strbuf text = {0};

	if (error && cell_number(error) > 0)
		cell_with_error(&text, &value->cell, error, value->type, &page->style);
	else
		cell_for_people(&text, &value->cell, value->type, &page->style);
	html_put(page, strbuf_text(&text));
}

/* A value without a name continues the one before it. */
static void put_list(struct html_page *page, const struct section *section)
{
	fputs("<dl>\n", page->out);
	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];

		if (value->flags & COLUMN_MACHINE)
			continue;
		if (*title_of(value) || i == 0)
			html_put_element(page, "dt", NULL,
					 *title_of(value) ? title_of(value)
							  : section->name);
		fputs("<dd>", page->out);
		put_value(page, section, value);
		fputs("</dd>\n", page->out);
	}
	fputs("</dl>\n", page->out);
}

static bool is_part(const struct section_value *value)
{
	return (value->flags & COLUMN_MACHINE) && value->title && *value->title;
}

static double whole_of(const struct section *section)
{
	double whole = 0;

	for (size_t i = 0; i < section->value_count; i++)
		if (is_part(&section->values[i]))
			whole += fmax(cell_number(&section->values[i].cell), 0);
	return whole;
}

static void put_shares(struct html_page *page, const struct section *section,
		       double whole)
{
	size_t part = 0;

	fputs("<ul class=\"parts\">\n", page->out);
	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];
		struct strbuf text = {0};

		if (!is_part(value))
			continue;
		part++;
		if (cell_number(&value->cell) == 0)
			continue;
		units_percent(&text, units_share(cell_number(&value->cell), whole));
		fprintf(page->out,
			"<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
			"class=\"part%zu\" width=\"12\" height=\"12\"/></svg> ",
			part - 1);
		html_put_element(page, "b", NULL, strbuf_text(&text));
		fputc(' ', page->out);
		html_put(page, value->title);
		fputs(", ", page->out);
		put_value(page, section, value);
		fputs("</li>\n", page->out);
	}
	fputs("</ul>\n", page->out);
}

/* A bar; the list below says the same. */
static void put_parts(struct html_page *page, const struct section *section, double whole)
{
	double left = 0;
	size_t part = 0;

	fprintf(page->out,
		"<svg class=\"whole\" viewBox=\"0 0 %g 24\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		WIDE);
	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];
		double width = fmax(cell_number(&value->cell), 0) / whole * WIDE;

		if (!is_part(value))
			continue;
		fprintf(page->out,
			"<rect class=\"part%zu\" x=\"%.2f\" width=\"%.2f\" "
			"height=\"24\"/>",
			part++, left, width);
		left += width;
	}
	fputs("</svg>\n", page->out);
	put_shares(page, section, whole);
}

void html_put_values(struct html_page *page, const struct section *section)
{
	double whole = section->flags & SECTION_PARTS ? whole_of(section) : 0;

	if (whole > 0)
		put_parts(page, section, whole);
	else
		put_list(page, section);
}

/* Draws a line where the numbers are known. */
static void put_course(struct html_page *page, const struct section *section)
{
	bool is_open = false;

	fputs("<path d=\"", page->out);
	for (size_t i = 0; i < section->point_count; i++) {
		double x = section->point_count > 1
				   ? (double)i / (double)(section->point_count - 1)
				   : 0;
		double y = section->peak > 0 ? section->points[i] / section->peak : 0;

		if (!isnan(y))
			fprintf(page->out, "%c%.1f %.1f", is_open ? 'L' : 'M', x * WIDE,
				PLOT_HEIGHT - fmin(fmax(y, 0), 1) * (PLOT_HEIGHT - 2) -
					1);
		is_open = !isnan(y);
	}
	fputs("\"/>", page->out);
}

void html_put_plot(struct html_page *page, const struct section *section)
{
	struct cell peak = cell_real(section->peak);
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_puts(&text, section->title ? section->title : section->name);
	strbuf_puts(&text, ": peak ");
	cell_for_people(&text, &peak, section->plot_type, &page->style);
	strbuf_puts(&text, " over ");
	doc_put_span(&text, section);
	fputs("<figure class=\"plot\"><figcaption>", page->out);
	html_put(page, strbuf_text(&text));
	fprintf(page->out,
		"</figcaption><svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		WIDE, PLOT_HEIGHT);
	put_course(page, section);
	fputs("</svg></figure>\n", page->out);
}
