/* SPDX-License-Identifier: MIT */
/*
 * Loads what has a place in time. Must not leave out or cut anything without a remark.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "timeline.sql.h"

static void add(struct report_input *input, struct profile *profile,
		struct timeline *timeline, const char *sql)
{
	auto_cursor struct cursor *cursor = report_query(input, sql);

	while (cursor_next(cursor)) {
		struct timeline_event *event = timeline_add(timeline);

		event->kind = (enum timeline_kind)cursor_integer(cursor, "kind");
		event->pid = cursor_integer(cursor, "pid");
		event->track = cursor_integer(cursor, "track");
		event->name = profile_clean(profile, cursor_text(cursor, "name"));
		event->detail = profile_clean(profile, cursor_text(cursor, "detail"));
		event->start_ns = cursor_integer(cursor, "start_ns");
		event->duration_ns = cursor_integer(cursor, "duration_ns");
		if (event->duration_ns < 0)
			event->duration_ns = 0;
		event->value = cursor_real(cursor, "value");
	}
}

static bool has_spans(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->events[i].kind == TIMELINE_SPAN)
			return true;
	return false;
}

static void remark(const struct report_input *input, const struct timeline *timeline,
		   struct profile *profile, size_t cut_count)
{
	struct strbuf text = {0};

	if (has_spans(timeline) || !input->options->page)
		profile_remark(
			profile,
			"Calls are added up while the program runs, so only long "
			"calls are on the timeline; see 'prof-analyze timeline'. Of "
			"each step and counter the latest 512 are here, and the "
			"waits that run.db has.");
	if (!cut_count)
		return;
	units_counted(&text, (int64_t)cut_count, "span");
	strbuf_puts(&text, " reached into the one before: shortened, or left out.");
	profile_remark(profile, strbuf_text(&text));
}

void profile_add_timeline(struct report_input *input, struct doc *doc)
{
	/* a page shows sums, and no single calls so far */
	const char *const queries[] = {
		timeline_sql_tracks, timeline_sql_spans, timeline_sql_points,
		input->options->timeline ? timeline_sql_calls : NULL};

	doc->timeline = xcalloc(1, sizeof(*doc->timeline));
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]) && queries[i]; i++)
		add(input, doc->profile, doc->timeline, queries[i]);
	remark(input, doc->timeline, doc->profile, timeline_settle(doc->timeline));
}
