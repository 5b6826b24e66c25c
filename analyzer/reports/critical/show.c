/* SPDX-License-Identifier: MIT */
/* The tables of the critical path: by call path, and by thread. */
#include "analyzer/reports/critical/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_ROWS 15
#define ROWS_WITH_PATHS 5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column path_columns[] = {
	{"share_percent", "of run", COLUMN_PERCENT, COLUMN_KEEP},
	{"least_percent", "at least", COLUMN_PERCENT, 0},
	{"bound_percent", "at most", COLUMN_PERCENT, COLUMN_KEEP},
	{"tree_bound_percent", "with callees", COLUMN_PERCENT, 0},
	{"critical_ns", "time", COLUMN_NSEC, COLUMN_MACHINE},
	{"what", "what", COLUMN_TEXT, COLUMN_KEEP},
	{"thread", "thread", COLUMN_TEXT, COLUMN_KEEP},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"least_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"most_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"tree_critical_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"cpu_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"ready_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"asleep_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"not_named_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"woken_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"thread_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column thread_columns[] = {
	{"share_percent", "of run", COLUMN_PERCENT, COLUMN_KEEP},
	{"critical_ns", "on the path", COLUMN_NSEC, COLUMN_KEEP},
	{"wall_ns", "lasted", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_ns", "computed", COLUMN_NSEC, 0},
	{"waited_ns", "waited for others", COLUMN_NSEC, 0},
	{"tid", "tid", COLUMN_ID, COLUMN_KEEP},
	{"thread", "thread", COLUMN_TEXT, COLUMN_KEEP},
	{"thread_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"lane_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

/* A node's sums over the lanes. */
struct sum {
	double ns, least_ns, most_ns, tree_ns, tree_most_ns;
	double waited_ns, slept_ns, woken_ns, largest_ns;
	struct critical_split split;
	uint32_t lane_count, largest_lane;
};

static double ns_of(const struct share *share)
{
	return share->own_ns + share->waited_ns + share->slept_ns + share->woken_ns;
}

struct critical_split critical_split_of(const struct critical *critical,
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

static void add_share(const struct critical *critical, struct sum *sums,
		      const struct share *share)
{
	struct sum *sum = &sums[share->path];
	struct critical_split split = critical_split_of(critical, share);

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

	return (left->lane > right->lane) - (left->lane < right->lane);
}

/* A node and all below are on the path no longer than the lane is, lane by lane. most_ns:
 * by node, all zero, and is so again. */
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
	double *most_ns = xcalloc(tree->node_count + 1, sizeof(*most_ns));
	struct share *shares = xcalloc(from->count + 1, sizeof(*shares));
	size_t first = 0, end;

	for (size_t i = 0; i < from->count; i++) {
		shares[i] = from->all[i];
		if (shares[i].path != WALK_NONE)
			add_share(critical, sums, &shares[i]);
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
	free(most_ns);
	free(shares);
	return sums;
}

/* What most of it was. */
static const char *word_of(const struct sum *sum)
{
	const struct {
		double ns;
		const char *word;
	} parts[] = {{sum->split.cpu_ns, "computing"},
		     {sum->split.ready_ns, "ready"},
		     {sum->split.blocked_ns + sum->slept_ns, "asleep"},
		     {sum->waited_ns, "waiting"},
		     {sum->woken_ns, "woken"}};
	size_t most = 0;

	for (size_t i = 1; i < COUNT(parts); i++)
		if (parts[i].ns > parts[most].ns)
			most = i;
	return parts[most].word;
}

/* The last thread of a lane: most lanes have one only. */
static void put_thread(const struct critical *critical, uint32_t lane,
		       struct strbuf *text)
{
	const struct critical_thread *thread = NULL;

	for (size_t i = 0; i < critical->thread_count; i++)
		if (critical->threads[i].lane == lane)
			thread = &critical->threads[i];
	if (thread && thread->name)
		strbuf_puts(text, thread->name);
	else if (thread)
		strbuf_printf(text, "%lld", (long long)thread->tid);
}

static struct cell threads_of(struct table *table, const struct critical *critical,
			      const struct sum *sum)
{
	struct strbuf text = {0};
	struct cell cell;

	if (sum->lane_count > 1 && sum->largest_ns < 0.95 * sum->ns)
		units_counted(&text, sum->lane_count, "thread");
	else
		put_thread(critical, sum->largest_lane, &text);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

static struct cell ns_cell(double ns)
{
	return cell_integer(whole_number(ns));
}

static void add_row(struct table *table, const struct critical *critical, uint32_t node,
		    const struct sum *sum)
{
	const struct calltree *tree = critical->tree;
	double run_ns = critical->shares.run_ns;
	struct cell *row = table_add_row(table);

	*row++ = cell_real(units_share(sum->ns, run_ns));
	*row++ = cell_real(units_share(sum->least_ns, run_ns));
	*row++ = cell_real(units_share(fmin(sum->most_ns, run_ns), run_ns));
	*row++ = cell_real(units_share(fmin(sum->tree_most_ns, run_ns), run_ns));
	*row++ = ns_cell(sum->ns);
	*row++ = table_text(table, word_of(sum));
	*row++ = threads_of(table, critical, sum);
	*row++ = table_text(table, calltree_name(tree, node));
	*row++ = (struct cell){.kind = CELL_NULL};
	*row++ = ns_cell(sum->least_ns);
	*row++ = ns_cell(sum->most_ns);
	*row++ = ns_cell(sum->tree_ns);
	*row++ = ns_cell(sum->split.cpu_ns);
	*row++ = ns_cell(sum->split.ready_ns);
	*row++ = ns_cell(sum->split.blocked_ns + sum->slept_ns);
	*row++ = ns_cell(sum->waited_ns);
	*row++ = ns_cell(sum->woken_ns);
	*row++ = cell_integer(sum->lane_count);
	*row = cell_integer(tree->nodes[node].path_id);
}

static bool is_shown(const struct report_input *input, const struct critical *critical,
		     uint32_t node, const struct sum *sum)
{
	if (!(sum->ns > 0) && !(input->options->machine && sum->tree_ns > 0))
		return false;
	return filter_passes_name(&input->filter, calltree_name(critical->tree, node));
}

enum exit_status critical_show_paths(struct report_input *input,
				     const struct critical *critical, struct doc *doc)
{
	struct table *table = table_new(path_columns, COUNT(path_columns));
	struct sum *sums = add_up(critical);
	size_t chains = report_path_rows(input, ROWS_WITH_PATHS);
	enum exit_status status;

	for (uint32_t i = 0; i < critical->tree->node_count; i++)
		if (is_shown(input, critical, i, &sums[i]))
			add_row(table, critical, i, &sums[i]);
	free(sums);
	status = report_sort(input, table, "critical_ns", "path_id");
	if (status) {
		table_free(table);
		return status;
	}
	for (size_t i = 0; i < table->row_count && i < chains; i++)
		*table_cell(table, i, "path") = report_chain(
			table, critical->tree,
			calltree_find(critical->tree,
				      table_cell(table, i, "path_id")->integer));
	report_add_table(doc, "critical_paths", "By call path", table,
			 report_limit(input, DEFAULT_ROWS), "path", "critical_ns",
			 "the critical path")
		->flags = SECTION_MAIN;
	return STATUS_OK;
}

static void add_thread(struct table *table, const struct critical *critical,
		       const struct critical_thread *thread, double ns, double waited_ns)
{
	struct cell *row = table_add_row(table);

	*row++ = cell_real(units_share(ns, critical->shares.run_ns));
	*row++ = ns_cell(ns);
	*row++ = ns_cell(thread->end_ns - thread->begin_ns);
	*row++ = ns_cell(thread->cpu_ns);
	*row++ = critical->walk.window_count ? (struct cell){.kind = CELL_NULL}
					     : ns_cell(waited_ns);
	*row++ = cell_integer(thread->tid);
	*row++ = table_text(table, thread->name);
	*row++ = cell_integer(thread->thread_id);
	*row = cell_integer(thread->lane_id);
}

void critical_show_threads(struct report_input *input, const struct critical *critical,
			   struct doc *doc)
{
	const struct walk_run *run = &critical->run;
	struct table *table = table_new(thread_columns, COUNT(thread_columns));
	double *ns = xcalloc(critical->thread_count + 1, sizeof(*ns));
	double *waited_ns = xcalloc(critical->thread_count + 1, sizeof(*waited_ns));

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
		if (ns[i] > 0 || input->options->machine)
			add_thread(table, critical, &critical->threads[i], ns[i],
				   waited_ns[i]);
	free(ns);
	free(waited_ns);
	table_sort(table, table_column(table, "critical_ns"),
		   table_column(table, "thread_id"));
	report_add_table(doc, "critical_threads", "By thread", table,
			 report_limit(input, DEFAULT_ROWS), "thread", "critical_ns",
			 "the critical path");
}
