/* SPDX-License-Identifier: MIT */
/*
 * What this is:  rule M10: blocks that are freed by another thread than allocated them.
 * Runs on:       prof-analyze, main thread.
 * Must not:      claim that threads waited for each other: that is not recorded.
 * See also:      memory_threads.sql; docs/rules-memory.md.
 */
#include "analyzer/rules/memory_owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_threads.sql.h"

enum sum { CROSSED, FREES, ALLOCS, BYTES, LARGE };

static void add(struct rule_input *input, struct findings *ret,
		const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	double ns = (sums[CROSSED] - sums[LARGE]) * input->limit(input, "cross_ns") +
		    sums[LARGE] * input->limit(input, "cross_large_ns");
	struct finding *finding;

	if (sums[CROSSED] < input->limit(input, "least_frees") ||
	    rule_share(ns, memory_run_ns(input)) < input->limit(input, "least_win"))
		return;
	finding = memory_owner_finding(input, ret, owner);
	memory_win_time(input, finding, ns);
	finding_evidence_limit(finding, "freed by another thread", "percent",
			       100 * sums[CROSSED] / sums[FREES],
			       100 * input->limit(input, "least_share"));
	finding_evidence_limit(finding, "such frees", "count", sums[CROSSED],
			       input->limit(input, "least_frees"));
	finding_evidence(finding, "allocations", "count", sums[ALLOCS]);
	finding_evidence(finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS]);
	memory_time_evidence(input, finding,
			     sums[LARGE] > 0 ? "cross_large_ns" : "cross_ns",
			     "such a free costs more by");
	finding->why = "the blocks are freed by a thread that did not allocate them";
	finding_advise(finding,
		       "hand the blocks back to the thread that made them: a pool "
		       "with a return queue");
	finding_advise(finding, "pass data in batches, one block for many items");
	finding_advise(finding,
		       "try an allocator with per-thread heaps, such as mimalloc or "
		       "jemalloc");
	finding->sql = memory_sites_sql(
		input, finding, "cross_thread_free_count, free_count, alloc_count",
		"cross_thread_free_count > 0");
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	struct memory_owners owners = {0};
	struct cursor *cursor;
	int result;

	if (!(input->alloc_count > 0))
		return rule_not_measured(input, "no allocation was recorded");
	result = rule_query(input, memory_threads_sql_crossing, &cursor);
	if (result < 0)
		return result;
	cursor_bind_real(cursor, ":share", input->limit(input, "least_share"));
	result = memory_owners_load(input, cursor, &owners);
	memory_owners_each(input, ret, &owners, add);
	memory_owners_free(&owners);
	return result;
}

const struct rule rule_cross_thread_frees = {
	.id = "M10",
	.slug = "cross-thread-frees",
	.title = "Blocks are freed by another thread",
	.summary = "much of what a function allocates is freed by a thread that did not "
		   "allocate it",
	.specific = 2,
	.evaluate = evaluate,
};
