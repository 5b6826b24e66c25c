/* SPDX-License-Identifier: MIT */
/*
 * DHAT's JSON: each allocation site with its stack, as dh_view.html of valgrind shows it.
 * The site itself is the innermost frame, so that no stack is the beginning of another.
 * Must not make up what is not recorded: lifetimes are told to be unknown in the mode.
 */
#include "analyzer/export/export.h"
#include "analyzer/export/json_text.h"

#include "common/base/intern.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>

/* "name (file:line)" */
static void name_frame(struct strbuf *text, const char *name, const char *file,
		       uint32_t line)
{
	strbuf_reset(text);
	strbuf_puts(text, name);
	if (!file)
		return;
	strbuf_printf(text, " (%s", file);
	if (line)
		strbuf_printf(text, ":%" PRIu32, line);
	strbuf_putc(text, ')');
}

static uint32_t frame_of(struct intern *frames, struct strbuf *text)
{
	return intern_text(frames, strbuf_text(text), NULL);
}

static void put_site(FILE *out, const struct profile *profile,
		     const struct profile_site *site, struct intern *frames,
		     uint32_t *chain)
{
	size_t depth = profile_chain(profile, site->node, chain);
	struct strbuf text = {0};

	fprintf(out,
		"{\"tb\":%" PRId64 ",\"tbk\":%" PRId64 ",\"tl\":0,\"mb\":%" PRId64
		",\"mbk\":%" PRId64 ",\"gb\":%" PRId64 ",\"gbk\":%" PRId64
		",\"eb\":%" PRId64 ",\"ebk\":%" PRId64 ",\"fs\":[",
		site->alloc_bytes, site->alloc_count, site->peak_bytes,
		site->at_peak_count, site->at_peak_bytes, site->at_peak_count,
		site->live_bytes, site->live_count);
	name_frame(&text, "allocated here", site->file, site->line);
	fprintf(out, "%" PRIu32, frame_of(frames, &text));
	for (size_t i = 0; i < depth; i++) {
		const struct profile_function *function =
			&profile->functions[profile->nodes[chain[i]].function];

		name_frame(&text, function->name, function->file, function->line);
		fprintf(out, ",%" PRIu32, frame_of(frames, &text));
	}
	fputs("]}", out);
	strbuf_free(&text);
}

static void put_head(FILE *out, const struct profile *profile)
{
	struct strbuf mode = {0};

	strbuf_puts(&mode,
		    "heap. Not recorded: lifetimes (shown as 0), when the peak was "
		    "(0), and how many blocks a site had at most (those at the peak)");
	for (size_t i = 0; i < profile->remark_count; i++)
		strbuf_printf(&mode, ". %s", profile->remarks[i]);
	fputs("{\"dhatFileVersion\":2,\"mode\":", out);
	json_put_text(out, strbuf_text(&mode));
	fputs(",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":false,\"tu\":\"ns\","
	      "\"Mtu\":\"ms\",\"tuth\":0,\"cmd\":",
	      out);
	json_put_text(out, profile->command ? profile->command : "");
	fprintf(out, ",\"pid\":%" PRId64 ",\"tg\":0,\"te\":%" PRId64 ",\n\"pps\":[",
		profile->pid, profile->wall_ns);
	strbuf_free(&mode);
}

static void write_profile(const struct doc *doc, const struct export_context *context)
{
	const struct profile *profile = doc->profile;
	FILE *out = context->out;
	struct intern frames = {0};
	uint32_t *chain;

	if (!profile)
		return;
	chain = xreallocarray(NULL, PROFILE_STACK_MOST, sizeof(*chain));
	intern_text(&frames, "[root]", NULL);
	put_head(out, profile);
	for (size_t i = 0; i < profile->site_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_site(out, profile, &profile->sites[i], &frames, chain);
	}
	fputs("],\n\"ftbl\":[", out);
	for (uint32_t i = 0; i < frames.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_put_text(out, intern_name(&frames, i));
	}
	fputs("]}\n", out);
	intern_free(&frames);
	free(chain);
}

const struct exporter exporter_dhat = {
	.name = "dhat",
	.summary = "allocation sites, for dh_view.html of valgrind",
	.takes_profile = true,
	.write = write_profile,
};
