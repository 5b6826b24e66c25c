/* SPDX-License-Identifier: MIT */
/*
 * Lanes in a terminal's columns: a line for each row of slices. The label names what has
 * most of the row, and how many others there are; these are named where there is room.
 * Must not write more columns than there are.
 */
#include "analyzer/render/style.h"

#include "analyzer/model/units.h"
#include "common/base/map.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

#define INDENT 2u
#define WIDTH_LEAST 16u
#define ROWS_MOST 8u
#define NAME_LEAST 8u /* shortest cut name */
#define LABEL 20u

struct canvas {
	const struct text_style *style;
	const struct lanes *lanes;
	size_t width;
	const struct lane_slice **cells; /* by column; NULL: nothing */
	bool has_names; /* the row has several names: slices show theirs */
};

static const char *color_of(const struct text_style *style, enum lane_state state)
{
	switch (state) {
	case LANE_READY:
		return style->warning;
	case LANE_BLOCKED:
	case LANE_UNKNOWN:
		return style->dim;
	default:
		return "";
	}
}

/* The column in which a moment lies. */
static size_t column_of(const struct canvas *canvas, int64_t ns)
{
	const struct lanes *lanes = canvas->lanes;
	double length = (double)lanes->to_ns - (double)lanes->from_ns;
	double at =
		((double)ns - (double)lanes->from_ns) / length * (double)canvas->width;

	if (!(at > 0))
		return 0;
	return at < (double)canvas->width ? (size_t)at : canvas->width - 1;
}

static int64_t length_of(const struct lane_slice *slice)
{
	int64_t length;

	return __builtin_sub_overflow(slice->end_ns, slice->begin_ns, &length) ? INT64_MAX
									       : length;
}

/* If several slices share a column, the longest shows. */
static void place(struct canvas *canvas, const struct lane *lane, uint32_t row)
{
	for (size_t i = 0; i < canvas->width; i++)
		canvas->cells[i] = NULL;
	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];
		size_t first, last;

		if (slice->row != row || slice->begin_ns > canvas->lanes->to_ns ||
		    slice->end_ns < canvas->lanes->from_ns)
			continue;
		first = column_of(canvas, slice->begin_ns);
		last = column_of(canvas, slice->end_ns);
		for (size_t at = first; at <= last; at++)
			if (!canvas->cells[at] ||
			    length_of(canvas->cells[at]) < length_of(slice))
				canvas->cells[at] = slice;
	}
}

/* Writes one slice or gap; its last column stays free if the next slice follows at
 * once. */
static void put_run(const struct canvas *canvas, const struct lane_slice *slice,
		    size_t columns, bool is_followed)
{
	const struct text_style *style = canvas->style;
	ended_by(strbuf_free) struct strbuf name = {0};
	size_t used = 0, filled = columns - (is_followed && columns > 1);

	if (!slice) {
		fprintf(style->out, "%*s", (int)columns, "");
		return;
	}
	fputs(color_of(style, slice->state), style->out);
	if (canvas->has_names && slice->name &&
	    (utf8_width(slice->name) <= filled || filled >= NAME_LEAST)) {
		shorten_name(&name, slice->name, filled, style->shorten);
		used = utf8_width(strbuf_text(&name));
		fputs(strbuf_text(&name), style->out);
		if (used + 1 < filled) {
			fputc(' ', style->out);
			used++;
		}
	}
	for (; used < filled; used++)
		fputs(style->fills[slice->state], style->out);
	fputs(*color_of(style, slice->state) ? style->off : "", style->out);
	if (columns > filled)
		fputc(' ', style->out);
}

/* "take +2": what has most of the row's time, and how many other names are in it. */
static void put_label(struct canvas *canvas, const struct lane *lane, uint32_t row)
{
	ended_by(intern_free) struct intern names = {0};
	auto_free double *sums = NULL;
	size_t best = 0;
	ended_by(strbuf_free) struct strbuf label = {0}, more = {0};

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];
		uint32_t name;
		bool is_new;

		if (slice->row != row || slice->begin_ns > canvas->lanes->to_ns ||
		    slice->end_ns < canvas->lanes->from_ns)
			continue;
		name = intern_text(&names, slice->name ? slice->name : "?", &is_new);
		if (is_new)
			sums = array_room(sums, name, sizeof(*sums));
		sums[name] += (double)length_of(slice);
		best = sums[name] > sums[best] ? name : best;
	}
	canvas->has_names = names.count > 1;
	if (names.count > 1)
		strbuf_printf(&more, " +%zu", names.count - 1);
	if (names.count)
		shorten_name(&label, intern_name(&names, (uint32_t)best),
			     LABEL - 1 - more.size, canvas->style->shorten);
	strbuf_puts(&label, strbuf_text(&more));
	fprintf(canvas->style->out, "%*s%s%*s", (int)INDENT, "", strbuf_text(&label),
		(int)(LABEL - utf8_width(strbuf_text(&label))), "");
}

