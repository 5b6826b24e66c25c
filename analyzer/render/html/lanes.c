/* SPDX-License-Identifier: MIT */
/*
 * Lanes as pictures that are as wide as the page: a row for each level, places in
 * percent, so that names keep their size on any screen. Each slice says in words what it
 * is. Must not put more slices into the page than a browser and a reader can take: those
 * of each lane that are left out are its shortest, and counted.
 */
#include "analyzer/render/html/html.h"

#include "analyzer/model/units.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

#define SLICES_MOST 3000u
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
	size_t quota; /* slices of a lane that are drawn */
	size_t short_count, deep_count;
};

static int64_t length_of(const struct lane_slice *slice)
{
	int64_t length;

	return __builtin_sub_overflow(slice->end_ns, slice->begin_ns, &length) ? INT64_MAX
									       : length;
}

static bool is_in_sight(const struct lanes *lanes, const struct lane_slice *slice)
{
	return slice->begin_ns <= lanes->to_ns && slice->end_ns >= lanes->from_ns;
}

static size_t count_drawn(const struct lanes *lanes, const struct lane *lane)
{
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++)
		count += is_in_sight(lanes, &lane->slices[i]) &&
			 lane->slices[i].row < ROWS_MOST;
	return count;
}

/* So many of each lane that all together are not too many: lanes that have few leave
 * room for the others. */
static size_t quota_of(const struct lanes *lanes)
{
	size_t *counts = xcalloc(lanes->count + 1, sizeof(*counts));
	size_t low = 1, high = SLICES_MOST;

	for (size_t i = 0; i < lanes->count; i++)
		counts[i] = count_drawn(lanes, &lanes->all[i]);
	while (low < high) {
		size_t quota = (low + high + 1) / 2, sum = 0;

		for (size_t i = 0; i < lanes->count; i++)
			sum += counts[i] < quota ? counts[i] : quota;
		if (sum <= SLICES_MOST)
			low = quota;
		else
			high = quota - 1;
	}
	free(counts);
	return low;
}

static int compare_lengths(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (b > a) - (b < a);
}

/* Slices of this length and longer are drawn; ret_even: how many of just this length. */
static int64_t least_length(const struct picture *picture, const struct lane *lane,
			    size_t *ret_even)
{
	int64_t *lengths = xcalloc(lane->count + 1, sizeof(*lengths)), least = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++)
		if (is_in_sight(picture->lanes, &lane->slices[i]) &&
		    lane->slices[i].row < ROWS_MOST)
			lengths[count++] = length_of(&lane->slices[i]);
	*ret_even = SIZE_MAX;
	if (count > picture->quota) {
		qsort(lengths, count, sizeof(*lengths), compare_lengths);
		least = lengths[picture->quota - 1];
		for (*ret_even = 0; *ret_even < picture->quota &&
				    lengths[picture->quota - 1 - *ret_even] == least;)
			++*ret_even;
	}
	free(lengths);
	return least;
}

/* From 0, the left edge, to 1. */
static double share_at(const struct lanes *lanes, int64_t ns)
{
	double length = (double)lanes->to_ns - (double)lanes->from_ns;

	return fmin(fmax(((double)ns - (double)lanes->from_ns) / length, 0), 1);
}

static const char *name_of(const struct lane_slice *slice)
{
	return slice->name && *slice->name ? slice->name : "?";
}

/* Behind the last ": " no name goes on: lanes.js takes the name from before it. */
static void put_words(const struct picture *picture, const struct lane_slice *slice)
{
	static const char *const words[] = {", mostly computing",
					    ", mostly ready, waiting for a CPU",
					    ", mostly blocked", "", ""};
	struct strbuf text = {0};

	shorten_name(&text, name_of(slice), NAME_MOST, &picture->style);
	strbuf_puts(&text, ": ");
	if (slice->state != LANE_MOMENT) {
		units_nsec(&text, length_of(slice));
		strbuf_puts(&text, ", ");
	}
	strbuf_puts(&text, "at ");
	units_nsec(&text, slice->begin_ns);
	strbuf_puts(&text, words[slice->state]);
	html_put(picture->page, strbuf_text(&text));
	strbuf_free(&text);
}

