/* SPDX-License-Identifier: MIT */
/*
 * Functions and edges, summed up over the finished tree. Must not recurse: paths may be a
 * million deep.
 */
#include "collector/account/account.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* The tree seen from above, for a walk without recursion. */
struct walk {
	struct pool pool;
	struct merge *merge;
	uint32_t *first_child, *next_sibling; /* by path; 0: none */
	uint32_t *path_edges;		      /* index of the edge into a path */
	uint32_t *active; /* by function: times on the current path, copies excluded */
	uint32_t *hooked; /* likewise, copies included */
	struct time_error *totals; /* by path */
};

static uint32_t edge_index(struct merge *merge, uint32_t caller, uint32_t callee)
{
	bool is_new;
	uint32_t index = map_number(&merge->edge_map, caller, callee, 0, &is_new);

	if (!is_new)
		return index;
	POOL_ADD(&merge->pool, merge->edges, merge->edge_count) =
		(struct merge_edge){.caller = caller, .callee = callee};
	return index;
}

static void enter_edge(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];
	struct merge_edge *edge = &walk->merge->edges[walk->path_edges[path]];

	int is_outermost = !row->is_inlined && edge->active++ == 0;

	quantities_add(QUANTITY_OF_EDGE, edge->quantities, QUANTITY_OF_PATH,
		       row->quantities, is_outermost);
}

static uint32_t host_function(const struct merge *merge, uint32_t path)
{
	return merge->paths[merge->paths[path].host].function;
}

/* As the hooks saw it. */
static void add_hooked(struct walk *walk, const struct merge_path *row,
		       struct merge_function *function)
{
	quantity_add(&function->hooked_self_ns, row->self_ns);
	quantity_add(&function->hooked_raw_self_ns, row->raw_self_ns);
	if (walk->hooked[row->function]++ > 0)
		return;
	quantity_add(&function->hooked_total_ns, row->total_ns);
	quantity_add(&function->hooked_raw_total_ns, row->raw_total_ns);
}

/* As it was built. What was allocated stays the copy's: its site has a line of it. */
static void add_built(struct walk *walk, uint32_t path, struct merge_function *function)
{
	struct merge *merge = walk->merge;
	const struct merge_path *row = &merge->paths[path];
	struct merge_function *host = &merge->functions[host_function(merge, path)];
	int is_outermost = !row->is_inlined && walk->active[row->function]++ == 0;
	struct merge_path own = *row;

	quantity_add(&host->self_ns, row->self_ns);
	quantity_add(&host->raw_self_ns, row->raw_self_ns);
	quantity_add(&host->self_cpu_ns, row->self_cpu_ns);
	quantity_add(&host->self_ready_ns, row->self_ready_ns);
	quantity_add(&host->self_blocked_ns, row->self_blocked_ns);
	quantity_add(&host->self_ready_error_ns, row->self_ready_error_ns);
	time_error_add(&host->self_error, &row->self_error);
	if (is_outermost)
		time_error_add(&function->total_error, &walk->totals[path]);
	own.self_ns = own.raw_self_ns = 0;
	own.self_cpu_ns = own.self_ready_ns = own.self_blocked_ns = 0;
	own.self_ready_error_ns = 0;
	quantities_add(QUANTITY_OF_FUNCTION, function->quantities, QUANTITY_OF_PATH,
		       own.quantities, is_outermost);
}

static void enter(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];
	struct merge_function *function = &walk->merge->functions[row->function];

	function->is_used = 1;
	if (row->recording > function->recording)
		function->recording = row->recording;
	if (row->kind != MERGE_FRAME)
		function->is_instrumented = 1;
	add_hooked(walk, row, function);
	add_built(walk, path, function);
	if (row->parent)
		enter_edge(walk, path);
}

