/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace events, for Perfetto, chrome://tracing and speedscope: what has a place
 * in time. Times are microseconds. Must not write overlapping spans.
 */
#include "analyzer/export/export.h"
#include "analyzer/export/json_text.h"

#include <inttypes.h>
#include <math.h>

#define US_DIGITS 3 /* of nanoseconds */

static void put_head(FILE *out, const struct timeline_event *event, const char *phase)
{
	fputs("{\"name\":", out);
	json_put_text(out, event->name ? event->name : "?");
	fprintf(out,
		",\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":", phase,
		event->pid, event->track);
	json_put_scaled(out, event->start_ns, US_DIGITS);
}

static void put_span(FILE *out, const struct timeline_event *event)
{
	put_head(out, event, "X");
	fputs(",\"dur\":", out);
	json_put_scaled(out, event->duration_ns, US_DIGITS);
	if (event->detail && *event->detail) {
		fputs(",\"args\":{\"detail\":", out);
		json_put_text(out, event->detail);
		putc('}', out);
	}
	putc('}', out);
}

/* Names a track; tracks are ordered by number. */
static void put_track(FILE *out, const struct timeline_event *event)
{
	fprintf(out,
		"{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%" PRId64
		",\"tid\":%" PRId64 ",\"args\":{\"name\":",
		event->pid, event->track);
	json_put_text(out, event->name ? event->name : "?");
	fprintf(out,
		"}},\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%" PRId64
		",\"tid\":%" PRId64 ",\"args\":{\"sort_index\":%" PRId64 "}}",
		event->pid, event->track, event->track);
}

static void put_event(FILE *out, const struct timeline_event *event)
{
	switch (event->kind) {
	case TIMELINE_TRACK:
		put_track(out, event);
		break;
	case TIMELINE_SPAN:
	case TIMELINE_CALL:
		put_span(out, event);
		break;
	case TIMELINE_MOMENT:
		put_head(out, event, "i");
		fputs(",\"s\":\"p\"}", out);
		break;
	case TIMELINE_VALUE:
		put_head(out, event, "C");
		fprintf(out, ",\"args\":{\"value\":%.17g}}",
			isfinite(event->value) ? event->value : 0);
		break;
	}
}

/* Once each: several lanes of a process say the same. */
static void put_processes(FILE *out, const struct profile *profile)
{
	for (size_t i = 0; i < profile->lane_count; i++) {
		fprintf(out,
			"%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRId64
			",\"tid\":0,\"args\":{\"name\":",
			i ? "," : "", profile->lanes[i].pid);
		json_put_text(out, profile->lanes[i].process ? profile->lanes[i].process
							     : "process");
		fputs("}}", out);
	}
}

static void write_timeline(const struct doc *doc, const struct export_context *context)
{
	const struct profile *profile = doc->profile;
	FILE *out = context->out;

	if (!profile || !doc->timeline)
		return;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"prof-analyze "
	      "" PROFSHIM_VERSION "\",\"run\":",
	      out);
	json_put_text(out, profile->title);
	for (size_t i = 0; i < profile->remark_count; i++) {
		fprintf(out, ",\"remark %zu\":", i + 1);
		json_put_text(out, profile->remarks[i]);
	}
	fputs("},\n\"traceEvents\":[", out);
	put_processes(out, profile);
	for (size_t i = 0; i < doc->timeline->count; i++) {
		fputs(i || profile->lane_count ? ",\n" : "\n", out);
		put_event(out, &doc->timeline->events[i]);
	}
	fputs("\n]}\n", out);
}

const struct exporter exporter_chrome = {
	.name = "chrome",
	.summary = "slow calls, steps, waits, counters over time, for Perfetto",
	.takes_profile = true,
	.takes_timeline = true,
	.write = write_timeline,
};
