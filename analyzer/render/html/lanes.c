/* SPDX-License-Identifier: MIT */
/*
 * Lanes as pictures that are as wide as the page: a row for each level, places in
 * percent, so that names keep their size on any screen. Each slice says in words what it
 * is. Must not put more slices into the page than a browser and a reader can take: those
 * of each lane that are left out are its shortest, and counted. The script draws them
 * anew from lanes_data.c, of any stretch so many.
 */
#include "analyzer/render/html/lanes_parts.h"

#include "analyzer/model/units.h"

#include <math.h>
#include <stdlib.h>

#define SLICES_MOST 3000u
#define BESIDE_MOST 1000u /* in a page that has more than lanes */
#define HEIGHT_OPEN 900	  /* pixels */
#define LANE_MORE 30	  /* of a lane beside its rows */
#define ROWS_MOST 24u
#define ROW 20
#define WIDTH 1000.0 /* a page's, about: which names have room */
#define LETTER 7.0
#define LEAST_SHARE 0.001 /* wide enough to be seen */
#define NAME_MOST 200u	  /* columns, where a name stands in full */
#define AXIS_PARTS 4

struct picture {
	struct html_page *page;
	struct shorten_style
		style; /* without the others: each slice has its name in full */
	const struct lanes *lanes;
	struct lane_choice choice;
};

/* From 0, the left edge, to 1. */
static double share_at(const struct lanes *lanes, int64_t ns)
{
	double length = (double)lanes->to_ns - (double)lanes->from_ns;

	return fmin(fmax(((double)ns - (double)lanes->from_ns) / length, 0), 1);
}

/* lanes/data.js says the same. */
static void put_words(const struct picture *picture, const struct lane_slice *slice)
{
	static const char *const words[] = {", mostly computing",
					    ", mostly ready, waiting for a CPU",
					    ", mostly blocked", "", ""};
	struct strbuf text = {0};

	shorten_name(&text, lane_slice_name(slice), NAME_MOST, &picture->style);
	strbuf_puts(&text, ": ");
	if (slice->state != LANE_MOMENT) {
		units_nsec(&text, lane_slice_length(slice));
		strbuf_puts(&text, ", ");
	}
	strbuf_puts(&text, "at ");
	units_nsec(&text, slice->begin_ns);
	strbuf_puts(&text, words[slice->state]);
	html_put(picture->page, strbuf_text(&text));
	strbuf_free(&text);
}

static void put_slice(const struct picture *picture, const struct lane_slice *slice,
		      bool is_first)
{
	static const char *const classes[] = {"part0", "part1", "part2", "part3",
					      "moment"};
	struct html_page *page = picture->page;
	const struct lanes *lanes = picture->lanes;
	double left = share_at(lanes, slice->begin_ns);
	double width = share_at(lanes, slice->end_ns) - left;
	size_t letters;
	struct strbuf text = {0};

	fprintf(page->out, "<svg role=\"img\" tabindex=\"%d\" ", is_first ? 0 : -1);
	width = fmax(width, LEAST_SHARE);
	left = fmin(left, 1 - width);
	letters = width * WIDTH > 6 ? (size_t)((width * WIDTH - 6) / LETTER) : 0;
	fprintf(page->out, "x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><title>",
		left * 100, slice->row * ROW, width * 100, ROW - 1);
	put_words(picture, slice);
	fprintf(page->out,
		"</title><rect class=\"%s\" width=\"100%%\" height=\"100%%\"/>",
		classes[slice->state]);
	if (letters > 2) {
		shorten_name(&text, lane_slice_name(slice), letters, &picture->style);
		fputs("<text x=\"3\" y=\"14\">", page->out);
		html_put(page, strbuf_text(&text));
		fputs("</text>", page->out);
	}
	fputs("</svg>\n", page->out);
	strbuf_free(&text);
}

static void put_slices(struct picture *picture, const struct lane *lane)
{
	bool *flags = lane_choice_make(&picture->choice, lane);
	size_t drawn = 0;

	for (size_t i = 0; i < lane->count; i++)
		if (flags[i])
			put_slice(picture, &lane->slices[i], drawn++ == 0);
	free(flags);
}

static uint32_t rows_of(const struct lane *lane)
{
	return lane->row_count < ROWS_MOST ? lane->row_count : ROWS_MOST;
}

