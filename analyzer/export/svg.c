/* SPDX-License-Identifier: MIT */
/*
 * The flame graph as one SVG file: the whole on top, callees below callers. It is
 * complete without its script (svg.js), which adds zoom, search and keys in a browser.
 * Must not refer to anything outside the file, or write names unescaped.
 */
#include "analyzer/export/svg_page.h"

#include "common/base/text.h"
#include "analyzer/model/units.h"

#include "svg.css.h"
#include "svg.js.h"

#include <stdlib.h>

#define LINE_HEIGHT 16
#define LISTED_GONE 10

static void put_text(struct svg_page *page, double x, double y, const char *class,
		     const char *text)
{
	strbuf_reset(&page->line);
	strbuf_printf(&page->line, "<text x=\"%.5g\" y=\"%.6g\"", x, y);
	if (class)
		strbuf_printf(&page->line, " class=\"%s\"", class);
	strbuf_putc(&page->line, '>');
	xml_escape(&page->line, text);
	strbuf_puts(&page->line, "</text>\n");
	fputs(strbuf_text(&page->line), page->out);
}

/* A line of text, cut at the right edge; its title has all of it. */
static void put_line(struct svg_page *page, double *y, const char *class,
		     const char *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0}, cut = {0};

	*y += LINE_HEIGHT;
	utf8_clean(&clean, text);
	shorten_end(&cut, strbuf_text(&clean),
		    (size_t)((page->width - 2 * SVG_MARGIN) / SVG_LETTER), &shorten_utf8);
	strbuf_reset(&page->line);
	strbuf_printf(&page->line, "<text x=\"%d\" y=\"%.6g\" class=\"%s\">", SVG_MARGIN,
		      *y, class);
	xml_escape(&page->line, strbuf_text(&cut));
	if (strcmp(strbuf_text(&cut), strbuf_text(&clean)) != 0) {
		strbuf_puts(&page->line, "<title>");
		xml_escape(&page->line, text);
		strbuf_puts(&page->line, "</title>");
	}
	strbuf_puts(&page->line, "</text>\n");
	fputs(strbuf_text(&page->line), page->out);
}

/* Writes what the picture shows and how far it can be trusted. Returns its lower edge. */
static double put_head(struct svg_page *page, const struct doc *doc)
{
	double y = SVG_TITLE_HEIGHT;

	put_text(page, SVG_MARGIN, 20, "heading", doc->flame ? doc->flame->title : "");
	y -= LINE_HEIGHT / 2.0;
	put_line(page, &y, "plain", doc->flame ? doc->flame->subject : "");
	for (size_t i = 0; i < doc->section_count; i++)
		if (doc->sections[i].kind == SECTION_NOTE &&
		    !(doc->sections[i].flags & SECTION_MACHINE))
			put_line(page, &y,
				 doc->sections[i].level == NOTE_WARNING ? "warning"
									: "plain",
				 doc->sections[i].text);
	return y + LINE_HEIGHT / 2.0;
}

static void put_left_out(struct svg_page *page, double *y)
{
	const struct flame *flame = page->flame;
	ended_by(strbuf_free) struct strbuf text = {0};

	if (!flame->left_out_count)
		return;
	units_counted(&text, (int64_t)flame->left_out_count, "frame");
	strbuf_printf(&text, " below %g%% of the whole %s left out, together ",
		      flame->least_percent, flame->left_out_count == 1 ? "is" : "are");
	units_percent(&text, units_share((double)flame->left_out,
					 (double)flame->boxes[FLAME_WHOLE].total));
	strbuf_puts(&text, flame->metric == FLAME_SELF
				   ? " of it."
				   : " of it; --min-share 0 shows all.");
	put_line(page, y, "plain", strbuf_text(&text));
}

/* The colours and lines that need a legend. */
struct kinds {
	bool estimate, library, unproven;
};

static struct kinds kinds_of(const struct flame *flame)
{
	struct kinds kinds = {0};

	for (size_t i = 0; i < flame->shown_count; i++) {
		const struct flame_box *box = &flame->boxes[flame->order[i]];

		kinds.estimate |= !svg_is_known(box) || svg_is_estimate(box);
		kinds.library |= box->is_library;
		kinds.unproven |= box->is_unproven;
	}
	return kinds;
}

static void put_swatch(struct svg_page *page, double *x, double y,
		       enum flame_verdict verdict, const char *text)
{
	double strengths[] = {0.25, 1};
	size_t count = verdict == FLAME_SAME || verdict == FLAME_ADDED ? 1 : 2;

	for (size_t i = 0; i < count; i++, *x += 15)
		fprintf(page->out,
			"<rect x=\"%.6g\" y=\"%.6g\" width=\"14\" height=\"12\" "
			"fill=\"#%06x\"/>\n",
			*x, y - 10, flame_colour_of(verdict, strengths[i]));
	put_text(page, *x + 4, y, NULL, text);
	*x += 4 + SVG_LETTER * ((double)utf8_width(text) + 2);
}

static void put_legend(struct svg_page *page, double *y, bool has_unproven)
{
	double x = SVG_MARGIN;
	char same[96];

	*y += LINE_HEIGHT + 4;
	snprintf(same, sizeof(same),
		 "the same (within %g%% of the frame or %g%% of the whole)%s",
		 100 * flame_tolerance(page->flame), 100 * FLAME_TOLERANCE_WHOLE,
		 has_unproven ? ", or not proven" : "");
	put_swatch(page, &x, *y, FLAME_LESS, "less");
	put_swatch(page, &x, *y, FLAME_MORE, "more");
	put_swatch(page, &x, *y, FLAME_ADDED, "new");
	put_swatch(page, &x, *y, FLAME_SAME, same);
	put_line(page, y, "plain",
		 "Width: after. Colour: change of a frame with everything below it; "
		 "what is gone is listed below.");
}

