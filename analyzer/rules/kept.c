/* SPDX-License-Identifier: MIT */
/*
 * Tables that C computes. held: functions' shares of the run, by thread and process.
 * made: calls in a function's code, to inlined functions and to libraries on its behalf;
 * function 0 has all. (In thirteen C++ programs with hooks in all headers these calls
 * found what perf sees in the build without hooks more often than the remaining time
 * did, see docs/rules-calibration.md.)
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"

#include "run.sql.h"

#include <stdlib.h>

/* The node in whose code a node's calls are made. Inlined copies run in their hosts'
 * code, regions in their functions', and libraries work for their caller. Never called
 * for a root's parent. */
static uint32_t code_of(const struct calltree *tree, const uint32_t *codes, uint32_t node)
{
	const struct calltree_node *at = &tree->nodes[node];
	bool is_others = at->is_inlined || at->function == CALLTREE_NONE ||
			 tree->functions[at->function].is_library ||
			 tree->functions[at->function].is_region;

	return is_others && at->parent != CALLTREE_NONE ? codes[at->parent] : node;
}

/* Beginning a region is no call, and libc is called without hooks. */
static int64_t calls_of(const struct calltree *tree, const struct calltree_node *node)
{
	const struct calltree_function *function =
		node->function == CALLTREE_NONE ? NULL : &tree->functions[node->function];

	return function && !function->is_region && !function->is_libc ? node->calls : 0;
}

int rule_keep_made(struct rule_input *input)
{
	const struct calltree *tree = input->tree;
	auto_free uint32_t *codes = xcalloc(tree->node_count + 1, sizeof(*codes));
	ended_by(sums_done) struct sums made = {.count = 0};

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t node = tree->order[i], code = code_of(tree, codes, node);
		uint32_t maker = tree->nodes[code].function;
		int64_t calls = calls_of(tree, &tree->nodes[node]);

		codes[node] = code;
		sums_add(&made, 0, 0, 0, calls);
		/* a function that is called by itself has code of its own */
		if (code != node && maker != CALLTREE_NONE)
			sums_add(&made, tree->functions[maker].function_id, 0, 0, calls);
	}
	return rundb_keep_sums(input->db, "made", "function_id", "calls", &made);
}

static void add_longest(struct sums *processes, const struct sums *lanes)
{
	for (size_t i = 0; i < lanes->count; i++) {
		const struct sum *lane = &lanes->all[i];
		bool is_new;
		int64_t *most =
			sums_of(processes, lane->key[0], lane->key[1], 0, &is_new);

		if (is_new || lane->value > *most)
			*most = lane->value;
	}
}

int rule_keep_held(struct rule_input *input)
{
	ended_by(sums_done) struct sums lanes = {.count = 0}, processes = {.count = 0},
					functions = {.count = 0};
	struct cursor *cursor = rule_query(input, run_sql_held);
	int result;

	while (cursor_next(cursor) > 0)
		sums_add(&lanes, cursor_integer(cursor, "function_id"),
			 cursor_integer(cursor, "process_id"),
			 cursor_integer(cursor, "lane_id"), cursor_integer(cursor, "ns"));
	result = rule_finish(input, cursor, 0);
	add_longest(&processes, &lanes);
	for (size_t i = 0; i < processes.count; i++)
		sums_add(&functions, processes.all[i].key[0], 0, 0,
			 processes.all[i].value);
	if (result == 0)
		result = rundb_keep_sums(input->db, "held", "function_id", "ns",
					 &functions);
	return result;
}
