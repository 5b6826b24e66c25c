/* SPDX-License-Identifier: MIT */
/*
 * Everything of a run, for export: its description, functions and lanes, and remarks on
 * the numbers. Must not write files: export/ does.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "common/base/text.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/rules/owners.h"
#include "analyzer/tree/wrappers.h"

#include "profile.sql.h"

#include <stdlib.h>
#include <string.h>

static int load_run(struct profiling *profiling)
{
	struct profile *profile = profiling->profile;
	struct cursor *cursor = report_query(profiling->input, profile_sql_run);

	if (cursor_next(cursor) > 0) {
		profile->command = profile_clean(profile, cursor_text(cursor, "command"));
		profile->wall_ns = cursor_integer(cursor, "wall_ns");
		profile->started_ms = cursor_integer(cursor, "started_ms");
		profile->pid = cursor_integer(cursor, "pid");
		profiling->lane_count = cursor_integer(cursor, "lane_count");
	}
	return report_finish(profiling->input, cursor);
}

static const char *lane_name(struct profile *profile, struct cursor *cursor)
{
	const char *name = cursor_text(cursor, "name");
	int64_t others = cursor_integer(cursor, "thread_count") - 1;
	struct strbuf text = {0};
	const char *copy;

	utf8_clean(&text, name ? name : "thread");
	if (others > 0) {
		strbuf_puts(&text, " and ");
		units_counted(&text, others, "thread");
		strbuf_puts(&text, " after it");
	}
	copy = arena_copy(&profile->texts, strbuf_text(&text), text.size);
	strbuf_free(&text);
	return copy;
}

static int load_lanes(struct profiling *profiling)
{
	struct profile *profile = profiling->profile;
	struct cursor *cursor = report_query(profiling->input, profile_sql_lanes);

	while (cursor_next(cursor) > 0) {
		size_t at = profile->lane_count;

		profile->lanes = array_room(profile->lanes, at, sizeof(*profile->lanes));
		profiling->lane_ids =
			array_room(profiling->lane_ids, at, sizeof(*profiling->lane_ids));
		profile->lanes[at] = (struct profile_lane){
			.pid = cursor_integer(cursor, "pid"),
			.tid = cursor_integer(cursor, "tid"),
			.process =
				profile_clean(profile, cursor_text(cursor, "executable")),
			.thread = lane_name(profile, cursor)};
		profiling->lane_ids[at] = cursor_integer(cursor, "lane_id");
		profile->lane_count++;
	}
	return report_finish(profiling->input, cursor);
}

static void put_amount(struct strbuf *text, size_t metric, int64_t amount)
{
	if (metric == PROFILE_WALL)
		units_nsec(text, amount);
	else if (metric == PROFILE_BYTES)
		units_bytes(text, amount);
	else
		units_counted(text, amount, "call");
}

/* Says what --focus and --ignore removed. */
static void remark_left_out(struct profiling *profiling, struct strbuf *text)
{
	static const size_t told[] = {PROFILE_CALLS, PROFILE_WALL, PROFILE_BYTES};

	strbuf_puts(text, profiling->left_out_count ? "Pruned by --focus and --ignore: "
						    : "Pruned: nothing");
	if (!profiling->left_out_count) {
		strbuf_puts(text, profiling->input->options->thread
					  ? " of this thread."
					  : "; these are all call paths.");
		return;
	}
	units_counted(text, (int64_t)profiling->left_out_count, "call path");
	strbuf_puts(text, " with ");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		strbuf_puts(text, i ? ", " : "");
		put_amount(text, told[i], profiling->left_out[told[i]]);
	}
	strbuf_puts(text, " allocated.");
}

/* Says what reports print above their numbers. */
static void remark_trust(struct profiling *profiling, const struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++)
		if (strcmp(doc->sections[i].name, "trust_line") == 0)
			profile_remark(profiling->profile, doc->sections[i].text);
}

static void remark_estimates(const struct profiling *profiling, struct strbuf *text)
{
	size_t count = 0;

	for (size_t i = 0; i < profiling->profile->tree->node_count; i++)
		count += profile_recording(&profiling->profile->tree->nodes[i]) != NULL;
	if (!count)
		return;
	strbuf_puts(text, "Estimates: the times of ");
	units_counted(text, (int64_t)count, "call path");
	strbuf_puts(text, "; not all of their calls were timed.");
	profile_remark(profiling->profile, strbuf_text(text));
	strbuf_reset(text);
}

/* Says that deep stacks were cut: some formats have no trees and write stacks out. */
static void remark_deep(const struct profiling *profiling, struct strbuf *text)
{
	size_t count = 0;

	for (size_t i = 0; i < profiling->profile->tree->node_count; i++)
		count += profiling->profile->tree->nodes[i].depth > PROFILE_STACK_MOST;
	if (!count)
		return;
	units_counted(text, (int64_t)count, "call path");
	strbuf_printf(text,
		      " deeper than %d frames: where stacks are written out (pprof, "
		      "speedscope) the middle is pruned.",
		      PROFILE_STACK_MOST);
	profile_remark(profiling->profile, strbuf_text(text));
	strbuf_reset(text);
}

static void tell(struct profiling *profiling, struct strbuf *text)
{
	profile_remark(profiling->profile, strbuf_text(text));
	strbuf_reset(text);
}

