/* SPDX-License-Identifier: MIT */
/*
 * Loading live memory over the snapshots of the process with the peak, and at its exit.
 * Must not hold every site of every snapshot: there may be thousands of both.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "heap.sql.h"

#include <string.h>

#define DETAILED_MOST 12

struct loading {
	struct profiling *profiling;
	struct heap_course *course;
	int64_t process_id, started_ns, ended_ns, live_bytes, process_count;
};

static int load_process(struct loading *loading)
{
	struct cursor *cursor = report_query(loading->profiling->input, heap_sql_process);

	if (cursor_next(cursor) > 0) {
		loading->process_id = cursor_integer(cursor, "process_id");
		loading->started_ns = cursor_integer(cursor, "started_ns");
		loading->ended_ns = cursor_integer(cursor, "ended_ns");
		loading->live_bytes = cursor_integer(cursor, "live_bytes");
		loading->process_count = cursor_integer(cursor, "process_count");
		loading->course->pid = cursor_integer(cursor, "pid");
	}
	return report_finish(loading->profiling->input, cursor);
}

static void add_moment(struct loading *loading, const char *label, int64_t id,
		       int64_t time_ns, int64_t live_bytes)
{
	struct heap_moment *moment = heap_course_add(loading->course);

	moment->label = profile_clean(loading->profiling->profile, label);
	moment->id = id;
	moment->time_ns = time_ns > 0 ? time_ns : 0;
	moment->live_bytes = live_bytes > 0 ? live_bytes : 0;
}

static int load_moments(struct loading *loading)
{
	struct cursor *cursor = report_query(loading->profiling->input, heap_sql_moments);

	cursor_bind_integer(cursor, ":process", loading->process_id);
	add_moment(loading, "start", 0, loading->started_ns, 0);
	while (cursor_next(cursor) > 0)
		add_moment(loading, cursor_text(cursor, "label"),
			   cursor_integer(cursor, "snapshot_id"),
			   cursor_integer(cursor, "time_ns"),
			   cursor_integer(cursor, "live_bytes"));
	/* of one of several processes what it had at its exit is not kept by site */
	if (loading->process_count <= 1)
		add_moment(loading, "exit", -1, loading->ended_ns, loading->live_bytes);
	return report_finish(loading->profiling->input, cursor);
}

static void add_part(struct heap_moment *moment, uint32_t node, const char *file,
		     int64_t line, int64_t bytes)
{
	struct heap_part *part;

	if (bytes <= 0)
		return;
	part = heap_moment_add(moment);
	part->node = node;
	part->file = file;
	part->line = (uint32_t)line;
	part->bytes = bytes;
}

static void load_exit(struct loading *loading, struct heap_moment *moment)
{
	const struct profile *profile = loading->profiling->profile;

	for (size_t i = 0; i < profile->site_count; i++)
		add_part(moment, profile->sites[i].node, profile->sites[i].file,
			 profile->sites[i].line, profile->sites[i].live_bytes);
}

static int load_parts(struct loading *loading, struct heap_moment *moment)
{
	struct profiling *profiling = loading->profiling;
	struct cursor *cursor = report_query(profiling->input, heap_sql_parts);

	cursor_bind_integer(cursor, ":process", loading->process_id);
	cursor_bind_integer(cursor, ":snapshot", moment->id);
	while (cursor_next(cursor) > 0) {
		uint32_t at =
			calltree_find(profiling->tree, cursor_integer(cursor, "path_id"));

		if (at != CALLTREE_NONE && profiling->places[at] != PROFILE_NONE)
			add_part(moment, profiling->places[at],
				 profile_clean(profiling->profile,
					       cursor_text(cursor, "file")),
				 cursor_integer(cursor, "line"),
				 cursor_integer(cursor, "live_bytes"));
	}
	return report_finish(profiling->input, cursor);
}

/* The highest, the last, and some in between. */
static bool is_detailed(const struct heap_course *course, size_t at)
{
	size_t step = course->count / DETAILED_MOST + 1;

	return at && (at == heap_course_highest(course) || at + 1 == course->count ||
		      at % step == 0);
}

static void remark(struct loading *loading)
{
	struct profile *profile = loading->profiling->profile;
	struct strbuf text = {0};

	strbuf_puts(&text, "Live memory at the start, at the snapshots and at the exit; "
			   "the peak here is the highest of these. The run's own peak, "
			   "at a moment that is not recorded, was ");
	units_bytes(&text, profile->sums[PROFILE_AT_PEAK]);
	strbuf_puts(&text,
		    ". Pruned: lines below 1 % are one line, and callers beyond 30.");
	profile_remark(profile, strbuf_text(&text));
	if (loading->process_count > 1)
		profile_remark(profile, "Of the process with the run's peak only; what "
					"it had at its exit is not kept by process.");
	strbuf_free(&text);
}

int profile_add_heap(struct profiling *profiling, struct doc *doc)
{
	struct loading loading = {.profiling = profiling};
	int result;

	doc->heap = loading.course = xcalloc(1, sizeof(*loading.course));
	result = load_process(&loading);
	if (result == 0)
		result = load_moments(&loading);
	for (size_t i = 0; result == 0 && i < loading.course->count; i++) {
		struct heap_moment *moment = &loading.course->moments[i];

		if (!is_detailed(loading.course, i))
			continue;
		if (moment->id < 0)
			load_exit(&loading, moment);
		else
			result = load_parts(&loading, moment);
	}
	if (result == 0)
		remark(&loading);
	return result;
}
