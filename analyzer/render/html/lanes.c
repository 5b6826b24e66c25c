/* SPDX-License-Identifier: MIT */
/*
 * Lanes: their labels, and all slices for the script (lanes/data.js), which draws the
 * longest ones in range: JSON, then numbers, compressed. Must not be markup, or more
 * than a browser can hold.
 *
 *     size of the JSON, JSON: names; of each lane how many slices; how many are not here
 *     of each slice: its begin after that of the one before it (of the first: after the
 *         left edge), length, row * 8 + state, name
 */
#include "analyzer/render/html/html.h"

#include "analyzer/model/units.h"
#include "analyzer/render/html/data.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <jansson.h>
#include <stdlib.h>

/* More than any run.db has; 8 bytes each before compression. */
#define SLICES_MOST 262144u
#define ROWS_MOST 24u
#define ROW 20
#define NAME_MOST 200u /* columns, where a name stands in full */

/* Never negative, even with damaged times. */
static int64_t length_of(const struct lane_slice *slice)
{
	int64_t length;

	if (__builtin_sub_overflow(slice->end_ns, slice->begin_ns, &length))
		return INT64_MAX;
	return length > 0 ? length : 0;
}

static bool is_in_sight(const struct lanes *lanes, const struct lane_slice *slice)
{
	return slice->begin_ns <= lanes->to_ns && slice->end_ns >= lanes->from_ns;
}

static int longest_first(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (b > a) - (b < a);
}

/* The length below which slices are left out if a made-up file has too many. */
static int64_t too_short(const struct lanes *lanes, const struct lane *lane)
{
	size_t count = 0, most = SLICES_MOST / lanes->count;
	int64_t *lengths = xcalloc(lane->count + 1, sizeof(*lengths)), length = -1;

	for (size_t i = 0; i < lane->count; i++)
		if (is_in_sight(lanes, &lane->slices[i]))
			lengths[count++] = length_of(&lane->slices[i]);
	if (count > most) {
		qsort(lengths, count, sizeof(*lengths), longest_first);
		length = lengths[most];
	}
	return length;
}

struct writing {
	const struct lanes *lanes;
	struct strbuf slices;
	struct intern names;
	bool has_room; /* all slices fit */
	size_t left_count;
};

/* Returns the number of slices added. */
static size_t add_lane(struct writing *writing, const struct lane *lane)
{
	const struct lanes *lanes = writing->lanes;
	int64_t last_ns = lanes->from_ns;
	int64_t least = writing->has_room ? -1 : too_short(lanes, lane);
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];
		const char *name = slice->name && *slice->name ? slice->name : "?";

		if (!is_in_sight(lanes, slice))
			continue;
		if (length_of(slice) <= least) {
			writing->left_count++;
			continue;
		}
		/* damaged times may wrap around */
		bytes_add_signed(&writing->slices, (int64_t)((uint64_t)slice->begin_ns -
							     (uint64_t)last_ns));
		strbuf_put_leb128(&writing->slices, (uint64_t)length_of(slice));
		strbuf_put_leb128(&writing->slices,
				  (uint64_t)slice->row * 8 + slice->state);
		strbuf_put_leb128(&writing->slices,
				  intern_text(&writing->names, name, NULL));
		last_ns = slice->begin_ns;
		count++;
	}
	return count;
}

/* Full names: slices do not need to be told apart. */
static json_t *list_names(const struct html_page *page, const struct intern *names)
{
	struct shorten_style style = page->style;
	json_t *list = json_array();

	style.names = NULL;
	for (uint32_t i = 0; i < names->count; i++) {
		struct strbuf text = {0};
		json_t *name;

		shorten_name(&text, intern_name(names, i), NAME_MOST, &style);
		name = json_string(strbuf_text(&text));
		json_array_append_new(list, name ? name : json_string("?"));
	}
	return list;
}

static void put_data(struct html_page *page, const struct lanes *lanes)
{
	struct writing writing = {.lanes = lanes};
	json_t *counts = json_array(), *head;
	size_t count = 0;

	for (size_t i = 0; i < lanes->count; i++)
		count += lanes->all[i].count;
	writing.has_room = count <= SLICES_MOST;
	for (size_t i = 0; i < lanes->count; i++)
		json_array_append_new(counts, json_integer((json_int_t)add_lane(
						      &writing, &lanes->all[i])));
	head = json_pack("{s:o, s:o, s:I}", "names", list_names(page, &writing.names),
			 "counts", counts, "left", (json_int_t)writing.left_count);
	bytes_write(page->out, "lanes-data", head, &writing.slices);
}

static uint32_t rows_of(const struct lane *lane)
{
	return lane->row_count < ROWS_MOST ? lane->row_count : ROWS_MOST;
}

static void put_lane(struct html_page *page, const struct lane *lane)
{
	ended_by(strbuf_free) struct strbuf label = {0};

	shorten_end(&label, lane->label, NAME_MOST, &page->style);
	fputs("<figure class=\"lane\"><figcaption>", page->out);
	html_put(page, strbuf_text(&label));
	fputs("</figcaption>\n<svg role=\"group\" aria-label=\"", page->out);
	html_put(page, strbuf_text(&label));
	fprintf(page->out, "\" width=\"100%%\" height=\"%u\"></svg></figure>\n",
		rows_of(lane) * ROW);
}

static void put_legend(FILE *out)
{
	static const char *const words[] = {"computing", "CPU wait", "blocked",
					    "not known"};

	fputs("<ul class=\"parts\">\n", out);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fprintf(out,
			"<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
			"class=\"part%zu\" width=\"12\" height=\"12\"/></svg> %s</li>\n",
			i, words[i]);
	fputs("</ul>\n", out);
}

bool html_has_lanes(const struct section *section)
{
	return section->lanes->to_ns > section->lanes->from_ns;
}

void html_put_lanes(struct html_page *page, const struct section *section)
{
	const struct lanes *lanes = section->lanes;

	put_legend(page->out);
	fprintf(page->out, "<div class=\"lanes\" data-from=\"%lld\" data-to=\"%lld\">\n",
		(long long)lanes->from_ns, (long long)lanes->to_ns);
	html_put_needs_script(page, "Lanes over time");
	for (size_t i = 0; i < lanes->count; i++)
		put_lane(page, &lanes->all[i]);
	fputs("</div>\n", page->out);
	html_put_element(page, "p", "foot", section->footer);
	put_data(page, lanes);
}
