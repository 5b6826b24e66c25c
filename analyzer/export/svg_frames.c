/* SPDX-License-Identifier: MIT */
/*
 * The boxes of the SVG, each a group: title, rectangle, and the name when there is room
 * for some of it. Must not change the order: svg.js finds callers by it (each stands
 * before its callees).
 */
#include "analyzer/export/svg_page.h"

#include "common/base/map.h"
#include "common/base/text.h"
#include "analyzer/model/units.h"

#include <math.h>

#define LEAST_LETTERS 3
/* Times with a larger relative error are drawn as estimates. */
#define ESTIMATE 0.1

static int64_t change_of(const struct flame_box *box)
{
	return box->total - box->total_before; /* neither is below 0 */
}

/* "+4.1%", or "x39" where a percentage would be hard to read. */
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

static void put_signed(struct strbuf *text, const struct flame *flame, int64_t amount)
{
	strbuf_putc(text, amount < 0 ? '-' : '+');
	flame_put_amount(text, flame->metric, amount < 0 ? -amount : amount);
}

/* "; not proven, 95% interval -1.20ms to +3.00ms" */
static void put_proof(struct strbuf *text, const struct flame *flame,
		      const struct flame_box *box)
{
	if (box->is_unproven)
		strbuf_puts(text, "; not proven");
	if (!box->has_interval)
		return;
	strbuf_puts(text, box->is_unproven ? ", " : "; ");
	strbuf_puts(text, "95% interval ");
	put_signed(text, flame, box->least_change);
	strbuf_puts(text, " to ");
	put_signed(text, flame, box->most_change);
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
	strbuf_puts(text, ": ");
	put_signed(text, flame, change);
	if (box->total_before) {
		strbuf_puts(text, " (");
		put_ratio(text, box);
		strbuf_putc(text, ')');
	}
	put_proof(text, flame, box);
}

/* "1.50s +-8%", or "<1.60s" if it is not known. */
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
		strbuf_printf(text, "; not every call timed: %s", box->recording);
}

static void put_title(struct svg_page *page, const struct flame_box *box)
{
	ended_by(strbuf_free) struct strbuf numbers = {0};

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
}

/* The change in text: colour alone would not do. */
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

/* With fewer letters a name's own words say more than what sets it apart; letters made
 * from a name say nothing at all. */
#define APART_LETTERS 24
#define SHORTEN_LEAST 4 /* as shorten_name() requires */

static void put_name(const struct svg_page *page, struct strbuf *label, const char *name,
		     size_t letters)
{
	size_t start = label->size;

	if (letters < SHORTEN_LEAST) {
		strbuf_add(label, name, utf8_prefix(name, letters));
		return;
	}
	if (letters >= APART_LETTERS) {
		shorten_name(label, name, letters, &page->style);
		if (!strstr(strbuf_text(label) + start, "\u2026@"))
			return;
		strbuf_truncate(label, start);
	}
	shorten_name(label, name, letters, &shorten_utf8);
}

static size_t letters_of(double width)
{
	return width > 6 ? (size_t)((width - 6) / SVG_LETTER) : 0;
}

static void put_label(struct svg_page *page, const struct flame_box *box,
		      const char *mark, double x, double y, double width)
{
	size_t letters = letters_of(width);
	bool has_mark = *mark && letters > strlen(mark) + 8;
	ended_by(strbuf_free) struct strbuf label = {0};

	if (letters < LEAST_LETTERS)
		return;
	put_name(page, &label, box->name, letters - (has_mark ? strlen(mark) + 1 : 0));
	if (has_mark)
		strbuf_printf(&label, " %s", mark);
	strbuf_printf(&page->line, "<text x=\"%.7g\" y=\"%.7g\">", x + 3, y + 13);
	xml_escape(&page->line, strbuf_text(&label));
	strbuf_puts(&page->line, "</text>");
}

/* The script may have room for other widths: it takes the widest form that fits. Steps of
 * a fourth: finer ones take long to make. */
static size_t next_letters(size_t letters)
{
	return letters + (letters < 8 ? 1 : letters / 4);
}

/* "NAME\n4 FORM\n6 FORM\n...\n40": from which width on each form is used, and from 40 on
 * the whole name. */
static void put_forms(struct svg_page *page, const char *name)
{
	size_t width = utf8_width(name);
	size_t most = letters_of(page->width - 2.0 * SVG_MARGIN);
	ended_by(strbuf_free) struct strbuf form = {0}, last = {0};

	strbuf_reset(&page->line);
	strbuf_puts(&page->line, "<desc>");
	xml_escape(&page->line, name);
	for (size_t letters = SHORTEN_LEAST; letters < width && letters <= most;
	     letters = next_letters(letters)) {
		strbuf_reset(&form);
		put_name(page, &form, name, letters);
		if (strcmp(strbuf_text(&form), strbuf_text(&last)) == 0)
			continue;
		strbuf_printf(&page->line, "\n%zu ", letters);
		xml_escape(&page->line, strbuf_text(&form));
		strbuf_reset(&last);
		strbuf_puts(&last, strbuf_text(&form));
	}
	strbuf_printf(&page->line, "\n%zu</desc>\n", width);
	fwrite(page->line.data, 1, page->line.size, page->out);
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
	/* The script can zoom into boxes narrower than a pixel. */
	int digits = width < 0.1 ? 12 : 7;
	ended_by(strbuf_free) struct strbuf mark = {0};

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
}

void svg_frames(struct svg_page *page)
{
	const struct flame *flame = page->flame;

	fputs("<g id=\"frames\">\n", page->out);
	for (size_t i = 0; i < flame->shown_count; i++)
		put_frame(page, &flame->boxes[flame->order[i]]);
	fputs("</g>\n", page->out);
}

void svg_names(struct svg_page *page)
{
	const struct flame *flame = page->flame;
	ended_by(intern_free) struct intern names = {0};

	fputs("<metadata id=\"names\">\n", page->out);
	for (size_t i = 0; i < flame->shown_count; i++) {
		const char *name = flame->boxes[flame->order[i]].name;
		bool is_new;

		intern_text(&names, name, &is_new);
		if (is_new && utf8_width(name) > SHORTEN_LEAST)
			put_forms(page, name);
	}
	fputs("</metadata>\n", page->out);
}