static void put_row(struct canvas *canvas, const struct lane *lane, uint32_t row)
{
	size_t first = 0, end;

	place(canvas, lane, row);
	put_label(canvas, lane, row);
	for (; first < canvas->width; first = end) {
		for (end = first;
		     end < canvas->width && canvas->cells[end] == canvas->cells[first];)
			end++;
		if (end == canvas->width && !canvas->cells[first])
			break;
		put_run(canvas, canvas->cells[first], end - first,
			end < canvas->width && canvas->cells[end]);
	}
	fputc('\n', canvas->style->out);
}

/* Writes the rows that have something in sight. */
static void put_lane(struct canvas *canvas, const struct lane *lane)
{
	const struct text_style *style = canvas->style;
	uint32_t shown = 0, row = 0;
	ended_by(strbuf_free) struct strbuf text = {0};

	shorten_end(&text, lane->label, style->width, style->shorten);
	fprintf(style->out, "%s%s%s\n", style->bold, strbuf_text(&text), style->off);
	for (; row < lane->row_count && shown < ROWS_MOST; row++, shown++)
		put_row(canvas, lane, row);
	strbuf_reset(&text);
	if (row < lane->row_count) {
		units_counted(&text, lane->row_count - row, "row");
		strbuf_puts(&text, " below.");
		fprintf(style->out, "%*s%s", (int)INDENT, "", style->dim);
		text_wrap(style, strbuf_text(&text), INDENT, INDENT);
		fputs(style->off, style->out);
	}
}

static void put_axis(const struct canvas *canvas)
{
	const struct text_style *style = canvas->style;
	ended_by(strbuf_free) struct strbuf from = {0}, to = {0};
	size_t used;

	units_nsec(&from, canvas->lanes->from_ns);
	units_nsec(&to, canvas->lanes->to_ns);
	used = utf8_width(strbuf_text(&from));
	fprintf(style->out, "%*s%s%s%*s%s\n", (int)(INDENT + LABEL), "", style->dim,
		strbuf_text(&from),
		(int)(canvas->width > used ? canvas->width - used : 1), strbuf_text(&to),
		style->off);
}

static void put_legend(const struct text_style *style)
{
	static const char *const words[] = {"computing", "CPU wait", "blocked",
					    "not known"};
	ended_by(strbuf_free) struct strbuf text = {0};

	for (size_t i = 0; i <= LANE_UNKNOWN; i++)
		strbuf_printf(&text, "%s%s %s", i ? ", " : "", style->fills[i], words[i]);
	fprintf(style->out, "%*s%s", (int)INDENT, "", style->dim);
	text_wrap(style, strbuf_text(&text), INDENT, INDENT);
	fputs(style->off, style->out);
}

void text_lanes(const struct text_style *text, const struct section *section)
{
	struct shorten_style plain = *text->shorten;
	struct text_style style = *text;
	struct canvas canvas = {
		.style = &style,
		.lanes = section->lanes,
		.width = text->picture_width > WIDTH_LEAST + 2 * INDENT + LABEL
				 ? text->picture_width - 2 * INDENT - LABEL
				 : WIDTH_LEAST};

	if (section->lanes->to_ns <= section->lanes->from_ns)
		return;
	/* names may be ambiguous here: the table has them in full */
	plain.names = NULL;
	style.shorten = &plain;
	style.width = canvas.width + 2 * INDENT + LABEL;
	canvas.cells = xcalloc(canvas.width, sizeof(*canvas.cells));
	for (size_t i = 0; i < section->lanes->count; i++)
		put_lane(&canvas, &section->lanes->all[i]);
	put_axis(&canvas);
	put_legend(&style);
	if (section->footer)
		text_wrap(&style, section->footer, 0, 0);
}
