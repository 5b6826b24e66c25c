/* SPDX-License-Identifier: MIT */
/* Profiles as JSON that is written piece by piece, without a tree in memory. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/export.h"
#include "common/base/xalloc.h"

/* Writes text as a JSON string; NULL as null. */
static void json_put_text(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		unsigned char letter = (unsigned char)*text;

		if (letter < 0x20)
			fprintf(out, "\\u%04x", letter);
		else if (letter == '"' || letter == '\\')
			fprintf(out, "\\%c", letter);
		else
			putc(letter, out);
	}
	putc('"', out);
}

/* Writes ns as a number with a decimal point before the last `digits` of it, exactly. */
static void json_put_scaled(FILE *out, int64_t value, unsigned digits)
{
	uint64_t amount = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	fprintf(out, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", amount / unit,
		(int)digits, amount % unit);
}

/*
 * speedscope's own JSON: a profile for each view, a stack with its weight for each call
 * path. Must not write a tree: its readers take stacks.
 */

#define VIEW_ALL (PROFILE_NONE - 1) /* takes the place of a lane */

/* A picture: the time of one thread, or another metric of all threads together. */
struct view {
	enum profile_metric metric;
	uint32_t lane; /* PROFILE_NONE: what belongs to no lane */
};

/* The sample's amount in the view; 0 for negative numbers of damaged files. */
static int64_t view_amount(const struct view *view, const struct profile_sample *sample)
{
	if (view->lane != VIEW_ALL && view->lane != sample->lane)
		return 0;
	return sample->values[view->metric] > 0 ? sample->values[view->metric] : 0;
}

/* "time: main (123)" or "allocations" */
static void view_name(const struct profile *profile, const struct view *view,
		      struct strbuf *text)
{
	strbuf_puts(text, profile_metrics[view->metric].name);
	if (view->lane == PROFILE_NONE)
		strbuf_puts(text, ": no thread");
	else if (view->lane != VIEW_ALL)
		strbuf_printf(text, ": %s (%" PRId64 ")",
			      profile->lanes[view->lane].thread,
			      profile->lanes[view->lane].tid);
}

/* The views that have something in them. Owned by caller. */
static struct view *views_of(const struct profile *profile, size_t *ret_count)
{
	struct view *views =
		xcalloc(profile->lane_count + PROFILE_METRICS + 1, sizeof(*views));
	bool *has_time = xcalloc(profile->lane_count + 1, sizeof(*has_time));
	size_t count = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		uint32_t lane = profile->samples[i].lane;

		if (profile->samples[i].values[PROFILE_WALL] > 0)
			has_time[lane == PROFILE_NONE ? profile->lane_count : lane] =
				true;
	}
	for (size_t i = 0; i <= profile->lane_count; i++)
		if (has_time[i])
			views[count++] = (struct view){
				PROFILE_WALL,
				i < profile->lane_count ? (uint32_t)i : PROFILE_NONE};
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		if (i != PROFILE_WALL && profile->sums[i] > 0)
			views[count++] = (struct view){(enum profile_metric)i, VIEW_ALL};
	*ret_count = count;
	return views;
}

static void put_frames(FILE *out, const struct profile *profile)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < profile->tree->function_count; i++) {
		const struct calltree_function *function = &profile->tree->functions[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_put_text(out, function->name);
		if (function->file) {
			fputs(",\"file\":", out);
			json_put_text(out, function->file);
		}
		if (function->line)
			fprintf(out, ",\"line\":%" PRIu32, function->line);
		putc('}', out);
	}
	fputs("\n]}", out);
}

static void put_stack(FILE *out, const struct profile *profile, uint32_t node,
		      uint32_t *chain)
{
	size_t depth = profile_chain(profile, node, chain);

	putc('[', out);
	while (depth-- > 0)
		fprintf(out, depth ? "%" PRIu32 "," : "%" PRIu32,
			profile->tree->nodes[chain[depth]].function);
	putc(']', out);
}

static void put_view(FILE *out, const struct profile *profile, const struct view *view,
		     uint32_t *chain)
{
	const char *unit = profile_metrics[view->metric].unit;
	ended_by(strbuf_free) struct strbuf name = {0};
	const char *separator = "";
	int64_t sum = 0;

	view_name(profile, view, &name);
	fputs("{\"type\":\"sampled\",\"name\":", out);
	json_put_text(out, strbuf_text(&name));
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
		strcmp(unit, "count") == 0 ? "none" : unit);
	for (size_t i = 0; i < profile->sample_count; i++) {
		if (!view_amount(view, &profile->samples[i]))
			continue;
		fprintf(out, "%s\n", separator);
		put_stack(out, profile, profile->samples[i].node, chain);
		separator = ",";
	}
	fputs("],\n\"weights\":[", out);
	separator = "";
	for (size_t i = 0; i < profile->sample_count; i++) {
		int64_t amount = view_amount(view, &profile->samples[i]);

		if (!amount)
			continue;
		fprintf(out, "%s%" PRId64, separator, amount);
		__builtin_add_overflow(sum, amount, &sum);
		separator = ",";
	}
	fprintf(out, "],\"endValue\":%" PRId64 "}", sum);
}

/* The name is the only place for remarks. */
static void put_name(FILE *out, const struct profile *profile)
{
	ended_by(strbuf_free) struct strbuf name = {0};

	strbuf_puts(&name, profile->title);
	for (size_t i = 0; i < profile->remark_count; i++)
		strbuf_printf(&name, " | %s", profile->remarks[i]);
	json_put_text(out, strbuf_text(&name));
}

static void write_profile(const struct doc *doc, const struct export_context *context)
{
	const struct profile *profile = doc->profile;
	FILE *out = context->out;
	struct view *views;
	uint32_t *chain;
	size_t count;

	if (!profile)
		return;
	views = views_of(profile, &count);
	chain = xreallocarray(NULL, PROFILE_STACK_MOST, sizeof(*chain));
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"prof-analyze@" PROFSHIM_VERSION "\",\n\"name\":",
	      out);
	put_name(out, profile);
	fputs(",\n\"activeProfileIndex\":0,\n", out);
	put_frames(out, profile);
	fputs(",\n\"profiles\":[", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_view(out, profile, &views[i], chain);
	}
	fputs("\n]}\n", out);
}

const struct exporter exporter_speedscope = {
	.name = "speedscope",
	.summary = "time by thread and every other metric, for speedscope",
	.takes_profile = true,
	.write = write_profile,
};

/*
 * Chrome's trace events, for Perfetto, chrome://tracing and speedscope: what has a place
 * in time. Times are microseconds. Must not write overlapping spans.
 */

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