static void add_remarks(struct profiling *profiling, const struct doc *doc,
			const struct run_facts *facts, size_t folded_count)
{
	struct profile *profile = profiling->profile;
	struct strbuf text = {0};

	if (!profiling->input->options->page) /* a page has it above */
		remark_trust(profiling, doc);
	if (!profiling->input->options->timeline) {
		/* a page only says what it does not show */
		if (profiling->left_out_count || !profiling->input->options->page) {
			remark_left_out(profiling, &text);
			tell(profiling, &text);
		}
		remark_deep(profiling, &text);
	}
	if (folded_count && !profiling->input->options->timeline) {
		units_counted(&text, (int64_t)folded_count, "call path");
		strbuf_printf(&text,
			      " of functions that call themselves %s folded into the "
			      "outer one.",
			      folded_count == 1 ? "is" : "are");
		tell(profiling, &text);
	}
	remark_estimates(profiling, &text);
	if (profiling->input->options->thread) {
		strbuf_puts(&text, "What was live is not kept by thread.");
		tell(profiling, &text);
	}
	strbuf_printf(&text, "run %lld", (long long)profiling->input->run_id);
	if (facts->label)
		strbuf_printf(&text, " '%s'", facts->label);
	strbuf_printf(&text, ": %s", facts->command ? facts->command : "");
	profile->title = arena_copy(&profile->texts, strbuf_text(&text), text.size);
	strbuf_free(&text);
}

/* How many nodes became part of their callers. */
static size_t count_own_calls(const struct profiling *profiling)
{
	const struct calltree *tree = profiling->tree;
	size_t count = 0;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i], parent = tree->nodes[at].parent;

		count += parent != CALLTREE_NONE &&
			 profiling->places[at] == profiling->places[parent];
	}
	return count;
}

static int load(struct profiling *profiling)
{
	const struct report_input *input = profiling->input;
	int result = load_run(profiling);

	if (result == 0)
		result = load_lanes(profiling);
	if (filter_is_active(&input->filter)) {
		profiling->passes = filter_paths(&input->filter, profiling->tree, false);
		for (size_t i = 0; i < profiling->tree->order_count; i++)
			profiling->left_out_count +=
				!profiling->passes[profiling->tree->order[i]];
	}
	if (result == 0)
		result = profile_add_samples(profiling);
	profile_settle(profiling->profile);
	return result;
}

static enum exit_status check_options(struct report_input *input)
{
	const struct report_options *options = input->options;
	const char *refused = options->metric	      ? "metric"
			      : options->snapshot     ? "snapshot"
			      : options->diff	      ? "diff"
			      : options->before	      ? "before"
			      : options->after	      ? "after"
			      : options->process      ? "process"
			      : options->fold_library ? "fold-library"
						      : NULL;

	if (options->timeline && (options->thread || options->focus || options->ignore))
		command_fail(STATUS_USAGE,
			     "%s holds the timeline of all threads: "
			     "--thread, --focus and --ignore choose call paths",
			     options->argument);
	if (!refused)
		return STATUS_OK;
	command_fail(STATUS_USAGE,
		     "%s holds all metrics of the whole run: --%s is for folded",
		     options->argument, refused);
}

/* Takes the tree of all threads from the report, since it will be changed; the lanes say
 * what each thread has. */
static struct calltree *take_tree(struct report_input *input)
{
	struct report_options options = *input->options;
	const struct report_options *asked = input->options;
	struct calltree *tree = input->tree;

	if (tree && !asked->thread) {
		input->tree = NULL;
		return tree;
	}
	options.thread = NULL;
	input->options = &options;
	tree = report_tree_load(input);
	input->options = asked;
	return tree;
}

enum exit_status profile_add(struct report_input *input, struct doc *doc,
			     const struct run_facts *facts)
{
	struct profiling profiling = {.input = input};
	const struct report_options *options = input->options;
	struct wrapper_limits limits = memory_wrapper_limits(NULL);
	int result;

	profiling.tree = take_tree(input);
	if (!profiling.tree)
		return STATUS_FAILED;
	if (options->page)
		wrappers_mark(profiling.tree, &limits);
	doc->profile = profiling.profile =
		profile_new(calltree_fold_own_calls(profiling.tree, &profiling.places));
	result = load(&profiling);
	if (result == 0)
		add_remarks(&profiling, doc, facts, count_own_calls(&profiling));
	if (result == 0 && (options->timeline || options->page))
		result = profile_add_timeline(input, doc);
	/* last, because it overwrites the tree's numbers */
	if (result == 0 && options->page && !options->thread)
		result = profile_add_slots(&profiling, doc);
	calltree_free(profiling.tree);
	free(profiling.places);
	free(profiling.passes);
	free(profiling.lane_ids);
	return result == 0 ? STATUS_OK : STATUS_FAILED;
}

SECTION_CODE(profile)
{
	(void)rows;
	return ask->input->options->page ? profile_add(ask->input, doc, ask->facts)
					 : STATUS_OK;
}

enum exit_status profile_build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	enum exit_status status = check_options(input);

	if (status == STATUS_OK)
		status = report_open(input, doc, &facts);
	if (status == STATUS_OK)
		status = profile_add(input, doc, &facts);
	if (status == STATUS_OK && run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		status = STATUS_NOTHING;
	}
	return status;
}
