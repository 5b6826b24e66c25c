/* SPDX-License-Identifier: MIT */
/* The tracks of a timeline, and a track's markers with the texts they are named by. */
#include "analyzer/export/firefox/markers.h"

#include "analyzer/export/json_text.h"

#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MS_DIGITS 6 /* of nanoseconds */

/* clang-format off */
#define SCHEMA_OF(name) \
	"{\"name\":\"" name "\",\"chartLabel\":\"{marker.name}\"," \
	"\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data.detail}\"," \
	"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"]," \
	"\"data\":[{\"key\":\"detail\",\"label\":\"Detail\",\"format\":\"string\"," \
	"\"searchable\":true}]}"
/* clang-format on */

const char marker_schema[] =
	"[" SCHEMA_OF("call") "," SCHEMA_OF("span") "," SCHEMA_OF("snapshot") "]";

static const char *type_of(const struct timeline_event *event)
{
	return event->kind == TIMELINE_CALL   ? "call"
	       : event->kind == TIMELINE_SPAN ? "span"
					      : "snapshot";
}

/* Where the events of a kind begin; they are sorted by it. */
static const struct timeline_event *first_of(const struct timeline *timeline,
					     enum timeline_kind kind, size_t *ret_count)
{
	size_t begin = 0, end;

	while (begin < timeline->count && timeline->events[begin].kind < kind)
		begin++;
	for (end = begin; end < timeline->count && timeline->events[end].kind == kind;)
		end++;
	*ret_count = end - begin;
	return timeline->events + begin;
}

/* Takes the events of the track from the front of those of a kind. */
static void take(struct marker_track *track, size_t part, int64_t number,
		 const struct timeline_event **events, size_t *count)
{
	track->parts[part] = *events;
	while (*count && (*events)->track == number) {
		track->pid = (*events)->pid;
		track->counts[part]++;
		++*events;
		--*count;
	}
}

static struct marker_track *add(struct marker_track **tracks, size_t *count,
				size_t *capacity)
{
	*tracks = xgrow(*tracks, *count, capacity, sizeof(**tracks));
	(*tracks)[*count] = (struct marker_track){0};
	return &(*tracks)[(*count)++];
}

struct marker_track *marker_tracks(const struct timeline *timeline, size_t *ret_count)
{
	size_t name_count, span_count, call_count, moment_count, capacity = 0;
	const struct timeline_event *names =
		first_of(timeline, TIMELINE_TRACK, &name_count);
	const struct timeline_event *spans =
		first_of(timeline, TIMELINE_SPAN, &span_count);
	const struct timeline_event *calls =
		first_of(timeline, TIMELINE_CALL, &call_count);
	const struct timeline_event *moments =
		first_of(timeline, TIMELINE_MOMENT, &moment_count);
	struct marker_track *tracks = NULL, *track;

	*ret_count = 0;
	while (span_count || call_count) {
		int64_t number =
			!span_count || (call_count && calls->track < spans->track)
				? calls->track
				: spans->track;

		track = add(&tracks, ret_count, &capacity);
		take(track, 0, number, &calls, &call_count);
		take(track, 1, number, &spans, &span_count);
		for (; name_count && names->track < number; name_count--)
			names++;
		if (!name_count || names->track != number)
			continue;
		track->name = names->name;
		track->thread = names->detail;
	}
	if (moment_count) {
		track = add(&tracks, ret_count, &capacity);
		track->name = "snapshots";
		track->pid = moments->pid;
		track->parts[0] = moments;
		track->counts[0] = moment_count;
	}
	return tracks;
}

static int order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *name_of(const struct timeline_event *event)
{
	return event->name ? event->name : "?";
}

/* Each name once, sorted. Owned by caller. */
static const char **names_of(const struct marker_track *track, size_t *ret_count)
{
	const char **names =
		xcalloc(track->counts[0] + track->counts[1] + 1, sizeof(*names));
	size_t count = 0, kept = 0;

	for (size_t part = 0; part < 2; part++)
		for (size_t i = 0; i < track->counts[part]; i++)
			names[count++] = name_of(&track->parts[part][i]);
	qsort(names, count, sizeof(*names), order);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	*ret_count = kept;
	return names;
}

enum marker_column { MARKER_NAME, MARKER_DATA, MARKER_START, MARKER_END, MARKER_PHASE };

static void put_cell(FILE *out, enum marker_column column,
		     const struct timeline_event *event, const char **names, size_t count)
{
	const char *name = name_of(event);
	bool is_moment = event->kind == TIMELINE_MOMENT;
	int64_t end_ns;

	switch (column) {
	case MARKER_NAME:
		fprintf(out, "%td",
			(const char **)bsearch(&name, names, count, sizeof(*names),
					       order) -
				names);
		break;
	case MARKER_DATA:
		fprintf(out, "{\"type\":\"%s\",\"detail\":", type_of(event));
		json_put_text(out, event->detail ? event->detail : "");
		putc('}', out);
		break;
	case MARKER_START:
		json_put_scaled(out, event->start_ns, MS_DIGITS);
		break;
	case MARKER_END:
		if (__builtin_add_overflow(event->start_ns, event->duration_ns, &end_ns))
			end_ns = INT64_MAX;
		if (is_moment)
			fputs("null", out);
		else
			json_put_scaled(out, end_ns, MS_DIGITS);
		break;
	case MARKER_PHASE:
		putc(is_moment ? '0' : '1', out);
		break;
	}
}

static void put_column(FILE *out, const char *title, enum marker_column column,
		       const struct marker_track *track, const char **names, size_t count)
{
	const char *separator = "";

	fprintf(out, ",\n\"%s\":[", title);
	for (size_t part = 0; part < 2; part++)
		for (size_t i = 0; i < track->counts[part]; i++) {
			fputs(separator, out);
			put_cell(out, column, &track->parts[part][i], names, count);
			separator = ",";
		}
	putc(']', out);
}

void marker_put(FILE *out, const struct marker_track *track)
{
	size_t name_count, count = track->counts[0] + track->counts[1];
	const char **names = names_of(track, &name_count);

	fputs("\"stringArray\":[", out);
	for (size_t i = 0; i < name_count; i++) {
		if (i)
			putc(',', out);
		json_put_text(out, names[i]);
	}
	fprintf(out, "],\n\"markers\":{\"length\":%zu,\"category\":[", count);
	for (size_t i = 0; i < count; i++)
		fputs(i ? ",0" : "0", out);
	putc(']', out);
	put_column(out, "name", MARKER_NAME, track, names, name_count);
	put_column(out, "data", MARKER_DATA, track, names, name_count);
	put_column(out, "startTime", MARKER_START, track, names, name_count);
	put_column(out, "endTime", MARKER_END, track, names, name_count);
	put_column(out, "phase", MARKER_PHASE, track, names, name_count);
	putc('}', out);
	free(names);
}
