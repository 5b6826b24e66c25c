/* SPDX-License-Identifier: MIT */
/*
 * A processed profile of profiler.firefox.com, of a version that its readers bring up to
 * date by themselves: a thread for each view, in it the stacks as a tree. Time is laid
 * out path by path: when calls were made is not recorded. Paths whose time is an estimate
 * have a category of their own. Of what has a place in time there are threads with
 * markers alone: beside those samples they would be taken for when the samples were.
 */
#include "analyzer/export/export.h"
#include "analyzer/export/firefox/markers.h"
#include "analyzer/export/json_text.h"
#include "analyzer/export/views.h"

#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 49
#define MS_DIGITS 6 /* of nanoseconds */
/* Of more threads the viewer shows those with most in them; of fewer all, also those
 * without samples, which it would take for idle. */
#define SHOWN_MOST 40

/* What of the profile a view shows, numbered anew. */
struct part {
	FILE *out;
	const struct profile *profile;
	const struct view *view;
	uint32_t *nodes, *functions;	     /* new numbers, PROFILE_NONE: not shown */
	uint32_t *old_nodes, *old_functions; /* of the new ones */
	uint32_t node_count, function_count;
};

static void choose(struct part *part)
{
	const struct profile *profile = part->profile;

	memset(part->nodes, 0xff, profile->node_count * sizeof(*part->nodes));
	memset(part->functions, 0xff, profile->function_count * sizeof(*part->functions));
	part->node_count = part->function_count = 0;
	for (size_t i = 0; i < profile->sample_count; i++)
		if (view_amount(part->view, &profile->samples[i]))
			for (uint32_t at = profile->samples[i].node;
			     at != PROFILE_NONE && part->nodes[at] == PROFILE_NONE;
			     at = profile->nodes[at].parent)
				part->nodes[at] = 0;
	for (uint32_t i = 0; i < profile->node_count; i++) {
		uint32_t function = profile->nodes[i].function;

		if (part->nodes[i] == PROFILE_NONE)
			continue;
		part->old_nodes[part->node_count] = i;
		part->nodes[i] = part->node_count++;
		if (part->functions[function] != PROFILE_NONE)
			continue;
		part->old_functions[part->function_count] = function;
		part->functions[function] = part->function_count++;
	}
}

/* "NAME":[text,text,...], text printed for each number below count. */
static void put_column(const struct part *part, const char *name, uint32_t count,
		       void (*put)(const struct part *part, uint32_t number))
{
	fprintf(part->out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			putc(',', part->out);
		put(part, i);
	}
	putc(']', part->out);
}

/* The same text for each. */
static void put_constant(const struct part *part, const char *name, uint32_t count,
			 const char *text)
{
	fprintf(part->out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(part->out, "%s%s", i ? "," : "", text);
	putc(']', part->out);
}

static void put_number(const struct part *part, uint32_t number)
{
	fprintf(part->out, "%" PRIu32, number);
}

static void put_prefix(const struct part *part, uint32_t number)
{
	uint32_t parent = part->profile->nodes[part->old_nodes[number]].parent;

	if (parent == PROFILE_NONE)
		fputs("null", part->out);
	else
		fprintf(part->out, "%" PRIu32, part->nodes[parent]);
}

static void put_frame(const struct part *part, uint32_t number)
{
	uint32_t old = part->old_nodes[number];

	fprintf(part->out, "%" PRIu32,
		part->functions[part->profile->nodes[old].function]);
}

static void put_category(const struct part *part, uint32_t number)
{
	const struct profile_node *node = &part->profile->nodes[part->old_nodes[number]];

	putc(profile_recording(node) ? '1' : '0', part->out);
}

static const struct profile_function *function_of(const struct part *part,
						  uint32_t number)
{
	return &part->profile->functions[part->old_functions[number]];
}

/* Texts: the names of the functions, then their files. */
static void put_file(const struct part *part, uint32_t number)
{
	if (function_of(part, number)->file)
		fprintf(part->out, "%" PRIu32, part->function_count + number);
	else
		fputs("null", part->out);
}

static void put_line(const struct part *part, uint32_t number)
{
	if (function_of(part, number)->line)
		fprintf(part->out, "%" PRIu32, function_of(part, number)->line);
	else
		fputs("null", part->out);
}

static void put_text(const struct part *part, uint32_t number)
{
	const char *file;

	if (number < part->function_count) {
		json_put_text(part->out, function_of(part, number)->name);
		return;
	}
	file = function_of(part, number - part->function_count)->file;
	json_put_text(part->out, file ? file : "");
}

static void put_tables(const struct part *part)
{
	uint32_t nodes = part->node_count, functions = part->function_count;

	fprintf(part->out, ",\n\"stackTable\":{\"length\":%" PRIu32, nodes);
	put_column(part, "frame", nodes, put_frame);
	put_column(part, "prefix", nodes, put_prefix);
	put_column(part, "category", nodes, put_category);
	put_constant(part, "subcategory", nodes, "0");
	fprintf(part->out, "},\n\"frameTable\":{\"length\":%" PRIu32, functions);
	put_constant(part, "address", functions, "-1");
	put_constant(part, "inlineDepth", functions, "0");
	put_constant(part, "category", functions, "null");
	put_constant(part, "subcategory", functions, "null");
	put_column(part, "func", functions, put_number);
	put_constant(part, "nativeSymbol", functions, "null");
	put_constant(part, "innerWindowID", functions, "null");
	put_constant(part, "implementation", functions, "null");
	put_column(part, "line", functions, put_line);
	put_constant(part, "column", functions, "null");
	fprintf(part->out, "},\n\"funcTable\":{\"length\":%" PRIu32, functions);
	put_constant(part, "isJS", functions, "false");
	put_constant(part, "relevantForJS", functions, "false");
	put_column(part, "name", functions, put_number);
	put_constant(part, "resource", functions, "-1");
	put_column(part, "fileName", functions, put_file);
	put_column(part, "lineNumber", functions, put_line);
	put_constant(part, "columnNumber", functions, "null");
	fputs("},\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
	      "\"type\":[]},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
	      "\"address\":[],\"name\":[],\"functionSize\":[]}",
	      part->out);
}

static void put_strings(const struct part *part)
{
	fputs(",\n\"stringArray\":[", part->out);
	for (uint32_t i = 0; i < 2 * part->function_count; i++) {
		if (i)
			putc(',', part->out);
		put_text(part, i);
	}
	putc(']', part->out);
}

enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT };

