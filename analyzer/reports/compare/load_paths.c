/* SPDX-License-Identifier: MIT */
/*
 * Puts call paths and allocation sites of the runs into the comparison. | A counted
 * function is on paths only while it was timed, so two recordings of the same calls may
 * have different paths. Functions that some run did not time call by call are therefore
 * left out of all paths; their amounts go to the caller.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/rules/owners.h"
#include "analyzer/tree/wrappers.h"

#include "compare.sql.h"

#include <math.h>
#include <stdlib.h>

struct report_input *compare_about(struct compare_state *state, size_t run)
{
	state->input->db = state->runs[run].db;
	state->input->run_id = state->runs[run].run_id;
	return state->input;
}

void compare_add_waits(const struct compare_run *run, double raw_self_ns,
		       double raw_total_ns, int64_t *values)
{
	double self_ns = raw_self_ns - (double)values[COMPARE_self_ns];
	double total_ns = raw_total_ns - (double)values[COMPARE_total_ns];

	values[COMPARE_CPU_ERROR] = values[COMPARE_self_error_ns];
	if (!(run->waits > 0))
		return;
	values[COMPARE_self_error_ns] = whole_number(hypot(
		(double)values[COMPARE_self_error_ns], run->waits * fmax(0, self_ns)));
	values[COMPARE_total_error_ns] = whole_number(hypot(
		(double)values[COMPARE_total_error_ns], run->waits * fmax(0, total_ns)));
}

void compare_add_hooks(const struct compare_run *run, double raw_self_ns,
		       bool is_estimated, int64_t *values)
{
	double taken_ns = raw_self_ns - (double)values[COMPARE_self_ns];

	if (is_estimated)
		taken_ns = (double)values[COMPARE_calls] * run->hook_cost_ns;
	values[COMPARE_HOOKS] = whole_number(fmax(0, taken_ns));
}

/* A run's tree, and where its nodes went in the comparison. */
struct placing {
	struct compare_state *state;
	const struct compare_run *run;
	const struct calltree *tree;
	uint32_t *
		functions; /* by function of the tree; the last is the one without name */
	uint32_t *places;  /* by node */
};

/* The function with this id in the run; unknown ids share one without name. */
static uint32_t find_function(struct compare_state *state, const struct compare_run *run,
			      int64_t function_id)
{
	struct compare_function_row nameless = {.name = "?"};
	size_t at = COUNT_BEFORE(run->function_count, i,
				 run->functions[i].function_id < function_id);

	if (at < run->function_count && run->functions[at].function_id == function_id)
		return run->functions[at].number;
	return compare_add_function(&state->comparison, run->column, &nameless);
}

static void find_functions(struct placing *placing)
{
	struct comparison *comparison = &placing->state->comparison;
	const struct calltree *tree = placing->tree;
	bool is_nameless = false;

	for (size_t i = 0; i < tree->function_count; i++) {
		uint32_t function = find_function(placing->state, placing->run,
						  tree->functions[i].function_id);

		placing->functions[i] = function;
		function = comparison->functions[function].merged_into;
		comparison->functions[function].is_libc |= tree->functions[i].is_libc;
	}
	for (size_t i = 0; i < tree->order_count; i++)
		is_nameless |= tree->nodes[tree->order[i]].function == CALLTREE_NONE;
	if (is_nameless)
		placing->functions[tree->function_count] =
			find_function(placing->state, placing->run, 0);
}

/* The hooks' cost of an inlined copy belongs to its host, like its time. */
static void move_hooks(struct placing *placing, uint32_t host, int64_t *values)
{
	quantity_add(&compare_values(&placing->state->comparison.path_values,
				     placing->places[host],
				     COMPARE_HOOKS)[placing->run->column],
		     values[COMPARE_HOOKS]);
	values[COMPARE_HOOKS] = 0;
}

/* What samples found in code without hooks is its caller's here: they are few, and runs
 * that were too short for them have such time there. */
static void give_back(const struct placing *placing, uint32_t at, const int64_t *values)
{
	const struct calltree *tree = placing->tree;
	uint32_t above = at;

	while (above != CALLTREE_NONE && tree->nodes[above].is_frame)
		above = tree->nodes[above].parent;
	if (above != CALLTREE_NONE)
		compare_give_time(&placing->state->comparison, placing->run->column,
				  placing->places[at],
				  placing->places[tree->nodes[above].host], values);
}

static void place(struct placing *placing, uint32_t at)
{
	struct comparison *comparison = &placing->state->comparison;
	const struct calltree *tree = placing->tree;
	const struct calltree_node *node = &tree->nodes[at];
	uint32_t parent = node->parent == CALLTREE_NONE ? COMPARE_NONE
							: placing->places[node->parent];
	uint32_t function = node->function == CALLTREE_NONE
				    ? placing->functions[tree->function_count]
				    : placing->functions[node->function];
	int64_t values[COMPARE_PATH_METRICS] = {0};

	quantities_add(QUANTITY_OF_COMPARED, values, QUANTITY_OF_TREE, node->quantities,
		       1);
	compare_add_waits(placing->run, (double)node->raw_self_ns,
			  (double)node->raw_total_ns, values);
	compare_add_hooks(placing->run, (double)node->raw_self_ns, node->recording != 0,
			  values);
	if (calltree_is_folded(tree, at))
		move_hooks(placing, node->host, values);
	placing->places[at] =
		compare_add_path(comparison, placing->run->column,
				 compare_kept(comparison, parent), function, values);
	comparison->paths[placing->places[at]].call_line = calltree_call_line(tree, at);
	if (node->is_frame && node->self_ns > 0)
		give_back(placing, at, values);
}

