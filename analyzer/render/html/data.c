/* SPDX-License-Identifier: MIT */
/*
 * Call paths for the explorer; decode.js reads them: JSON with everything that has a
 * name, then numbers, compressed. Must not be markup: letters, digits, '+', '/' and '='
 * only.
 *
 *     size of the JSON, JSON
 *     for each path: its distance to its parent (0: a root), function, recording, id of
 *         the first call, error of self and of total
 *     samples of the whole run (pair: of the side after), then those of each slot (the
 *         side before): how many; of each the distance to the node of the one before,
 *         lane + 1 (0: none), a bit for each metric that is not 0, behind them for the
 *         errors of self and of total, and these
 */
#include "analyzer/render/html/data.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyzer/render/html/html.h"
#include "common/base/xalloc.h"

/* Data for the scripts of a page. */

void bytes_add_signed(struct strbuf *buffer, int64_t value)
{
	strbuf_put_leb128(buffer, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void write_base64(const unsigned char *bytes, size_t size, FILE *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t three = (uint32_t)bytes[i] << 16 |
				 (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		putc_unlocked(letters[three >> 18], out);
		putc_unlocked(letters[three >> 12 & 63], out);
		putc_unlocked(left > 1 ? letters[three >> 6 & 63] : '=', out);
		putc_unlocked(left > 2 ? letters[three & 63] : '=', out);
	}
}

void bytes_write(FILE *out, const char *id, json_t *head, const struct strbuf *numbers)
{
	auto_free char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;
	ended_by(strbuf_free) struct strbuf buffer = {0};
	unsigned long size;
	auto_free unsigned char *packed = NULL;

	if (!text)
		abort();
	strbuf_put_leb128(&buffer, strlen(text));
	strbuf_puts(&buffer, text);
	strbuf_add(&buffer, strbuf_text(numbers), numbers->size);
	size = compressBound(buffer.size);
	packed = xmalloc(size);
	if (compress2(packed, &size, (const unsigned char *)strbuf_text(&buffer),
		      buffer.size, 9) != Z_OK)
		abort();
	fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
	write_base64(packed, size, out);
	fputs("</script>\n", out);
	json_decref(head);
}

#define EVENTS_MOST 20000

static json_t *text_of(const char *text)
{
	json_t *value = text ? json_string(text) : json_null();

	return value ? value : json_null();
}

static json_t *list_metrics(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < PROFILE_METRICS; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name",
						      profile_metrics[i].name, "word",
						      profile_metrics[i].word, "unit",
						      profile_metrics[i].unit));
	return list;
}

/* Name, file, line, kind (1: a library's, 2: a call of libc, 3: a wrapper that allocates
 * for its caller), and id in run.db. */
static json_t *list_functions(const struct profile *profile)
{
	json_t *list = json_array();

	for (size_t i = 0; i < profile->tree->function_count; i++) {
		const struct calltree_function *one = &profile->tree->functions[i];

		json_array_append_new(list,
				      json_pack("[o, o, i, i, I]", text_of(one->name),
						text_of(one->file), (int)one->line,
						one->is_libc	  ? 2
						: one->is_library ? 1
						: one->is_wrapper ? 3
								  : 0,
						(json_int_t)one->function_id));
	}
	return list;
}

static void add_named(json_t *list, const char *name, int64_t one, int64_t other)
{
	json_array_append_new(list, json_pack("[o, I, I]", text_of(name), (json_int_t)one,
					      (json_int_t)other));
}

static json_t *list_lanes(const struct profile *profile)
{
	json_t *list = json_array();

	for (size_t i = 0; i < profile->lane_count; i++)
		add_named(list, profile->lanes[i].thread, profile->lanes[i].tid,
			  profile->lanes[i].pid);
	return list;
}

static json_t *list_slots(const struct profile *profile)
{
	json_t *list = json_array();

	for (size_t i = 0; i < profile->slot_count; i++)
		add_named(list, profile->slots[i].label, profile->slots[i].start_ns,
			  profile->slots[i].end_ns);
	return list;
}

static json_t *list_moments(const struct heap_course *course)
{
	json_t *list = json_array();

	for (size_t i = 0; course && i < course->count; i++)
		add_named(list, course->moments[i].label, course->moments[i].time_ns,
			  course->moments[i].live_bytes);
	return list;
}