static void put_lane(struct picture *picture, const struct lane *lane)
{
	struct html_page *page = picture->page;
	struct strbuf label = {0};

	shorten_end(&label, lane->label, NAME_MOST, &picture->style);
	fputs("<figure class=\"lane\"><figcaption>", page->out);
	html_put(page, strbuf_text(&label));
	fputs("</figcaption>\n<svg role=\"group\" aria-label=\"", page->out);
	html_put(page, strbuf_text(&label));
	fprintf(page->out, "\" width=\"100%%\" height=\"%u\">\n", rows_of(lane) * ROW);
	put_slices(picture, lane);
	fputs("</svg></figure>\n", page->out);
	strbuf_free(&label);
}

/* The start, and how much later. */
static void put_axis(const struct picture *picture)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	const struct lanes *lanes = picture->lanes;
	double span = (double)lanes->to_ns - (double)lanes->from_ns;
	FILE *out = picture->page->out;

	fputs("<svg class=\"axis\" width=\"100%\" height=\"20\" aria-hidden=\"true\">",
	      out);
	for (int i = 0; i <= AXIS_PARTS; i++) {
		struct strbuf text = {0};

		if (i)
			strbuf_putc(&text, '+');
		units_nsec(&text,
			   i ? whole_number(span * i / AXIS_PARTS) : lanes->from_ns);
		fprintf(out, "<text x=\"%d%%\" y=\"14\" text-anchor=\"%s\">%s</text>",
			100 * i / AXIS_PARTS, anchors[(i > 0) + (i == AXIS_PARTS)],
			strbuf_text(&text));
		strbuf_free(&text);
	}
	fputs("</svg>\n", out);
}

static void put_legend(FILE *out)
{
	static const char *const words[] = {"computing", "ready, waiting for a CPU",
					    "blocked", "not known"};

	fputs("<ul class=\"parts\">\n", out);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fprintf(out,
			"<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
			"class=\"part%zu\" width=\"12\" height=\"12\"/></svg> %s</li>\n",
			i, words[i]);
	fputs("</ul>\n", out);
}

static void put_left_out(const struct picture *picture, const struct section *section)
{
	struct strbuf text = {0};

	if (picture->choice.short_count + picture->choice.deep_count) {
		strbuf_puts(&text, "Not drawn: ");
		units_counted(&text, (int64_t)picture->choice.short_count, "slice");
		strbuf_puts(&text, " shorter than the others of the lane, ");
		units_counted(&text, (int64_t)picture->choice.deep_count, "slice");
		strbuf_printf(&text, " below row %u.", ROWS_MOST);
	}
	html_put_element(picture->page, "p", "foot undrawn", strbuf_text(&text));
	html_put_element(picture->page, "p", "foot", section->footer);
	strbuf_free(&text);
}

bool html_has_lanes(const struct section *section)
{
	return section->lanes->to_ns > section->lanes->from_ns;
}

/* Beside other things lanes are put away when they are higher than a screen. */
static void put_start(struct html_page *page, const struct lanes *lanes)
{
	size_t height = 0;
	struct strbuf text = {0};

	for (size_t i = 0; i < lanes->count; i++)
		height += LANE_MORE + ROW * rows_of(&lanes->all[i]);
	units_counted(&text, (int64_t)lanes->count, "lane");
	fprintf(page->out, "<details class=\"over-time\"%s><summary>%s</summary>\n",
		height <= HEIGHT_OPEN ? " open" : "", strbuf_text(&text));
	strbuf_free(&text);
}

void html_put_lanes(struct html_page *page, const struct section *section)
{
	const struct lanes *lanes = section->lanes;
	bool is_beside = page->doc->profile != NULL;
	struct picture picture = {
		.page = page,
		.style = page->style,
		.lanes = lanes,
		.choice = lane_choice_of(lanes, is_beside ? BESIDE_MOST : SLICES_MOST,
					 ROWS_MOST)};

	picture.style.names = NULL;
	if (is_beside)
		put_start(page, lanes);
	put_legend(page->out);
	fprintf(page->out, "<div class=\"lanes\" data-from=\"%lld\" data-to=\"%lld\">\n",
		(long long)lanes->from_ns, (long long)lanes->to_ns);
	put_axis(&picture);
	for (size_t i = 0; i < lanes->count; i++)
		put_lane(&picture, &lanes->all[i]);
	fputs("</div>\n", page->out);
	put_left_out(&picture, section);
	if (is_beside)
		fputs("</details>\n", page->out);
	html_put_lanes_data(page, lanes);
}