/* Where the memory of a site is asked for, as in `memory`: in a function that is neither
 * a library's nor a wrapper, where it calls one, or at its definition when that line is
 * not known. file, *line: the site's own, which stay where nothing is passed over. */
static struct compare_site find_asked(const struct placing *placing, uint32_t site,
				      const char *file, uint32_t *line)
{
	const struct calltree *tree = placing->tree;
	const struct calltree_node *nodes = tree->nodes;
	const struct calltree_function *function;
	struct compare_site ret = {.file = file};
	uint32_t owner = calltree_owner(tree, site), node = owner, at = owner;

	while (nodes[node].function != CALLTREE_NONE &&
	       tree->functions[nodes[node].function].is_wrapper &&
	       nodes[node].parent != CALLTREE_NONE)
		node = calltree_owner(tree, nodes[node].parent);
	ret.path = compare_kept(&placing->state->comparison, placing->places[site]);
	ret.owner = placing->functions[nodes[node].function == CALLTREE_NONE
					       ? tree->function_count
					       : nodes[node].function];
	ret.owner = placing->state->comparison.functions[ret.owner].merged_into;
	if (node == owner || nodes[node].function == CALLTREE_NONE)
		return ret;
	function = &tree->functions[nodes[node].function];
	while (nodes[at].parent != node)
		at = nodes[at].parent;
	*line = calltree_call_line(tree, at);
	ret.file = *line && nodes[at].call_file ? nodes[at].call_file : function->file;
	ret.is_definition = !*line;
	if (ret.is_definition)
		*line = (uint32_t)function->line;
	return ret;
}

static void read_sites(const struct placing *placing)
{
	static const char *const names[COMPARE_SITE_METRICS] = {
		[COMPARE_SITE_alloc_count] = "alloc_count",
		[COMPARE_SITE_alloc_bytes] = "alloc_bytes",
		[COMPARE_SITE_live_bytes] = "live_bytes",
		[COMPARE_SITE_at_peak_bytes] = "at_peak_bytes",
	};
	struct comparison *comparison = &placing->state->comparison;
	struct report_input *input = placing->state->input;
	auto_cursor struct cursor *cursor = report_query(input, compare_sql_sites);

	while (cursor_next(cursor)) {
		uint32_t at =
			calltree_find(placing->tree, cursor_integer(cursor, "path_id"));
		int64_t values[COMPARE_SITE_METRICS];
		uint32_t line = (uint32_t)cursor_integer(cursor, "line");
		struct compare_site asked;

		if (at == CALLTREE_NONE || placing->places[at] == COMPARE_NONE)
			continue;
		for (int i = 0; i < COMPARE_SITE_METRICS; i++)
			values[i] = cursor_integer(cursor, names[i]);
		asked = find_asked(placing, at, cursor_text(cursor, "file"), &line);
		compare_add_site(comparison, placing->run->column, &asked, line, values);
	}
}

void compare_load_paths(struct compare_state *state, size_t number)
{
	struct wrapper_limits limits = memory_wrapper_limits(NULL);
	struct calltree *tree = report_tree_load(compare_about(state, number));
	struct placing placing = {
		.state = state, .run = &state->runs[number], .tree = tree};

	wrappers_mark(tree, &limits);
	placing.functions = xcalloc(tree->function_count + 1, sizeof(*placing.functions));
	placing.places = calltree_numbers(tree);
	find_functions(&placing);
	for (size_t i = 0; i < tree->order_count; i++)
		place(&placing, tree->order[i]);
	read_sites(&placing);
	/* there may be many runs */
	free(placing.functions);
	free(placing.places);
	calltree_free(tree);
}

struct calltree *compare_tree(const struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct calltree *tree = calltree_new();

	for (size_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *one = &comparison->functions[i];
		struct calltree_function *function =
			calltree_add_function(tree, (int64_t)i, one->name);

		function->module = calltree_keep(tree, one->module && *one->module
							       ? one->module
							       : "(the program)");
		function->component = calltree_keep(tree, one->component);
		function->file = calltree_keep(tree, one->file);
		function->line = one->line_after ? one->line_after : one->line_before;
		function->is_library = one->is_library;
		function->is_libc = one->is_libc;
	}
	for (size_t i = 0; i < comparison->path_values.count; i++) {
		const struct compare_path *path = &comparison->paths[i];
		bool is_root = path->parent == COMPARE_NONE;

		calltree_add_path(tree, (int64_t)i + 1,
				  is_root ? 0 : (int64_t)path->parent + 1, path->function)
			->is_frame = !comparison->functions[path->function].hooked;
	}
	calltree_link(tree);
	return tree;
}
