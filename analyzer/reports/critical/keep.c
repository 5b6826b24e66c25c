/* SPDX-License-Identifier: MIT */
/* The critical path for the queries of sql/critical.sql: shares by path and lane, sums at
 * and below each path, and the time on each thread. */
#include "analyzer/reports/critical/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

static double ns_of(const struct share *share)
{
	return share->own_ns + share->waited_ns + share->slept_ns + share->woken_ns;
}

/* Divides a share's self time by kind, as the lane's on that path was. */
static struct critical_split split_of(const struct critical *critical,
				      const struct share *share)
{
	uint32_t number = map_get(&critical->splits_by, share->lane, share->path, 0);
	struct critical_split split = {share->own_ns, 0, 0};
	const struct critical_split *of;
	double all_ns;

	if (number == MAP_NONE)
		return split;
	of = &critical->splits[number];
	all_ns = of->cpu_ns + of->ready_ns + of->blocked_ns;
	if (all_ns > 0)
		split = (struct critical_split){share->own_ns * of->cpu_ns / all_ns,
						share->own_ns * of->ready_ns / all_ns,
						share->own_ns * of->blocked_ns / all_ns};
	return split;
}

/* A node's sums over the lanes. */
struct sum {
	double ns, least_ns, most_ns, tree_ns, tree_most_ns;
	double waited_ns, slept_ns, woken_ns, largest_ns;
	struct critical_split split;
	uint32_t lane_count, largest_lane;
};

static void add_share(const struct critical *critical, struct sum *sum,
		      const struct share *share)
{
	struct critical_split split = split_of(critical, share);

	sum->ns += ns_of(share);
	sum->least_ns += share->least_ns;
	sum->most_ns += share->most_ns;
	sum->waited_ns += share->waited_ns;
	sum->slept_ns += share->slept_ns;
	sum->woken_ns += share->woken_ns;
	sum->split.cpu_ns += split.cpu_ns;
	sum->split.ready_ns += split.ready_ns;
	sum->split.blocked_ns += split.blocked_ns;
	sum->lane_count += ns_of(share) > 0;
	if (ns_of(share) <= sum->largest_ns)
		return;
	sum->largest_ns = ns_of(share);
	sum->largest_lane = share->lane;
}

static int compare_lanes(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	return ORDER_BY(left, right, lane);
}

/* Bounds the time of each subtree on the critical path by the lane's, lane by lane.
 * most_ns: by node, all zero before and after. */
static void add_lane_tree(const struct critical *critical, struct sum *sums,
			  const struct share *shares, size_t count, double *most_ns)
{
	const struct calltree *tree = critical->tree;
	const struct shares *all = &critical->shares;
	double lane_ns = all->lane_ns[shares->lane] + all->error_share * all->run_ns;

	for (size_t i = 0; i < count; i++)
		if (shares[i].path != WALK_NONE)
			most_ns[shares[i].path] += shares[i].most_ns;
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t node = tree->order[i], parent = tree->nodes[node].parent;

		if (!(most_ns[node] > 0))
			continue;
		sums[node].tree_most_ns += fmin(most_ns[node], lane_ns);
		if (parent != CALLTREE_NONE)
			most_ns[parent] += most_ns[node];
		most_ns[node] = 0;
	}
}

static struct sum *add_up(const struct critical *critical)
{
	const struct calltree *tree = critical->tree;
	const struct shares *from = &critical->shares;
	struct sum *sums = xcalloc(tree->node_count + 1, sizeof(*sums));
	auto_free double *most_ns = xcalloc(tree->node_count + 1, sizeof(*most_ns));
	auto_free struct share *shares = xcalloc(from->count + 1, sizeof(*shares));
	size_t first = 0, end;

	for (size_t i = 0; i < from->count; i++) {
		uint32_t path = from->all[i].path;

		shares[i] = from->all[i];
		add_share(critical, &sums[path == WALK_NONE ? tree->node_count : path],
			  &shares[i]);
	}
	qsort(shares, from->count, sizeof(*shares), compare_lanes);
	for (; first < from->count; first = end) {
		for (end = first;
		     end < from->count && shares[end].lane == shares[first].lane;)
			end++;
		add_lane_tree(critical, sums, &shares[first], end - first, most_ns);
	}
	for (size_t i = 0; i < tree->node_count; i++)
		sums[i].tree_ns = sums[i].ns;
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t node = tree->order[i], parent = tree->nodes[node].parent;

