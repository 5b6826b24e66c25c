/* SPDX-License-Identifier: MIT */
/* Bounds gains where threads wait for each other: faster code in a function saves at most
 * its time on the critical path. Must not raise a gain. */
#include "analyzer/reports/bottlenecks/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/critical/parts.h"
#include "analyzer/reports/trust/facts.h"
#include "common/base/xalloc.h"

#include "found.sql.h"

#include <math.h>
#include <stdlib.h>

/* Asked first: loading the whole critical path takes memory. */
static bool waits_for_others(struct report_input *input)
{
	auto_cursor struct cursor *cursor =
		report_query(input, found_sql_waited_for_others);

	return cursor_next(cursor);
}

/* How much of a share's time is of one kind, in proportion to the lane's on that path. */
static double part_of(const struct critical *critical, const struct share *share,
		      bool is_ready)
{
	uint32_t number = map_get(&critical->splits_by, share->lane, share->path, 0);
	const struct critical_split *split;
	double all_ns;

	if (number == MAP_NONE)
		return is_ready ? 0 : 1;
	split = &critical->splits[number];
	all_ns = split->cpu_ns + split->ready_ns + split->blocked_ns;
	if (!(all_ns > 0))
		return is_ready ? 0 : 1;
	return (is_ready ? split->ready_ns : split->cpu_ns) / all_ns;
}

/* The length of the run without waits for a CPU, which no code causes. */
static double served_ns(const struct critical *critical)
{
	const struct shares *shares = &critical->shares;
	double ns = shares->run_ns;

	for (size_t i = 0; i < shares->count; i++)
		if (shares->all[i].path != WALK_NONE)
			ns -= shares->all[i].own_ns *
			      part_of(critical, &shares->all[i], true);
	return fmax(ns, 1);
}

/* By function of the tree: its largest possible share of the critical path, 0 to 1. */
static double *load_parts(const struct critical *critical)
{
	const struct calltree *tree = critical->tree;
	const struct shares *shares = &critical->shares;
	double run_ns = served_ns(critical);
	double *parts = xcalloc(tree->function_count + 1, sizeof(*parts));

	for (size_t i = 0; i < shares->count; i++) {
		uint32_t path = shares->all[i].path, function;

		if (path == WALK_NONE || critical_is_libc(critical, path))
			continue;
		function = tree->nodes[path].function;
		if (function != CALLTREE_NONE)
			parts[function] += shares->all[i].most_ns *
					   part_of(critical, &shares->all[i], false) /
					   run_ns;
	}
	for (size_t i = 0; i < tree->function_count; i++)
		parts[i] = fmin(parts[i], 1);
	return parts;
}

/* Only bounds what the function itself computes: waits have other bounds. */
static void bound(struct findings *findings, const struct calltree *tree,
		  const double *parts)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *one = &findings->list[i];
		uint32_t function = one->kind == 'T' && one->function_id
					    ? calltree_function(tree, one->function_id)
					    : CALLTREE_NONE;

		if (function == CALLTREE_NONE || !(one->saving_share > parts[function]))
			continue;
		one->saving_ns *= parts[function] / one->saving_share;
		one->impact *= parts[function] / one->saving_share;
		finding_rate(one);
		one->saving_share = parts[function];
	}
}

/* Findings about locks or sleep: there faster code is not the answer. */
static bool has_waits(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].kind == 'L' || findings->list[i].kind == 'W')
			return true;
	return false;
}

static void keep_largest(struct rundb_insert *rows, const struct calltree *tree,
			 const double *parts)
{
	size_t largest = 0;

	for (size_t i = 1; i < tree->function_count; i++)
		if (parts[i] > parts[largest])
			largest = i;
	if (tree->function_count)
		rundb_insert_row(rows,
				 (struct cell[]){cell_text(tree->functions[largest].name),
						 cell_real(parts[largest])});
}

void bottlenecks_bound(struct report_input *input, struct findings *findings)
{
	struct rundb_insert *rows =
		rundb_fill(input->db, "critical_bound", found_sql_critical_bound);
	struct critical critical;
	double *parts;

	if (run_fact(&input->facts, "process_count") <= 1 && waits_for_others(input) &&
	    critical_load(input, &critical) && critical.shares.run_ns > 0) {
		parts = load_parts(&critical);
		bound(findings, critical.tree, parts);
		if (!has_waits(findings))
			keep_largest(rows, critical.tree, parts);
	}
	rundb_insert_end(rows);
}