static uint32_t put_samples_column(const struct part *part, enum sample_column column)
{
	const struct profile *profile = part->profile;
	bool is_time =
		strcmp(profile_metrics[part->view->metric].unit, "nanoseconds") == 0;
	uint32_t count = 0;
	int64_t time_ns = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		int64_t amount = view_amount(part->view, &profile->samples[i]);

		if (!amount)
			continue;
		if (count++)
			putc(',', part->out);
		if (column == SAMPLE_STACK)
			fprintf(part->out, "%" PRIu32,
				part->nodes[profile->samples[i].node]);
		else if (column == SAMPLE_TIME)
			json_put_scaled(part->out, time_ns, MS_DIGITS);
		else if (is_time)
			json_put_scaled(part->out, amount, MS_DIGITS);
		else
			fprintf(part->out, "%" PRId64, amount);
		/* of what is no time they stand a nanosecond apart */
		__builtin_add_overflow(time_ns, is_time ? amount : 1, &time_ns);
	}
	return count;
}

static void put_samples(const struct part *part)
{
	const char *unit = profile_metrics[part->view->metric].unit;
	uint32_t count;

	fputs(",\n\"samples\":{\"stack\":[", part->out);
	put_samples_column(part, SAMPLE_STACK);
	fputs("],\n\"time\":[", part->out);
	put_samples_column(part, SAMPLE_TIME);
	fputs("],\n\"weight\":[", part->out);
	count = put_samples_column(part, SAMPLE_WEIGHT);
	fprintf(part->out, "],\n\"weightType\":\"%s\",\"length\":%" PRIu32 "}",
		strcmp(unit, "nanoseconds") == 0 ? "tracing-ms"
		: strcmp(unit, "bytes") == 0	 ? "bytes"
						 : "samples",
		count);
}

/* tid: what makes it one of its own among those of the process. */
static void put_head(FILE *out, const char *name, const char *process, int64_t pid,
		     const char *tid, bool is_first)
{
	fputs("{\"name\":", out);
	json_put_text(out, name);
	fputs(",\"processName\":", out);
	json_put_text(out, process);
	fprintf(out,
		",\"pid\":\"%" PRId64
		"\",\"tid\":\"%s\",\"isMainThread\":%s,\"processType\":\"default\","
		"\"processStartupTime\":0,\"processShutdownTime\":null,"
		"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[]",
		pid, tid, is_first ? "true" : "false");
}

static void put_view(struct part *part, size_t number)
{
	const struct profile *profile = part->profile;
	const struct profile_lane *lane = part->view->lane < profile->lane_count
						  ? &profile->lanes[part->view->lane]
						  : NULL;
	struct strbuf name = {0}, tid = {0};

	choose(part);
	view_name(profile, part->view, &name);
	strbuf_printf(&tid, "%" PRId64 "-%zu", lane ? lane->tid : 0, number);
	put_head(part->out, strbuf_text(&name),
		 lane && lane->process ? lane->process : "all threads",
		 lane ? lane->pid : profile->pid, strbuf_text(&tid), !number);
	put_tables(part);
	put_strings(part);
	put_samples(part);
	fputs(",\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
	      "\"name\":[],\"phase\":[],\"startTime\":[]}}",
	      part->out);
	strbuf_free(&name);
	strbuf_free(&tid);
}