static void leave(struct walk *walk, uint32_t path)
{
	const struct merge_path *row = &walk->merge->paths[path];

	walk->hooked[row->function]--;
	if (row->is_inlined)
		return;
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

/* A path that was found inlined by one thread and called by another is what most of its
 * calls are: the compiler may have inlined one of two calls, and a lane knows the first.
 * Calls without frames are like those with. */
static void find_hosts(struct merge *merge)
{
	for (size_t i = 1; i < merge->path_count; i++) {
		struct merge_path *path = &merge->paths[i];
		int64_t framed_calls = path->calls - path->counted_calls;

		path->is_inlined =
			path->parent &&
			(framed_calls ? path->inlined_calls >
						framed_calls - path->inlined_calls
				      : path->has_copies);
		path->host =
			path->is_inlined ? merge->paths[path->parent].host : (uint32_t)i;
		if (path->is_inlined)
			quantity_add(&path->inlined_calls, path->counted_calls);
	}
	for (size_t i = 0; i < merge->share_count; i++) {
		struct merge_share *share = &merge->shares[i];

		if (merge->paths[share->path].is_inlined)
			quantity_add(&share->inlined_calls, share->counted_calls);
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
				edge_index(merge, host_function(merge, path->parent),
					   path->function);
	}
}

/* How long a time can be at most: what was recorded of it, where all of it was. */
static int64_t bound_ns(enum segment_recording recording, int64_t raw_ns, int64_t all_ns)
{
	return recording == SEGMENT_RECORDING_EXACT ? raw_ns : all_ns;
}

/* Of a program without hooks: stacks divide the time of a function among its paths. So
 * each has the error of that, with what is below it, too, and the function has not
 * (merge/sample_paths.c). */
static int is_divided(const struct merge_path *row)
{
	return row->kind == MERGE_FRAME && row->recording == MERGE_SAMPLED;
}

static int64_t path_total_width(const struct merge_path *row,
				const struct time_error *error, int64_t all_ns)
{
	int64_t most_ns = bound_ns(row->recording, row->raw_total_ns, all_ns);

	/* what has nearly all of the time has no other to divide it with */
	if (is_divided(row) && row->raw_total_ns < all_ns - all_ns / 50)
		return time_error_half_width(error, row->total_ns, most_ns);
	return time_error_total_half_width(error, row->total_ns, most_ns);
}

/* Parents come before their children. */
static void find_path_errors(struct walk *walk, int64_t all_ns)
{
	struct merge *merge = walk->merge;

	for (size_t i = merge->path_count; i-- > 1;) {
		struct merge_path *row = &merge->paths[i];

		time_error_add(&walk->totals[i], &row->self_error);
		time_error_add(&walk->totals[row->parent], &walk->totals[i]);
		row->self_error_ns = time_error_half_width(
			&row->self_error, row->self_ns,
			bound_ns(row->recording, row->raw_self_ns, all_ns));
		row->total_error_ns = path_total_width(row, &walk->totals[i], all_ns);
	}
}

static int64_t at_most(int64_t time_ns, int64_t error_ns)
{
	quantity_add(&time_ns, error_ns);
	return time_ns;
}

/* Of a time that is a part of another: at most what that is at most. */
static void narrow(int64_t time_ns, int64_t *error_ns, int64_t most_ns)
{
	int64_t most = most_ns - time_ns > time_ns ? most_ns - time_ns : time_ns;

	if (*error_ns > most)
		*error_ns = most;
}

/* What is called takes no longer than its caller, and what is a path's own no longer than
 * all of it. Returns how long all roots take at most. */
static int64_t narrow_path_errors(struct merge *merge)
{
	int64_t roots_ns = 0;

	for (size_t i = 1; i < merge->path_count; i++) {
		struct merge_path *row = &merge->paths[i];
		const struct merge_path *parent = &merge->paths[row->parent];

		if (row->parent)
			narrow(row->total_ns, &row->total_error_ns,
			       at_most(parent->total_ns, parent->total_error_ns));
		else
			quantity_add(&roots_ns,
				     at_most(row->total_ns, row->total_error_ns));
		narrow(row->self_ns, &row->self_error_ns,
		       at_most(row->total_ns, row->total_error_ns));
	}
	return roots_ns;
}

/* roots_ns: what a function takes at most, of those that are in the paths. */
static void narrow_function_errors(struct merge *merge, int64_t roots_ns)
{
	for (size_t i = 0; i < merge->function_count; i++) {
		struct merge_function *row = &merge->functions[i];

		narrow(row->total_ns, &row->total_error_ns, roots_ns);
		narrow(row->self_ns, &row->self_error_ns,
		       at_most(row->total_ns, row->total_error_ns));
	}
}

static void find_function_errors(struct merge *merge, int64_t all_ns)
{
	for (size_t i = 0; i < merge->function_count; i++) {
		struct merge_function *row = &merge->functions[i];

		int is_plain = !row->is_instrumented && row->recording == MERGE_SAMPLED;

		row->self_error_ns =
			(is_plain ? time_error_total_half_width : time_error_half_width)(
				&row->self_error, row->self_ns,
				bound_ns(row->recording, row->raw_self_ns, all_ns));
		row->total_error_ns =
			(is_plain ? time_error_half_width : time_error_total_half_width)(
				&row->total_error, row->total_ns,
				bound_ns(row->recording, row->raw_total_ns, all_ns));
	}
}

/* How much of a self time that has folded calls is its function's own, nobody knows. */
static void doubt_folded(struct merge *merge)
{
	for (size_t i = 1; i < merge->path_count; i++) {
		struct merge_path *row = &merge->paths[i];

		if (!row->has_folded || row->self_ns <= 0)
			continue;
		row->self_error_ns = row->self_ns;
		quantity_add(&merge->functions[row->function].self_error_ns,
			     row->self_ns);
	}
}

/* What was recorded of all threads. */
static int64_t recorded_ns(const struct merge *merge)
{
	int64_t sum = 0;

	for (size_t i = 1; i < merge->path_count; i++)
		if (!merge->paths[i].parent)
			quantity_add(&sum, merge->paths[i].raw_total_ns);
	return sum;
}

static int by_path(const void *a, const void *b)
{
	const struct merge_share *left = a, *right = b;

	return ORDER_BY_2(left, right, path, lane);
}

static int64_t percentile(const struct merge *merge,
			  const struct merge_function *function, double fraction)
{
	int64_t value;

	if (histogram_is_empty(&function->histogram) ||
	    function->min_ns == QUANTITY_UNKNOWN)
		return QUANTITY_UNKNOWN;
	value = merge_call_ns(merge,
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

/* An allocation is owned by the innermost function on its path that is not a library's,
 * or by the one that made it. */
static void find_owners(struct merge *merge)
{
	const struct identify_function *names = merge->identify.functions;
	auto_free uint32_t *owners = xcalloc(merge->path_count, sizeof(*owners));

	for (uint32_t i = 1; i < merge->path_count; i++) {
		const struct merge_path *path = &merge->paths[i];
		struct merge_function *owner;

		owners[i] = names[path->function].is_library ? owners[path->parent] : i;
		owner = &merge->functions[merge->paths[owners[i] ? owners[i] : i]
						  .function];
		quantity_add(&owner->owned_alloc_count, path->alloc_count);
		quantity_add(&owner->owned_alloc_bytes, path->alloc_bytes);
	}
}

void account_functions(struct merge *merge)
{
	struct walk walk = {.merge = merge};
	size_t functions = merge->identify.function_count;
	int64_t all_ns = recorded_ns(merge), roots_ns;

	walk.first_child = pool_array(&walk.pool, merge->path_count, sizeof(uint32_t));
	walk.next_sibling = pool_array(&walk.pool, merge->path_count, sizeof(uint32_t));
	walk.path_edges = pool_array(&walk.pool, merge->path_count, sizeof(uint32_t));
	walk.active = pool_array(&walk.pool, functions, sizeof(uint32_t));
	walk.hooked = pool_array(&walk.pool, functions, sizeof(uint32_t));
	walk.totals = pool_array(&walk.pool, merge->path_count, sizeof(*walk.totals));
	if (functions)
		merge_function_at(merge, (uint32_t)functions - 1);
	find_path_errors(&walk, all_ns);
	roots_ns = narrow_path_errors(merge);
	find_hosts(merge);
	link_paths(&walk);
	visit_all(&walk);
	find_function_errors(merge, all_ns);
	doubt_folded(merge);
	narrow_function_errors(merge, roots_ns);
	find_percentiles(merge);
	find_owners(merge);
	if (merge->share_count) /* in the order of the table's key */
		qsort(merge->shares, merge->share_count, sizeof(*merge->shares), by_path);
	pool_done(&walk.pool);
}
