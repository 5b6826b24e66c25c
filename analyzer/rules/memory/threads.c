/* SPDX-License-Identifier: MIT */
/*
 * Rule M10: blocks that are freed by another thread than allocated them. Must not claim
 * that threads waited for each other: that is not recorded.
 */
#include "analyzer/statistics/histogram.h"
#include "analyzer/rules/memory/owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_threads.sql.h"

#include <math.h>

enum sum { CROSSED, FREES, ALLOCS, BYTES, LARGE };

/* The buckets' middles are up to 6.25 % off; sums that differ more are a recursion's,
 * whose nested calls are counted again. */
#define SUM_TOLERANCE 1.15

/* What the calls of the row's function took beyond their median, as far as its own code
 * may have, in the busiest thread. */
static double read_beyond(struct rule_input *input, struct cursor *cursor)
{
	double self_ns = cursor_real(cursor, "self_ns"),
	       tick_ns = cursor_real(cursor, "tick_ns");
	struct histogram histogram;
	const void *bytes;
	size_t size;

	bytes = cursor_blob(cursor, "histogram", &size);
	if (histogram_decode(bytes, size, &histogram) < 0 || !(self_ns > 0) ||
	    histogram.ticks * tick_ns >
		    SUM_TOLERANCE * cursor_real(cursor, "raw_total_ns"))
		return 0;
	return histogram_beyond(&histogram, histogram_quantile(&histogram, 0.5),
				rule_limit(input, "wait_call_ns") / tick_ns) *
	       tick_ns * fmin(1, self_ns / cursor_real(cursor, "total_ns")) *
	       fmin(1, cursor_real(cursor, "held_ns") / self_ns);
}

/* What the owner's calls may have waited for other threads in malloc. */
static int load_waits(struct rule_input *input, const struct memory_owner *owner,
		      double *ret)
{
	struct cursor *cursor;

	*ret = 0;
	if (owner->function == CALLTREE_NONE)
		return 0;
	cursor = rule_query(input, memory_threads_sql_durations);
	cursor_bind_integer(cursor, ":function",
			    input->tree->functions[owner->function].function_id);
	if (cursor_next(cursor) > 0)
		*ret = fmin(read_beyond(input, cursor),
			    owner->sums[CROSSED] * rule_limit(input, "wait_ns"));
	return rule_finish(input, cursor, 0);
}

static void tell_cost(struct rule_input *input, struct finding *finding, double waits_ns,
		      bool is_large)
{
	if (waits_ns > 0) {
		rule_evidence(input, finding, "taken beyond the median of its calls",
			      "ns", waits_ns, NULL);
		rule_evidence(input, finding, "share of the run without recorder",
			      "percent", finding->impact, NULL);
		finding->why = "the blocks are freed by a thread that did not allocate "
			       "them, and many calls that allocate take far longer than "
			       "most: they may have waited for that thread in malloc";
	} else {
		memory_time_evidence(input, finding,
				     is_large ? "cross_large_ns" : "cross_ns",
				     "such a free costs more by");
	}
}

static int add(struct rule_input *input, struct findings *ret,
	       const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	double ns = (sums[CROSSED] - sums[LARGE]) * rule_limit(input, "cross_ns") +
		    sums[LARGE] * rule_limit(input, "cross_large_ns");
	struct finding *finding;
	double waits_ns;
	int result;

	if (sums[CROSSED] < rule_limit(input, "least_frees"))
		return 0;
	result = load_waits(input, owner, &waits_ns);
	/* The longer way that a free takes is among what the calls take beyond their
	 * median: one or the other. */
	if (waits_ns < ns)
		waits_ns = 0;
	ns = fmax(ns, waits_ns);
	if (result < 0 ||
	    rule_share(ns, memory_run_ns(input)) < rule_limit(input, "least_win"))
		return result;
	finding = memory_owner_finding(input, ret, owner);
	memory_win_time(input, finding, ns);
	rule_evidence(input, finding, "freed by another thread", "percent",
		      sums[CROSSED] / sums[FREES], "least_share");
	rule_evidence(input, finding, "such frees", "count", sums[CROSSED],
		      "least_frees");
	rule_evidence(input, finding, "allocations", "count", sums[ALLOCS], NULL);
	rule_evidence(input, finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS],
		      NULL);
	tell_cost(input, finding, waits_ns, sums[LARGE] > 0);
	return 0;
}

extern const struct rule rule_hot_leaf, rule_tail_latency, rule_two_modes;

static const struct rule_limit limits[] = {
	{"least_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of a site's frees that other threads do"},
	{"least_frees", 10000, "count", .meaning = "such frees of the function"},
	{"cross_ns", 10, "ns",
	 .meaning = "CPU time that such a free and the malloc before it take more"},
	{"cross_large_ns", 20, "ns",
	 .meaning = "the same for blocks of more than 120 bytes"},
	{"wait_ns", 400, "ns",
	 .meaning = "waiting for the other thread that such a free may be blamed for on "
		    "average; measured, see docs/rules-calibration.md"},
	{"wait_call_ns", 1e5, "ns",
	 .meaning = "a call that takes this longer than the median counts no more: what "
		    "lasts longer is a wait for a CPU"},
	{"least_win", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
	{0},
};

const struct rule rule_cross_thread_frees = {
	.id = "M10",
	.slug = "cross-thread-frees",
	.limits = limits,
	.title = "Blocks are freed by another thread",
	.summary = "much of what a function allocates is freed by a thread that did not "
		   "allocate it",
	.specific = 2,
	.explains = (const struct rule *const[]){&rule_hot_leaf, &rule_tail_latency,
						 &rule_two_modes, NULL},
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.sites = memory_threads_sql_crossing,
	.judge = add,
	.why = "the blocks are freed by a thread that did not allocate them",
	.advice =
		{"hand the blocks back to the thread that made them: a pool with a "
		 "return queue",
		 "pass data in batches, one block for many items",
		 "try an allocator with per-thread heaps, such as mimalloc or jemalloc"},
	.proof = MEMORY_PROOF("cross_thread_free_count, free_count, alloc_count, "
			      "alloc_bytes",
			      "cross_thread_free_count > 0 AND cross_thread_free_count "
			      ">= {=least_share} * free_count"),
};
