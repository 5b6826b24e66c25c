/* SPDX-License-Identifier: MIT */
/*
 * Rule M4: blocks that realloc grows by small steps. Must not take reallocs that only
 * shrink, or keep the size, for growth.
 *
 * With a factor f per step n steps grow a block f^n times; doubling takes n ln f / ln 2
 * steps for that. The rest of the steps, and of the bytes that they copied, can be won.
 */
#include "analyzer/rules/memory/owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_realloc.sql.h"

#include <math.h>

enum sum { CRITICAL_COPIED, CRITICAL_REALLOCS, COPIED, REALLOCS, OLD_BYTES, NEW_BYTES };

static int add(struct rule_input *input, struct findings *ret,
	       const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	double factor = sums[NEW_BYTES] / sums[OLD_BYTES];
	double part = 1 - log(factor) / log(2);
	double ns = part * (sums[CRITICAL_COPIED] * rule_limit(input, "copy_ns") +
			    sums[CRITICAL_REALLOCS] * rule_limit(input, "realloc_ns"));
	struct finding *finding;

	if (sums[REALLOCS] < rule_limit(input, "least_reallocs") ||
	    rule_share(ns, memory_run_ns(input)) < rule_limit(input, "least_share"))
		return 0;
	finding = memory_owner_finding(input, ret, owner);
	finding->confidence = CONFIDENCE_HIGH;
	memory_win_time(input, finding, ns);
	finding->saving_allocs = part * sums[REALLOCS];
	rule_evidence(input, finding, "mean factor of a realloc", "ratio", factor,
		      "least_factor");
	rule_evidence(input, finding, "reallocs", "count", sums[REALLOCS],
		      "least_reallocs");
	rule_evidence(input, finding, "copied", "bytes", sums[COPIED], NULL);
	rule_evidence(input, finding, "mean step", "bytes",
		      (sums[NEW_BYTES] - sums[OLD_BYTES]) / sums[REALLOCS], NULL);
	memory_time_evidence(input, finding, "realloc_ns",
			     "cost of a realloc, copying aside");
	return 0;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	double unknown;
	int result = rule_first_number(input, memory_realloc_sql_unknown, 0, &unknown);

	if (result < 0)
		return result;
	if (unknown > 0)
		return rule_not_measured(input,
					 "what the reallocs began with was not recorded");
	return memory_owners_judge(input, ret,
				   rule_query(input, memory_realloc_sql_growth), add);
}

static const struct rule_limit limits[] = {
	{"least_factor", 1.3, "ratio", .least = 1, .most = 2,
	 .meaning = "mean factor of a realloc below which growth is too slow"},
	{"least_reallocs", 1000, "count", .meaning = "reallocs of the function"},
	{"copy_ns", 0.02, "ns", .meaning = "CPU time to copy a byte"},
	{"realloc_ns", 20, "ns",
	 .meaning = "CPU time of a realloc that makes a block a little larger, copying "
		    "aside"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
	{0},
};

const struct rule rule_realloc_growth = {
	.id = "M4",
	.slug = "realloc-growth",
	.limits = limits,
	.title = "Blocks grow by small steps",
	.summary = "realloc makes blocks larger by less than a factor that keeps copying "
		   "linear",
	.specific = 2,
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.evaluate = evaluate,
	.why = "each realloc makes its block only a little larger, so that very many are "
	       "needed",
	.advice = {"grow the capacity by a factor: 1.5 or 2 times the old one",
		   "reserve the final size when it is known or can be bounded",
		   "collect into a list of chunks and join once"},
	.proof = MEMORY_PROOF("realloc_copied_bytes, realloc_count, realloc_old_bytes, "
			      "alloc_bytes, alloc_bytes * 1.0 / realloc_old_bytes AS "
			      "factor",
			      "realloc_count >= 8 AND alloc_bytes > realloc_old_bytes "
			      "AND alloc_bytes < {=least_factor} * realloc_old_bytes"),
};
