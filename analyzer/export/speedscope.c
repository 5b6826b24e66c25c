/* SPDX-License-Identifier: MIT */
/*
 * speedscope's own JSON: a profile for each view, a stack with its weight for each call
 * path. Must not write a tree: its readers take stacks.
 */
#include "analyzer/export/export.h"
#include "analyzer/export/json_text.h"

#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	free(has_time);
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
	struct strbuf name = {0};
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
	strbuf_free(&name);
}

/* The name is the only place for remarks. */
static void put_name(FILE *out, const struct profile *profile)
{
	struct strbuf name = {0};

	strbuf_puts(&name, profile->title);
	for (size_t i = 0; i < profile->remark_count; i++)
		strbuf_printf(&name, " | %s", profile->remarks[i]);
	json_put_text(out, strbuf_text(&name));
	strbuf_free(&name);
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
	free(views);
	free(chain);
}

const struct exporter exporter_speedscope = {
	.name = "speedscope",
	.summary = "time by thread and every other metric, for speedscope",
	.takes_profile = true,
	.write = write_profile,
};