/* Steps and waits. */
static json_t *list_events(const struct timeline *timeline)
{
	json_t *list = json_array();

	for (size_t i = 0; timeline && i < timeline->count; i++) {
		const struct timeline_event *one = &timeline->events[i];

		if (one->kind == TIMELINE_SPAN && json_array_size(list) < EVENTS_MOST)
			json_array_append_new(
				list,
				json_pack("[o, o, I, I]", text_of(one->name),
					  text_of(one->detail), (json_int_t)one->start_ns,
					  (json_int_t)one->duration_ns));
	}
	return list;
}

static json_t *list_remarks(const struct doc *doc, const json_t *events)
{
	json_t *list = json_array();

	for (size_t i = 0; i < doc->profile->remark_count; i++)
		json_array_append_new(list, text_of(doc->profile->remarks[i]));
	if (json_array_size(events) == EVENTS_MOST)
		json_array_append_new(
			list,
			text_of("Only the first part of the steps and waits is here."));
	return list;
}

static json_t *make_head(const struct doc *doc)
{
	const struct profile *profile = doc->profile;
	json_t *events = list_events(doc->timeline);

	return json_pack(
		"{s:b, s:b, s:o, s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"pair", profile->is_comparison, "judged", profile->is_judged, "title",
		text_of(profile->title), "wall", (json_int_t)profile->wall_ns, "pid",
		(json_int_t)profile->slot_pid, "nodes", (int)profile->tree->node_count,
		"metrics", list_metrics(), "functions", list_functions(profile), "lanes",
		list_lanes(profile), "slots", list_slots(profile), "moments",
		list_moments(doc->heap), "events", events, "remarks",
		list_remarks(doc, events));
}

static void add_nodes(struct strbuf *buffer, const struct profile *profile)
{
	int64_t last = 0;

	for (uint32_t i = 0; i < profile->tree->node_count; i++) {
		const struct calltree_node *node = &profile->tree->nodes[i];

		strbuf_put_leb128(buffer,
				  node->parent == PROFILE_NONE ? 0 : i - node->parent);
		strbuf_put_leb128(buffer, node->function);
		strbuf_put_leb128(buffer, node->recording);
		strbuf_put_leb128(buffer, calltree_call_line(profile->tree, i));
		bytes_add_signed(buffer, node->path_id - last);
		bytes_add_signed(buffer, node->self_error_ns);
		bytes_add_signed(buffer, node->total_error_ns);
		last = node->path_id;
	}
}

enum { SAMPLE_COLUMNS = PROFILE_METRICS + 2 };

static void add_sample(struct strbuf *buffer, const struct profile_sample *sample)
{
	int64_t columns[SAMPLE_COLUMNS];
	uint64_t mask = 0;

	memcpy(columns, sample->values, sizeof(sample->values));
	columns[PROFILE_METRICS] = sample->self_error_ns;
	columns[PROFILE_METRICS + 1] = sample->total_error_ns;
	for (size_t i = 0; i < SAMPLE_COLUMNS; i++)
		mask |= (uint64_t)(columns[i] != 0) << i;
	strbuf_put_leb128(buffer, mask);
	for (size_t i = 0; i < SAMPLE_COLUMNS; i++)
		if (columns[i])
			bytes_add_signed(buffer, columns[i]);
}

static void add_samples(struct strbuf *buffer, const struct profile_sample *samples,
			size_t count)
{
	uint32_t last = 0;

	strbuf_put_leb128(buffer, count);
	for (size_t i = 0; i < count; i++) {
		const struct profile_sample *one = &samples[i];

		strbuf_put_leb128(buffer, one->node - last);
		strbuf_put_leb128(buffer, one->lane == PROFILE_NONE ? 0 : one->lane + 1);
		add_sample(buffer, one);
		last = one->node;
	}
}

void html_put_data(struct html_page *page)
{
	const struct profile *profile = page->doc->profile;
	ended_by(strbuf_free) struct strbuf buffer = {0};

	add_nodes(&buffer, profile);
	add_samples(&buffer, profile->samples, profile->sample_count);
	for (size_t i = 0; i < profile->slot_count; i++)
		add_samples(&buffer, profile->slots[i].samples,
			    profile->slots[i].sample_count);
	bytes_write(page->out, "data", make_head(page->doc), &buffer);
}
