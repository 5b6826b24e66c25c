/* SPDX-License-Identifier: MIT */
/*
 * What each function's own code computed in each lane, added up once for all functions.
 * Must not ask the database for each function: path has no index of functions, and T7 and
 * T8 ask for all that hold 5 % of the run with what they call.
 *
 * With a query for each of 2,000 functions, on 100,000 paths in 4 lanes, that took 1.4 s.
 */
#include "analyzer/rules/time/lanes.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/rule.h"
#include "analyzer/rundb/rundb.h"

#include "time_lanes.sql.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Sums of functions times lanes: 32 MiB. */
#define SUMS_MOST (4u << 20)

struct lane {
	int64_t lane_id, process_id;
};

struct time_lanes {
	struct lane *list; /* by process, then by lane_id */
	size_t count, capacity;
	double *sums; /* of each function one for each lane */
};

void time_lanes_free(struct time_lanes *lanes)
{
	if (!lanes)
		return;
	free(lanes->list);
	free(lanes->sums);
	free(lanes);
}

static int load_list(struct rule_input *input, struct time_lanes *lanes)
{
	struct cursor *cursor = rule_query(input, time_lanes_sql_lanes);

	while (cursor_next(cursor) > 0) {
		lanes->list = xgrow(lanes->list, lanes->count, &lanes->capacity,
				    sizeof(*lanes->list));
		lanes->list[lanes->count++] =
			(struct lane){cursor_integer(cursor, "lane_id"),
				      cursor_integer(cursor, "process_id")};
	}
	return rule_finish(input, cursor, 0);
}

/* The last one is the best guess: rows of a path come lane by lane. */
static size_t find_lane(const struct time_lanes *lanes, int64_t lane_id, size_t guess)
{
	for (size_t i = 0; i < lanes->count; i++) {
		size_t at = (guess + 1 + i) % lanes->count;

		if (lanes->list[at].lane_id == lane_id)
			return at;
	}
	return lanes->count;
}

/* Rows come by path_id, as the nodes of the tree do. */
static int load_sums(struct rule_input *input, struct time_lanes *lanes)
{
	const struct calltree *tree = input->tree;
	size_t node = 0, lane = 0;
	struct cursor *cursor = rule_query(input, time_lanes_sql_selves);

	cursor_bind_integer(cursor, ":first", tree->nodes[0].path_id);
	cursor_bind_integer(cursor, ":last", tree->nodes[tree->node_count - 1].path_id);
	while (cursor_next(cursor) > 0) {
		int64_t path_id = cursor_integer(cursor, "path_id");
		uint32_t function;

		while (node < tree->node_count && tree->nodes[node].path_id < path_id)
			node++;
		if (node == tree->node_count)
			break;
		function = tree->nodes[tree->nodes[node].host].function;
		lane = find_lane(lanes, cursor_integer(cursor, "lane_id"), lane);
		if (tree->nodes[node].path_id == path_id && function != CALLTREE_NONE &&
		    lane < lanes->count)
			lanes->sums[function * lanes->count + lane] +=
				cursor_real(cursor, "self_ns");
	}
	return rule_finish(input, cursor, 0);
}

static int load(struct rule_input *input)
{
	const struct calltree *tree = input->tree;
	struct time_lanes *lanes;
	int result;

	if (input->lanes)
		return 0;
	input->lanes = lanes = xcalloc(1, sizeof(*lanes));
	result = load_list(input, lanes);
	if (result < 0 || !lanes->count || !tree->node_count || !tree->function_count ||
	    tree->function_count > SUMS_MOST / lanes->count)
		return result;
	lanes->sums = xcalloc(tree->function_count * lanes->count, sizeof(*lanes->sums));
	return load_sums(input, lanes);
}

static double largest_of_each(const struct time_lanes *lanes, uint32_t function)
{
	const double *sums = &lanes->sums[function * lanes->count];
	double largest_ns = 0, sum_ns = 0;

	for (size_t i = 0; i < lanes->count; i++) {
		if (i && lanes->list[i].process_id != lanes->list[i - 1].process_id) {
			sum_ns += largest_ns;
			largest_ns = 0;
		}
		largest_ns = fmax(largest_ns, sums[i]);
	}
	return sum_ns + largest_ns;
}

int time_lanes_function(struct rule_input *input, int64_t function_id, double *ret_ns)
{
	int result = load(input);
	uint32_t function = calltree_function(input->tree, function_id);

	if (result < 0)
		return result;
	if (!input->lanes->sums || function == CALLTREE_NONE)
		return -ENOENT;
	*ret_ns = largest_of_each(input->lanes, function);
	return 0;
}
