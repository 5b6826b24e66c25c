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
#include "analyzer/reports/trust/facts.h"

#include "profile.sql.h"

#include <stdlib.h>
#include <string.h>

static void load_run(struct profiling *profiling)
{
	struct profile *profile = profiling->profile;
	auto_cursor struct cursor *cursor =
		report_query(profiling->input, profile_sql_run);

	if (cursor_next(cursor)) {
		profile->command = profile_clean(profile, cursor_text(cursor, "command"));
		profile->wall_ns = cursor_integer(cursor, "wall_ns");
		profile->started_ms = cursor_integer(cursor, "started_ms");
		profile->pid = cursor_integer(cursor, "pid");
		profiling->lane_count = cursor_integer(cursor, "lane_count");
	}
}

static const char *lane_name(struct cursor *cursor)
{
	const char *name = cursor_text(cursor, "name");
	int64_t others = cursor_integer(cursor, "thread_count") - 1;
	struct strbuf text = {0};

	utf8_clean(&text, name ? name : "thread");
	if (others > 0) {
		strbuf_puts(&text, " and ");
		units_counted(&text, others, "thread");
		strbuf_puts(&text, " after it");
	}
	return strbuf_text(&text);
}

static void load_lanes(struct profiling *profiling)
{
	struct profile *profile = profiling->profile;
	auto_cursor struct cursor *cursor =
		report_query(profiling->input, profile_sql_lanes);

	while (cursor_next(cursor)) {
		size_t ids = profile->lane_count;

		ARRAY_ADD(profiling->lane_ids, ids) = cursor_integer(cursor, "lane_id");
		ARRAY_ADD(profile->lanes, profile->lane_count) = (struct profile_lane){
			.pid = cursor_integer(cursor, "pid"),
			.tid = cursor_integer(cursor, "tid"),
			.process =
				profile_clean(profile, cursor_text(cursor, "executable")),
			.thread = lane_name(cursor)};
	}
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
/* Says what --focus and --ignore removed. */
static void remark_left_out(struct profiling *profiling)
{
	static const size_t told[] = {PROFILE_CALLS, PROFILE_WALL, PROFILE_BYTES};
	struct strbuf text = {0};

	strbuf_puts(&text, profiling->left_out_count ? "Pruned by --focus and --ignore: "
						     : "Pruned: nothing");
	if (!profiling->left_out_count)
		strbuf_puts(&text, profiling->input->options->thread
					   ? " of this thread."
					   : "; these are all call paths.");
	else
		units_counted(&text, (int64_t)profiling->left_out_count, "call path");
	for (size_t i = 0;
	     profiling->left_out_count && i < sizeof(told) / sizeof(told[0]); i++) {
		strbuf_puts(&text, i ? ", " : " with ");
		put_amount(&text, told[i], profiling->left_out[told[i]]);
	}
	strbuf_puts(&text, profiling->left_out_count ? " allocated." : "");
	profile_remark(profiling->profile, strbuf_text(&text));
}

/* Says what reports print above their numbers. */
static void remark_trust(struct profiling *profiling, const struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++)
		if (strcmp(doc->sections[i].name, "trust_line") == 0)
			profile_remark(profiling->profile, doc->sections[i].text);
}

/* Says of how many call paths something holds; if of none, nothing. */
static void remark_paths(struct profile *profile, const char *begin, size_t count,
			 const char *end)
{
	struct strbuf text = {0};

	strbuf_puts(&text, begin);
	units_counted(&text, (int64_t)count, "call path");
	strbuf_puts(&text, end);
	if (count)
		profile_remark(profile, strbuf_text(&text));
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

static void add_remarks(struct profiling *profiling, const struct doc *doc)
{
	struct profile *profile = profiling->profile;
	const struct report_options *options = profiling->input->options;
	const struct calltree *tree = profile->tree;
	size_t folded = count_own_calls(profiling), estimates = 0, deep = 0;

	for (size_t i = 0; i < tree->node_count; i++) {
		estimates += profile_recording(&tree->nodes[i]) != NULL;
		/* some formats have no trees and write stacks out */
		deep += tree->nodes[i].depth > PROFILE_STACK_MOST;
	}
	if (!options->page) /* a page has it above */
		remark_trust(profiling, doc);
	if (!options->timeline) {
		/* a page only says what it does not show */
		if (profiling->left_out_count || !options->page)
			remark_left_out(profiling);
		remark_paths(profile, "", deep,
			     xasprintf(" deeper than %d frames: where stacks are written "
				       "out (pprof, speedscope) the middle is pruned.",
				       PROFILE_STACK_MOST));
		remark_paths(profile, "", folded,
			     folded == 1
				     ? " of functions that call themselves is folded "
				       "into the outer one."
				     : " of functions that call themselves are folded "
				       "into the outer one.");
	}
	remark_paths(profile, "Estimates: the times of ", estimates,
		     "; not all of their calls were timed.");
	if (options->thread)
		profile_remark(profile, "What was live is not kept by thread.");
	profile->title = run_facts_title(profiling->input, NULL);
}

static void check_options(const struct report_options *options)
{
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
	if (refused)
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

void profile_add(struct report_input *input, struct doc *doc)
{
	const struct report_options *options = input->options;
	struct profiling profiling = {.input = input, .tree = take_tree(input)};
	struct wrapper_limits limits = memory_wrapper_limits(NULL);

	if (options->page)
		wrappers_mark(profiling.tree, &limits);
	doc->profile = profiling.profile =
		profile_new(calltree_fold_own_calls(profiling.tree, &profiling.places));
	load_run(&profiling);
	load_lanes(&profiling);
	if (filter_is_active(&input->filter)) {
		profiling.passes = filter_paths(&input->filter, profiling.tree, false);
		for (size_t i = 0; i < profiling.tree->order_count; i++)
			profiling.left_out_count +=
				!profiling.passes[profiling.tree->order[i]];
	}
	profile_add_samples(&profiling);
	profile_settle(profiling.profile);
	add_remarks(&profiling, doc);
	if (options->timeline || options->page)
		profile_add_timeline(input, doc);
	/* last, because it overwrites the tree's numbers */
	if (options->page && !options->thread)
		profile_add_slots(&profiling, doc);
}

SECTION_CODE(profile)
{
	(void)rows;
	if (ask->input->options->page)
		profile_add(ask->input, doc);
}

enum exit_status profile_build(struct report_input *input, struct doc *doc)
{
	check_options(input->options);
	report_open(input, doc);
	profile_add(input, doc);
	if (!run_facts_empty(&input->facts))
		return STATUS_OK;
	report_nothing_note(input, doc);
	return STATUS_NOTHING;
}