static void put_gone_frame(struct svg_page *page, double *y, uint32_t at)
{
	const struct flame *flame = page->flame;
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_puts(&text, "  -");
	flame_put_amount(&text, flame->metric, flame->boxes[at].total_before);
	strbuf_printf(&text, "  %s", flame->boxes[at].name);
	for (at = flame->boxes[at].parent; at != FLAME_WHOLE;
	     at = flame->boxes[at].parent)
		strbuf_printf(&text, " < %s", flame->boxes[at].name);
	put_line(page, y, "gone", strbuf_text(&text));
}

static void put_gone(struct svg_page *page, double *y)
{
	const struct flame *flame = page->flame;
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_puts(&text, "Gone: ");
	if (flame->gone_count)
		units_counted(&text, (int64_t)flame->gone_count, "call path");
	else
		strbuf_puts(&text, "nothing");
	if (flame->gone_count > LISTED_GONE)
		strbuf_printf(&text, ", the largest %d of them:", LISTED_GONE);
	*y += 4;
	put_line(page, y, "plain", strbuf_text(&text));
	for (size_t i = 0; i < flame->gone_count && i < LISTED_GONE; i++)
		put_gone_frame(page, y, flame->gone[i]);
}

static void put_folded(struct svg_page *page, double *y)
{
	const struct flame *flame = page->flame;
	ended_by(strbuf_free) struct strbuf text = {0};

	units_counted(&text, (int64_t)flame->folded_count, "frame");
	strbuf_printf(&text, "%s folded into others, with all %s; %s",
		      flame->folded_count == 1 ? " is" : " are",
		      flame->folded_count == 1 ? "it weighs" : "they weigh",
		      flame->is_library_folded
			      ? "without --fold-library and with --unfold-threads they "
				"are shown."
			      : "--unfold-threads shows what runs threads and tasks.");
	put_line(page, y, "plain", strbuf_text(&text));
}

/* Returns its lower edge. */
static double put_foot(struct svg_page *page)
{
	double y = page->top + SVG_ROW * page->flame->level_count;
	struct kinds kinds = kinds_of(page->flame);

	fputs("<g id=\"foot\">\n", page->out);
	put_left_out(page, &y);
	if (page->flame->folded_count)
		put_folded(page, &y);
	if (!page->flame->is_difference)
		put_line(page, &y, "plain",
			 "Colour: component, source file or library; blue: waits.");
	if (kinds.library && !page->flame->is_difference)
		put_line(page, &y, "plain",
			 page->flame->is_library_folded
				 ? "Dim: code of libraries."
				 : "Dim: code of libraries; --fold-library makes one "
				   "frame of it.");
	if (kinds.estimate)
		put_line(
			page, &y, "plain",
			"Dashed: an estimate, more than 10% uncertain or not timed call "
			"by call. Pale, too: the time is unknown and the width a guess.");
	if (page->flame->is_difference) {
		put_legend(page, &y, kinds.unproven);
		put_gone(page, &y);
	}
	fputs("</g>\n", page->out);
	return y;
}

/* The script writes here about the box under the pointer. */
static void put_details(struct svg_page *page)
{
	fprintf(page->out,
		"<text id=\"details\" x=\"%d\" y=\"%.6g\">Open it in a browser: click a "
		"frame to zoom, search, walk with the arrow keys.</text>\n",
		SVG_MARGIN, page->top - 7);
}

static void open_page(struct svg_page *page, const struct doc *doc, double height)
{
	strbuf_reset(&page->line);
	xml_escape(&page->line, doc->flame ? doc->flame->title : "");
	fprintf(page->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
		"height=\"%.6g\" viewBox=\"0 0 %u %.6g\" data-left=\"%d\" "
		"data-width=\"%.6g\" data-top=\"%.6g\" data-row=\"%d\" "
		"data-letter=\"%g\">\n"
		"<title>%s</title>\n<style>\n%s</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" class=\"page\" "
		"fill=\"#fff\"/>\n",
		height, page->width, height, SVG_MARGIN, page->width - 2.0 * SVG_MARGIN,
		page->top, SVG_ROW, SVG_LETTER, strbuf_text(&page->line), svg_css);
}

/* The file's head has the height, so it is written last. */
static void write_svg(const struct doc *doc, const struct export_context *context)
{
	const struct flame *flame = doc->flame;
	struct svg_page page = {
		.width = context->width, .flame = flame, .style = shorten_utf8};
	auto_free char *body = NULL;
	double end;
	size_t size;

	page.style.names = doc->names;
	page.out = open_memstream(&body, &size);
	if (!page.out)
		abort();
	page.top = end = put_head(&page, doc) + SVG_BAR_HEIGHT;
	if (flame) {
		put_details(&page);
		svg_frames(&page);
		svg_names(&page);
		end = put_foot(&page) + LINE_HEIGHT / 2.0;
		fprintf(page.out, "<script>//<![CDATA[\n%s//]]></script>\n", svg_js);
	}
	fclose(page.out);
	page.out = context->out;
	open_page(&page, doc, end + SVG_MARGIN);
	fwrite(body, 1, size, page.out);
	fputs("</svg>\n", page.out);
}

const struct exporter exporter_svg = {
	.name = "svg",
	.summary = "a flame graph",
	.is_picture = true,
	.write = write_svg,
};
