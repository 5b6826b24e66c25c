/* SPDX-License-Identifier: MIT */
/*
 * The slices for the script, which draws of any stretch the longest, as lanes/data.js
 * reads them: a JSON text, behind it numbers, all compressed. Must not be markup, and not
 * more than a browser can hold.
 *
 *     size of the JSON, JSON: names; of each lane how many slices; how many are not here
 *     of each slice: its begin after that of the one before it (of the first: after the
 *         left edge), length, row * 8 + state, name
 */
#include "analyzer/render/html/lanes_parts.h"

#include "analyzer/render/html/bytes.h"
#include "common/base/intern.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* 262,144 is what a run.db has at most; of 8 bytes each before they are compressed. */
#define SLICES_MOST 100000u
#define NAME_MOST 200u /* columns, where a name stands in full */

/* Returns how many. */
static size_t add_lane(struct strbuf *buffer, struct intern *names,
		       const struct lane *lane, const bool *flags, int64_t left_edge_ns)
{
	int64_t last_ns = left_edge_ns;
	size_t count = 0;

	for (size_t i = 0; i < lane->count; i++) {
		const struct lane_slice *slice = &lane->slices[i];

		if (!flags[i])
			continue;
		/* wraps around where times are damaged */
		bytes_add_signed(
			buffer, (int64_t)((uint64_t)slice->begin_ns - (uint64_t)last_ns));
		bytes_add(buffer, (uint64_t)lane_slice_length(slice));
		bytes_add(buffer, (uint64_t)slice->row * 8 + slice->state);
		bytes_add(buffer, intern_text(names, lane_slice_name(slice), NULL));
		last_ns = slice->begin_ns;
		count++;
	}
	return count;
}

/* Each slice has its name in full: without what is said of others. */
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
		strbuf_free(&text);
	}
	return list;
}

static void write_data(struct html_page *page, json_t *head, const struct strbuf *slices)
{
	char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;
	struct strbuf buffer = {0};

	if (!text)
		abort();
	bytes_add(&buffer, strlen(text));
	strbuf_puts(&buffer, text);
	strbuf_add(&buffer, strbuf_text(slices), slices->size);
	fputs("<script type=\"text/plain\" id=\"lanes-data\">", page->out);
	bytes_write(&buffer, page->out);
	fputs("</script>\n", page->out);
	strbuf_free(&buffer);
	free(text);
}

void html_put_lanes_data(struct html_page *page, const struct lanes *lanes)
{
	struct lane_choice choice = lane_choice_of(lanes, SLICES_MOST, UINT32_MAX);
	json_t *counts = json_array(), *head;
	struct intern names = {0};
	struct strbuf slices = {0};

	for (size_t i = 0; i < lanes->count; i++) {
		bool *flags = lane_choice_make(&choice, &lanes->all[i]);
		size_t count =
			add_lane(&slices, &names, &lanes->all[i], flags, lanes->from_ns);

		json_array_append_new(counts, json_integer((json_int_t)count));
		free(flags);
	}
	head = json_pack("{s:o, s:o, s:I}", "names", list_names(page, &names), "counts",
			 counts, "left", (json_int_t)choice.short_count);
	write_data(page, head, &slices);
	json_decref(head);
	strbuf_free(&slices);
	intern_free(&names);
}