static const char *process_of(const struct profile *profile, int64_t pid)
{
	for (size_t i = 0; i < profile->lane_count; i++)
		if (profile->lanes[i].pid == pid && profile->lanes[i].process)
			return profile->lanes[i].process;
	return "process";
}

static void put_track(struct part *part, const struct marker_track *track, size_t number)
{
	struct strbuf name = {0}, tid = {0};

	if (track->counts[0] && track->parts[0]->kind == TIMELINE_CALL)
		strbuf_puts(&name, "slow calls: ");
	strbuf_puts(&name, track->name ? track->name : "a thread without a row");
	if (track->thread)
		strbuf_printf(&name, " (%s)", track->thread);
	strbuf_printf(&tid, "%s-%zu", track->thread ? track->thread : "0", number);
	put_head(part->out, strbuf_text(&name), process_of(part->profile, track->pid),
		 track->pid, strbuf_text(&tid), !number);
	part->node_count = part->function_count = 0;
	put_tables(part);
	fputs(",\n\"samples\":{\"stack\":[],\"time\":[],\"weight\":null,"
	      "\"weightType\":\"samples\",\"length\":0},\n",
	      part->out);
	marker_put(part->out, track);
	putc('}', part->out);
	strbuf_free(&name);
	strbuf_free(&tid);
}

static void put_shown(FILE *out, size_t thread_count)
{
	if (!thread_count || thread_count > SHOWN_MOST)
		return;
	fputs(",\"initialSelectedThreads\":[0],\"initialVisibleThreads\":[", out);
	for (size_t i = 0; i < thread_count; i++)
		fprintf(out, "%s%zu", i ? "," : "", i);
	putc(']', out);
}

static void put_meta(FILE *out, const struct profile *profile, size_t thread_count)
{
	fprintf(out,
		"{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":%d,"
		"\"interval\":1,\"startTime\":%" PRId64 ",\"processType\":0,"
		"\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
		"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
		"\"subcategories\":[\"Other\"]},{\"name\":\"Estimated: not each call was "
		"timed\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]}],"
		"\"markerSchema\":%s,\"usesOnlyOneStackType\":true,"
		"\"doesNotUseFrameImplementation\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true,"
		"\"product\":",
		FORMAT_VERSION, profile->started_ms, marker_schema);
	json_put_text(out, profile->title);
	put_shown(out, thread_count);
	fputs(",\"extra\":[{\"label\":\"profshim\",\"entries\":[", out);
	for (size_t i = 0; i < profile->remark_count; i++) {
		fprintf(out, "%s{\"label\":\"Remark\",\"format\":\"string\",\"value\":",
			i ? "," : "");
		json_put_text(out, profile->remarks[i]);
		putc('}', out);
	}
	fputs("]}]},\n\"libs\":[],\"pages\":[],\"counters\":[],\"threads\":[\n", out);
}

static void put_threads(struct part *part, struct view *views, size_t view_count,
			const struct marker_track *tracks, size_t track_count)
{
	for (size_t i = 0; i < view_count + track_count; i++) {
		if (i)
			fputs(",\n", part->out);
		if (i >= view_count) {
			put_track(part, &tracks[i - view_count], i);
			continue;
		}
		part->view = &views[i];
		put_view(part, i);
	}
}

static void write_profile(const struct doc *doc, const struct export_context *context)
{
	const struct profile *profile = doc->profile;
	struct part part = {.out = context->out, .profile = profile};
	struct marker_track *tracks = NULL;
	struct view *views;
	size_t view_count, track_count = 0;

	if (!profile)
		return;
	views = views_of(profile, &view_count);
	if (doc->timeline)
		tracks = marker_tracks(doc->timeline, &track_count);
	part.nodes = xcalloc(profile->node_count + 1, sizeof(*part.nodes));
	part.old_nodes = xcalloc(profile->node_count + 1, sizeof(*part.nodes));
	part.functions = xcalloc(profile->function_count + 1, sizeof(*part.nodes));
	part.old_functions = xcalloc(profile->function_count + 1, sizeof(*part.nodes));
	put_meta(part.out, profile, view_count + track_count);
	put_threads(&part, views, view_count, tracks, track_count);
	fputs("\n]}\n", part.out);
	free(views);
	free(tracks);
	free(part.nodes);
	free(part.old_nodes);
	free(part.functions);
	free(part.old_functions);
}

const struct exporter exporter_firefox = {
	.name = "firefox",
	.summary = "time by thread, every other metric, slow calls, for "
		   "profiler.firefox.com",
	.takes_profile = true,
	.adds_timeline = true,
	.write = write_profile,
};
