/* SPDX-License-Identifier: MIT */
/*
 * Self and total times, all in whole ns so that sums agree exactly. Must not recurse:
 * paths may be a million deep.
 */
#include "collector/merge/account.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"

static int by_number(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static void add_share(struct merge *merge, const struct merge_share *share)
{
	merge->shares = array_room(merge->shares, merge->share_count, sizeof(*share));
	merge->shares[merge->share_count++] = *share;
}

/* 30 years; only damaged numbers are larger. */
#define MOST_NS 1e18

static int64_t cost_ns(const struct merge *merge, const struct merge_cell *cell)
{
	double cost = merge->inner_cost_ns * (double)cell->calls +
		      merge->outer_cost_ns * (double)cell->child_calls;

	return cost < MOST_NS ? (int64_t)cost : (int64_t)MOST_NS;
}

int64_t account_call_ns(const struct merge *merge, double ticks)
{
	double ns = ticks * merge->ticks->ns_per_tick - merge->inner_cost_ns;

	return ns > 0 ? ticks_duration_ns(merge->ticks, ns / merge->ticks->ns_per_tick)
		      : 0;
}

void account_begin(struct merge *merge)
{
	if (merge->touched_count)
		qsort(merge->touched, merge->touched_count, sizeof(*merge->touched),
		      by_number);
}

static struct merge_cell take_cell(struct merge *merge, uint32_t *ret_path)
{
	struct merge_cell cell;

	*ret_path = merge->touched[--merge->touched_count];
	cell = merge->cells[*ret_path];
	merge->cells[*ret_path] = (struct merge_cell){.is_touched = 0};
	return cell;
}

static struct account_times begin_times(const struct merge *merge,
					const struct merge_cell *cell)
{
	struct account_times times;

	memcpy(times.quantities, cell->quantities, sizeof(times.quantities));
	times.raw_total_ns = ticks_duration_ns(merge->ticks, (double)cell->total_ticks);
	return times;
}

static void charge_parent(struct merge *merge, uint32_t path,
			  const struct account_times *times)
{
	uint32_t parent = merge->paths[path].parent;
	struct merge_cell *cell = &merge->cells[parent];

	if (!parent)
		return;
	quantity_add(&cell->child_calls, times->calls);
	quantity_add(&cell->child_raw_ns, times->raw_total_ns);
	quantity_add(&cell->child_total_ns, times->total_ns);
}

/* A total that is less than the children's together (a signal handler in between, a
 * process that is still alive) is raised to it: no self time is negative, and the sums
 * stay exact. */
int account_next(struct merge *merge, uint32_t *ret_path, struct account_times *ret)
{
	struct merge_cell cell;

	if (!merge->touched_count)
		return 0;
	cell = take_cell(merge, ret_path);
	*ret = begin_times(merge, &cell);
	if (ret->raw_total_ns < cell.child_raw_ns)
		ret->raw_total_ns = cell.child_raw_ns;
	ret->raw_self_ns = ret->raw_total_ns - cell.child_raw_ns;
	ret->self_ns = ret->raw_self_ns - cost_ns(merge, &cell);
	if (ret->self_ns < 0)
		ret->self_ns = 0;
	ret->total_ns = ret->self_ns;
	quantity_add(&ret->total_ns, cell.child_total_ns);
	charge_parent(merge, *ret_path, ret);
	return 1;
}

int account_next_part(struct merge *merge, int64_t *owed_ns, uint32_t *ret_path,
		      struct account_times *ret)
{
	struct merge_cell cell;
	int64_t self_ns;

	if (!merge->touched_count)
		return 0;
	cell = take_cell(merge, ret_path);
	*ret = begin_times(merge, &cell);
	ret->raw_self_ns = ret->raw_total_ns - cell.child_raw_ns;
	if (ret->raw_self_ns < -(int64_t)MOST_NS)
		ret->raw_self_ns = -(int64_t)MOST_NS;
	self_ns = ret->raw_self_ns - cost_ns(merge, &cell) - owed_ns[*ret_path];
	ret->self_ns = self_ns > 0 ? self_ns : 0;
	owed_ns[*ret_path] = ret->self_ns - self_ns;
	if (owed_ns[*ret_path] > (int64_t)MOST_NS)
		owed_ns[*ret_path] = (int64_t)MOST_NS;
	ret->total_ns = ret->self_ns;
	quantity_add(&ret->total_ns, cell.child_total_ns);
	charge_parent(merge, *ret_path, ret);
	return 1;
}

static void add_times(struct merge *merge, uint32_t path, uint32_t lane,
		      const struct account_times *times)
{
	struct merge_path *row = &merge->paths[path];
	struct merge_share share = {.path = path, .lane = lane};

	quantities_add(QUANTITY_OF_PATH, row->quantities, QUANTITY_OF_LANE,
		       times->quantities, 1);
	quantity_add(&row->raw_total_ns, times->raw_total_ns);
	quantity_add(&row->raw_self_ns, times->raw_self_ns);
	if (merge->run->lane_count < 2)
		return;
	memcpy(share.quantities, times->quantities, sizeof(share.quantities));
	add_share(merge, &share);
}

void account_lane(struct merge *merge, uint32_t lane)
{
	struct account_times times;
	uint32_t path;

	account_begin(merge);
	while (account_next(merge, &path, &times))
		add_times(merge, path, lane, &times);
}

/* The tree seen from above, for a walk without recursion. */
struct walk {
	struct merge *merge;
	uint32_t *first_child, *next_sibling; /* by path; 0: none */
	uint32_t *path_edges;		      /* index of the edge into a path */
	uint32_t *active;		      /* by function: times on the current path */
};

static uint32_t edge_index(struct merge *merge, uint32_t caller, uint32_t callee)
{
	bool is_new;
	uint32_t index = map_number(&merge->edge_map, caller, callee, 0, &is_new);

	if (!is_new)
		return index;
	merge->edges =
		array_room(merge->edges, merge->edge_count++, sizeof(*merge->edges));
	merge->edges[index].caller = caller;
	merge->edges[index].callee = callee;
	return index;
}

static void enter_edge(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];
	struct merge_edge *edge = &walk->merge->edges[walk->path_edges[path]];

	quantities_add(QUANTITY_OF_EDGE, edge->quantities, QUANTITY_OF_PATH,
		       row->quantities, edge->active++ == 0);
}