		if (parent != CALLTREE_NONE)
			sums[parent].tree_ns += sums[node].tree_ns;
	}
	return sums;
}

static void keep_sum(struct rundb_insert *into, const struct critical *critical,
		     uint32_t node, const struct sum *sum, const int64_t *lane_ids)
{
	const struct calltree *tree = critical->tree;
	bool is_path = node < tree->node_count;
	const struct cell none = {.kind = CELL_NULL};

	rundb_insert_row(
		into,
		(struct cell[]){
			is_path ? cell_integer(tree->nodes[node].path_id) : none,
			is_path ? (struct cell){.kind = CELL_TEXT,
						.text = calltree_name(tree, node)}
				: none,
			cell_integer(is_path && critical_is_libc(critical, node)),
			cell_real(sum->ns), cell_real(sum->split.cpu_ns),
			cell_real(sum->split.ready_ns), cell_real(sum->split.blocked_ns),
			cell_real(sum->waited_ns), cell_real(sum->slept_ns),
			cell_real(sum->woken_ns), cell_real(sum->least_ns),
			cell_real(sum->most_ns), cell_real(sum->tree_ns),
			cell_real(sum->tree_most_ns), cell_integer(sum->lane_count),
			cell_real(sum->largest_ns),
			sum->ns > 0 ? cell_integer(lane_ids[sum->largest_lane]) : none});
}

static void keep_shares(struct rundb *db, const struct critical *critical,
			const int64_t *lane_ids)
{
	struct rundb_insert *into = rundb_insert_begin(db, "shares");
	auto_free struct sum *sums = add_up(critical);

	for (uint32_t i = 0; i <= critical->tree->node_count; i++)
		if (sums[i].ns > 0 || sums[i].tree_ns > 0)
			keep_sum(into, critical, i, &sums[i], lane_ids);
	rundb_insert_end(into);
}

static void keep_threads(struct rundb *db, const struct critical *critical)
{
	struct rundb_insert *into = rundb_insert_begin(db, "on_threads");
	const struct walk_run *run = &critical->run;
	auto_free double *ns = xcalloc(critical->thread_count + 1, sizeof(*ns));
	auto_free double *waited_ns =
		xcalloc(critical->thread_count + 1, sizeof(*waited_ns));

	for (size_t i = 0; i < critical->walk.count; i++) {
		const struct walk_stretch *stretch = &critical->walk.stretches[i];

		if (stretch->thread != WALK_NONE)
			ns[run->threads[stretch->thread].number] +=
				(stretch->end_ns - stretch->begin_ns) *
				critical->shares.scale;
	}
	for (size_t i = 0; i < run->stall_count; i++)
		if (run->stalls[i].kind != WALK_NAP)
			waited_ns[run->threads[run->stalls[i].thread].number] +=
				run->stalls[i].end_ns - run->stalls[i].begin_ns;
	for (size_t i = 0; i < critical->thread_count; i++)
		rundb_insert_row(
			into,
			(struct cell[]){cell_integer(critical->threads[i].thread_id),
					cell_real(ns[i]), cell_real(waited_ns[i])});
	rundb_insert_end(into);
}

static void keep_whole(struct rundb *db, const struct critical *critical)
{
	struct rundb_insert *into = rundb_insert_begin(db, "walked");

	rundb_insert_row(
		into,
		(struct cell[]){cell_integer(critical->process_id),
				cell_integer(critical->pid),
				cell_real(critical->shares.run_ns),
				cell_real(critical->shares.begun_ns),
				cell_integer((int64_t)critical->walk.window_count),
				cell_real(critical->run.windows.length_ns),
				cell_real(critical->run.windows.period_ns),
				cell_integer((int64_t)critical->walk.guessed_count)});
	rundb_insert_end(into);
}

SECTION_CODE(critical)
{
	struct rundb *db = ask->input->db;
	struct critical critical;
	int64_t *lane_ids;

	(void)doc, (void)rows;
	if (!critical_load(ask->input, &critical))
		return;
	lane_ids = xcalloc(critical.lane_count + 1, sizeof(*lane_ids));
	for (size_t i = 0; i < critical.thread_count; i++)
		lane_ids[critical.threads[i].lane] = critical.threads[i].lane_id;
	keep_whole(db, &critical);
	keep_shares(db, &critical, lane_ids);
	keep_threads(db, &critical);
}
