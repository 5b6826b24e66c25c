/* SPDX-License-Identifier: MIT */
/*
 * Loads the call tree of the run or of --thread. Must not hide that several threads used
 * a lane one after another.
 */
#include "analyzer/reports/load.h"

#include "common/base/options.h"
#include "common/base/text.h"
#include "common/segment_recording.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "load.sql.h"

#include <string.h>

/* Copies a text into the tree's memory, cleaned; NULL stays NULL. */
static const char *clean_copy(struct calltree *tree, const char *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	if (!text)
		return NULL;
	utf8_clean(&clean, text);
	return arena_copy(&tree->texts, strbuf_text(&clean), clean.size);
}

static void load_functions(struct report_input *input, struct calltree *tree)
{
	ended_by(strbuf_free) struct strbuf name = {0};
	auto_cursor struct cursor *cursor = report_query(input, load_sql_functions);

	while (cursor_next(cursor)) {
		const char *text = cursor_text(cursor, "name");
		struct calltree_function *function;

		strbuf_reset(&name);
		utf8_clean(&name, text ? text : "?");
		function = calltree_add_function(
			tree, cursor_integer(cursor, "function_id"), strbuf_text(&name));
		function->linkage_name =
			clean_copy(tree, cursor_text(cursor, "linkage_name"));
		function->module = clean_copy(tree, cursor_text(cursor, "module"));
		function->file = clean_copy(tree, cursor_text(cursor, "file"));
		function->line = (uint32_t)cursor_integer(cursor, "line");
		function->is_estimated = cursor_integer(cursor, "is_estimated") != 0;
		function->component = clean_copy(tree, cursor_text(cursor, "component"));
		function->is_library = cursor_integer(cursor, "is_library") != 0;
		/* errors are of functions as built; copies have larger ones */
		if (!input->options->raw && !input->options->inlined)
			function->self_error_ns = cursor_integer(cursor, "self_error_ns");
	}
}

static void load_paths(struct report_input *input, struct calltree *tree)
{
	auto_cursor struct cursor *cursor = report_query(input, load_sql_paths);

	while (cursor_next(cursor)) {
		struct calltree_node *node;

		if (tree->node_count >= CALLTREE_NONE - 1)
			break;
		node = calltree_add_path(tree, cursor_integer(cursor, "path_id"),
					 cursor_integer(cursor, "parent_path_id"),
					 cursor_integer(cursor, "function_id"));
		node->is_frame = cursor_integer(cursor, "kind") == 1;
		node->recording = (uint8_t)cursor_integer(cursor, "recording");
		node->is_inlined = !cursor_is_null(cursor, "host_path_id");
		node->is_untimed = (node->recording == SEGMENT_RECORDING_COUNTED ||
				    node->recording > SEGMENT_RECORDING_OFF) &&
				   cursor_is_null(cursor, "min_ns");
		node->call_line = (uint32_t)cursor_integer(cursor, "call_line");
		node->call_lines = (uint32_t)cursor_integer(cursor, "call_lines");
		if (!cursor_is_null(cursor, "call_file"))
			node->call_file =
				clean_copy(tree, cursor_text(cursor, "call_file"));
		cursor_quantities(cursor, QUANTITY_OF_TREE, node->quantities);
		if (input->options->raw) {
			node->self_ns = node->raw_self_ns;
			node->total_ns = node->raw_total_ns;
			/* raw clock times have no error */
			node->self_error_ns = node->total_error_ns = 0;
		}
	}
}

/* After linking: most calls are in the file of the parent's function. */
static void find_call_files(struct calltree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++) {
		struct calltree_node *node = &tree->nodes[i];
		uint32_t function = node->parent == CALLTREE_NONE
					    ? CALLTREE_NONE
					    : tree->nodes[node->parent].function;

		if (node->call_line && !node->call_file && function != CALLTREE_NONE)
			node->call_file = tree->functions[function].file;
	}
}

/* After linking: replaces what all threads have in the paths by what --thread has. */
static void take_thread(struct report_input *input, struct calltree *tree)
{
	auto_cursor struct cursor *cursor = report_query(input, load_sql_thread_paths);

	for (size_t i = 0; i < tree->node_count; i++)
		quantities_clear(QUANTITY_OF_TREE, tree->nodes[i].quantities);
	while (cursor_next(cursor)) {
		uint32_t at = calltree_find(tree, cursor_integer(cursor, "path_id"));
		int64_t values[QUANTITY_COUNT_LANE];

		cursor_quantities(cursor, QUANTITY_OF_LANE, values);
		if (at != CALLTREE_NONE)
			quantities_add(QUANTITY_OF_TREE, tree->nodes[at].quantities,
				       QUANTITY_OF_LANE, values, 1);
	}
	calltree_sum_subtrees(tree);
}

/* After linking: marks what kind each function is. */
static void mark_kinds(struct report_input *input, struct calltree *tree)
{
	auto_cursor struct cursor *cursor = report_query(input, load_sql_kinds);

	while (cursor_next(cursor)) {
		uint32_t number =
			calltree_function(tree, cursor_integer(cursor, "function_id"));

		if (number == CALLTREE_NONE)
			continue;
		if (cursor_integer(cursor, "is_region"))
			tree->functions[number].is_region = true;
		else
			tree->functions[number].is_libc = true;
	}
}

static bool has_lanes(struct report_input *input)
{
	auto_cursor struct cursor *cursor = report_query(input, load_sql_lane_count);

	return cursor_next(cursor) && cursor_integer(cursor, "lane_count") > 1;
}

struct calltree *report_tree_load(struct report_input *input)
{
	struct calltree *tree = calltree_new();

	load_functions(input, tree);
	load_paths(input, tree);
	calltree_link(tree);
	find_call_files(tree);
	mark_kinds(input, tree);
	/* a run with one lane has no path_lane: its paths are the lane's */
	if (input->options->thread && has_lanes(input))
		take_thread(input, tree);
	if (!input->options->inlined)
		calltree_fold_inlined(tree);
	return tree;
}

struct calltree *report_call_tree(struct report_input *input)
{
	if (!input->tree)
		input->tree = report_tree_load(input);
	return input->tree;
}

#define LISTED_THREADS 8

/* Says which threads there are; the cursor is on the first. */
static _Noreturn void unknown_thread(struct report_input *input, struct cursor *cursor)
{
	const char *wanted = input->options->thread, *nearest = NULL;
	struct strbuf list = {0};
	size_t count = 0;
	unsigned best = 3;

	do {
		const char *name = cursor_text(cursor, "name");

		if (name && nearest_distance(wanted, name) < best) {
			best = nearest_distance(wanted, name);
			nearest = xstrdup(name);
		}
		if (count++ >= LISTED_THREADS)
			continue;
		strbuf_printf(&list, "%s%s (%lld)", count > 1 ? ", " : "",
			      name ? name : "unnamed",
			      (long long)cursor_integer(cursor, "tid"));
	} while (cursor_next(cursor));
	if (count > LISTED_THREADS)
		strbuf_printf(&list, " and %zu more", count - LISTED_THREADS);
	command_fail(STATUS_FAILED, "no thread '%s' in the run%s%s%s %s", wanted,
		     nearest ? "; did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'? All:" : "; there are", strbuf_text(&list));
}

void report_check_thread(struct report_input *input)
{
	auto_cursor struct cursor *cursor = report_query(input, load_sql_threads);

	if (!cursor_next(cursor))
		command_fail(STATUS_FAILED, "the run has no thread");
	if (!cursor_integer(cursor, "chosen"))
		unknown_thread(input, cursor);
}