static void enter(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];
	struct merge_function *function = &walk->merge->functions[row->function];

	function->is_used = 1;
	if (row->kind != MERGE_FRAME)
		function->is_instrumented = 1;
	quantities_add(QUANTITY_OF_FUNCTION, function->quantities, QUANTITY_OF_PATH,
		       row->quantities, walk->active[row->function]++ == 0);
	if (row->parent)
		enter_edge(walk, path);
}

static void leave(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];

	walk->active[row->function]--;
	if (row->parent)
		walk->merge->edges[walk->path_edges[path]].active--;
}

static void visit_all(struct walk *walk)
{
	uint32_t at = walk->first_child[0];

	while (at) {
		enter(walk, at);
		if (walk->first_child[at]) {
			at = walk->first_child[at];
			continue;
		}
		while (at && !walk->next_sibling[at]) {
			leave(walk, at);
			at = walk->merge->paths[at].parent;
		}
		if (at) {
			leave(walk, at);
			at = walk->next_sibling[at];
		}
	}
}

/* Links children in the order of their numbers and finds their edges. */
static void link_paths(struct walk *walk)
{
	struct merge *merge = walk->merge;

	for (size_t i = merge->path_count; i-- > 1;) {
		const struct merge_path *path = &merge->paths[i];

		walk->next_sibling[i] = walk->first_child[path->parent];
		walk->first_child[path->parent] = (uint32_t)i;
		if (path->parent)
			walk->path_edges[i] =
				edge_index(merge, merge->paths[path->parent].function,
					   path->function);
	}
}

static int by_path(const void *a, const void *b)
{
	const struct merge_share *left = a, *right = b;

	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static int64_t percentile(const struct merge *merge,
			  const struct merge_function *function, double fraction)
{
	int64_t value;

	if (histogram_is_empty(&function->histogram) ||
	    function->min_ns == QUANTITY_UNKNOWN)
		return QUANTITY_UNKNOWN;
	value = account_call_ns(merge,
				histogram_percentile(&function->histogram, fraction));
	if (value < function->min_ns)
		return function->min_ns;
	return value > function->max_ns ? function->max_ns : value;
}

static void find_percentiles(struct merge *merge)
{
	for (size_t i = 0; i < merge->function_count; i++) {
		struct merge_function *function = &merge->functions[i];

		if (!function->is_used)
			continue;
		function->p50_ns = percentile(merge, function, 0.50);
		function->p90_ns = percentile(merge, function, 0.90);
		function->p95_ns = percentile(merge, function, 0.95);
		function->p99_ns = percentile(merge, function, 0.99);
	}
}

void account_functions(struct merge *merge)
{
	struct walk walk = {.merge = merge};
	size_t functions = merge->identify.function_count;

	walk.first_child = xcalloc(merge->path_count, sizeof(uint32_t));
	walk.next_sibling = xcalloc(merge->path_count, sizeof(uint32_t));
	walk.path_edges = xcalloc(merge->path_count, sizeof(uint32_t));
	walk.active = xcalloc(functions, sizeof(uint32_t));
	if (functions)
		merge_function_at(merge, (uint32_t)functions - 1);
	link_paths(&walk);
	visit_all(&walk);
	find_percentiles(merge);
	if (merge->share_count) /* in the order of the table's key */
		qsort(merge->shares, merge->share_count, sizeof(*merge->shares), by_path);
	free(walk.first_child);
	free(walk.next_sibling);
	free(walk.path_edges);
	free(walk.active);
}
