/* SPDX-License-Identifier: MIT */
/*
 * The boxes of the SVG, each a group: title, rectangle, and the name when there is room
 * for some of it. Must not change the order: svg.js finds callers by it (each stands
 * before its callees).
 */
#include "analyzer/export/svg_page.h"

#include "common/base/xml.h"
#include "analyzer/model/units.h"

#include <math.h>

#define LEAST_LETTERS 3
/* A time with a larger error than this part of it looks like an estimate. */
#define ESTIMATE 0.1

static int64_t change_of(const struct flame_box *box)
{
	return box->total - box->total_before; /* neither is below 0 */
}

/* "+4.1%", or "x39" where a percentage is no longer read. */
static void put_ratio(struct strbuf *text, const struct flame_box *box)
{
	double before = (double)box->total_before, change = (double)change_of(box);

	if (change >= 9 * before) {
		strbuf_printf(text, "x%.0f", (double)box->total / before);
		return;
	}
	strbuf_puts(text, change < 0 ? "-" : "+");
	units_percent(text, units_share(fabs(change), before));
}

/* "; before 1.20s: +300ms (+25.0%)" */
static void put_change(struct strbuf *text, const struct flame *flame,
		       const struct flame_box *box)
{
	int64_t change = change_of(box);

	if (flame_judge(flame, box) == FLAME_ADDED) {
		strbuf_puts(text, "; new");
		return;
	}
	strbuf_puts(text, "; before ");
	flame_put_amount(text, flame->metric, box->total_before);
	strbuf_puts(text, change < 0 ? ": -" : ": +");
	flame_put_amount(text, flame->metric, change < 0 ? -change : change);
	if (box->total_before) {
		strbuf_puts(text, " (");
		put_ratio(text, box);
		strbuf_putc(text, ')');
	}
}

/* "1.50s +-8%", or "<1.60s" of one that is not known. */
static void put_time(struct strbuf *text, const struct flame *flame, int64_t amount,
		     int64_t error)
{
	if (error > 0)
		units_nsec_error(text, amount, error, " \xc2\xb1");
	else
		flame_put_amount(text, flame->metric, amount);
}

/* "1.50s, 31.2% of all; self 200ms (4.2%)" */
static void put_numbers(struct strbuf *text, const struct flame *flame,
			const struct flame_box *box)
{
	double whole = (double)flame->boxes[FLAME_WHOLE].total;

	put_time(text, flame, box->total, box->total_error);
	if (box->parent != FLAME_NONE) {
		strbuf_puts(text, ", ");
		units_percent(text, units_share((double)box->total, whole));
		strbuf_puts(text, " of all");
	}
	if (flame->is_difference)
		put_change(text, flame, box);
	if (box->self && flame->metric != FLAME_SELF) {
		strbuf_puts(text, "; itself ");
		put_time(text, flame, box->self, box->self_error);
		strbuf_puts(text, " (");
		units_percent(text, units_share((double)box->self, whole));
		strbuf_putc(text, ')');
	}
	if (box->is_folded)
		strbuf_puts(text, "; several functions in one");
	else if (box->is_library)
		strbuf_puts(text, "; of a library");
	if (box->is_unwound)
		strbuf_puts(text, "; not instrumented");
	if (box->recording)
		strbuf_printf(text, "; not each call timed: %s", box->recording);
}

static void put_title(struct svg_page *page, const struct flame_box *box)
{
	struct strbuf numbers = {0};

	xml_escape(&page->line, box->name);
	strbuf_putc(&page->line, '\n');
	if (box->file) {
		xml_escape(&page->line, box->file);
		if (box->line)
			strbuf_printf(&page->line, ":%u", box->line);
		strbuf_putc(&page->line, '\n');
	}
	put_numbers(&numbers, page->flame, box);
	xml_escape(&page->line, strbuf_text(&numbers));
	strbuf_free(&numbers);
}