/* The times are for the script: from the left edge on, without what is not shown. */
static void put_slice(const struct picture *picture, const struct lane_slice *slice,
		      bool is_first)
{
	static const char *const classes[] = {"part0", "part1", "part2", "part3",
					      "moment"};
	struct html_page *page = picture->page;
	const struct lanes *lanes = picture->lanes;
	double span = (double)lanes->to_ns - (double)lanes->from_ns;
	double left = share_at(lanes, slice->begin_ns);
	double width = share_at(lanes, slice->end_ns) - left;
	size_t letters;
	struct strbuf text = {0};

	fprintf(page->out, "<svg role=\"img\" tabindex=\"%d\" data-t=\"%.0f %.0f\" ",
		is_first ? 0 : -1, left * span, width * span);
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
		shorten_name(&text, name_of(slice), letters, &picture->style);
		fputs("<text x=\"3\" y=\"14\">", page->out);
		html_put(page, strbuf_text(&text));
		fputs("</text>", page->out);
	}
	fputs("</svg>\n", page->out);
	strbuf_free(&text);
}

static void put_slices(struct picture *picture, const struct lane *lane)
{
	size_t even, drawn = 0;
	int64_t least = least_length(picture, lane, &even);

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];
		int64_t length = length_of(slice);

		if (!is_in_sight(picture->lanes, slice))
			continue;
		if (slice->row >= ROWS_MOST)
			picture->deep_count++;
		else if (length < least || (length == least && even == 0))
			picture->short_count++;
		else
			put_slice(picture, slice, drawn++ == 0);
		if (slice->row < ROWS_MOST && length == least && even)
			even--;
	}
}

static void put_lane(struct picture *picture, const struct lane *lane)
{
	struct html_page *page = picture->page;
	uint32_t rows = lane->row_count < ROWS_MOST ? lane->row_count : ROWS_MOST;
	struct strbuf label = {0};

	shorten_end(&label, lane->label, NAME_MOST, &picture->style);
	fputs("<figure class=\"lane\"><figcaption>", page->out);
	html_put(page, strbuf_text(&label));
	fputs("</figcaption>\n<svg role=\"group\" aria-label=\"", page->out);
	html_put(page, strbuf_text(&label));
	fprintf(page->out, "\" width=\"100%%\" height=\"%u\">\n", rows * ROW);
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
		units_nsec(&text, i ? (int64_t)(span * i / AXIS_PARTS) : lanes->from_ns);
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

	if (picture->short_count + picture->deep_count) {
		strbuf_puts(&text, "Not drawn: ");
		units_counted(&text, (int64_t)picture->short_count, "slice");
		strbuf_puts(&text, " shorter than the others of the lane, ");
		units_counted(&text, (int64_t)picture->deep_count, "slice");
		strbuf_printf(&text, " below row %u (--from and --to look closer).",
			      ROWS_MOST);
	}
	html_put_element(picture->page, "p", "foot", strbuf_text(&text));
	html_put_element(picture->page, "p", "foot", section->footer);
	strbuf_free(&text);
}

bool html_has_lanes(const struct section *section)
{
	return section->lanes->to_ns > section->lanes->from_ns;
}

void html_put_lanes(struct html_page *page, const struct section *section)
{
	struct picture picture = {.page = page,
				  .style = page->style,
				  .lanes = section->lanes,
				  .quota = quota_of(section->lanes)};

	picture.style.names = NULL;
	put_legend(page->out);
	fprintf(page->out, "<div class=\"lanes\" data-from=\"%lld\" data-to=\"%lld\">\n",
		(long long)section->lanes->from_ns, (long long)section->lanes->to_ns);
	put_axis(&picture);
	for (size_t i = 0; i < section->lanes->count; i++)
		put_lane(&picture, &section->lanes->all[i]);
	fputs("</div>\n", page->out);
	put_left_out(&picture, section);
}