/* The change stands beside the name: colour alone would not do. */
static void put_mark(struct strbuf *text, const struct flame *flame,
		     const struct flame_box *box)
{
	enum flame_verdict verdict = flame_judge(flame, box);

	if (verdict == FLAME_ADDED)
		strbuf_puts(text, "new");
	else if (verdict != FLAME_SAME && box->total_before == 0)
		strbuf_puts(text, "from 0"); /* the path is not new */
	else if (verdict != FLAME_SAME)
		put_ratio(text, box);
}

/* Of a label that has less, its own words say more than what tells it from others. */
#define APART_LETTERS 24

static void put_label(struct svg_page *page, const struct flame_box *box,
		      const char *mark, double x, double y, double width)
{
	size_t letters = width > 6 ? (size_t)((width - 6) / SVG_LETTER) : 0;
	const struct shorten_style *style =
		letters < APART_LETTERS ? &shorten_utf8 : &page->style;
	struct strbuf label = {0};

	if (letters < LEAST_LETTERS)
		return;
	if (letters < 4) /* the least that shorten_name() can do */
		strbuf_add(&label, box->name, utf8_prefix(box->name, letters));
	else if (*mark && letters > strlen(mark) + 8)
		shorten_name(&label, box->name, letters - strlen(mark) - 1, &page->style);
	else
		shorten_name(&label, box->name, letters, style);
	if (*mark && letters > strlen(mark) + 8)
		strbuf_printf(&label, " %s", mark);
	strbuf_printf(&page->line, "<text x=\"%.7g\" y=\"%.7g\">", x + 3, y + 13);
	xml_escape(&page->line, strbuf_text(&label));
	strbuf_puts(&page->line, "</text>");
	strbuf_free(&label);
}

bool svg_is_known(const struct flame_box *box)
{
	return units_is_known((double)box->total, (double)box->total_error);
}

bool svg_is_estimate(const struct flame_box *box)
{
	return box->recording || (double)box->total_error > ESTIMATE * (double)box->total;
}

static void put_class(struct strbuf *line, const struct flame *flame,
		      const struct flame_box *box)
{
	const char *certainty = !svg_is_known(box)     ? "unknown"
				: svg_is_estimate(box) ? "estimate"
						       : "";
	bool is_dim = box->is_library && !flame->is_difference;

	if (is_dim || *certainty)
		strbuf_printf(line, " class=\"%s%s%s\"", certainty,
			      is_dim && *certainty ? " " : "", is_dim ? "library" : "");
}

static void put_frame(struct svg_page *page, const struct flame_box *box)
{
	double all = page->width - 2.0 * SVG_MARGIN;
	double x = SVG_MARGIN + box->left * all, width = box->width * all;
	double y = page->top + SVG_ROW * box->level;
	/* The script zooms into what is narrower than a pixel, too. */
	int digits = width < 0.1 ? 12 : 7;
	struct strbuf mark = {0};

	put_mark(&mark, page->flame, box);
	strbuf_reset(&page->line);
	strbuf_puts(&page->line, "<g");
	put_class(&page->line, page->flame, box);
	if (mark.size)
		strbuf_printf(&page->line, " data-mark=\"%s\"", mark.data);
	strbuf_puts(&page->line, "><title>");
	put_title(page, box);
	strbuf_printf(&page->line,
		      "</title><rect x=\"%.*g\" y=\"%.7g\" width=\"%.7g\" height=\"%d\" "
		      "fill=\"#%06x\"/>",
		      digits, x, y, width, SVG_ROW - 1, flame_colour(page->flame, box));
	put_label(page, box, strbuf_text(&mark), x, y, width);
	strbuf_puts(&page->line, "</g>\n");
	fwrite(page->line.data, 1, page->line.size, page->out);
	strbuf_free(&mark);
}

void svg_frames(struct svg_page *page)
{
	const struct flame *flame = page->flame;

	fputs("<g id=\"frames\">\n", page->out);
	for (size_t i = 0; i < flame->shown_count; i++)
		put_frame(page, &flame->boxes[flame->order[i]]);
	fputs("</g>\n", page->out);
}
