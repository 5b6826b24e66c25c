/* SPDX-License-Identifier: MIT */
/*
 * The rules about sizes: M8 big-block cycling, M9 small-object overhead. Must not say
 * that a page was faulted in when the run had fewer faults.
 */
#include "analyzer/rules/memory/owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_blocks.sql.h"

#include <math.h>

#define PAGE_BYTES 4096.0

enum big_sum { BYTES, ALLOCS, MOST_LIVE };
enum small_sum { LOST, BLOCKS, REQUESTED, EXACT };

static void add_big(struct rule_input *input, struct findings *ret,
		    const struct memory_owner *owner, double faults)
{
	const double *sums = owner->sums;
	double pages = sums[BYTES] / PAGE_BYTES, part = fmin(1, faults / pages), ns;
	struct finding *finding;

	ns = part * (pages * rule_limit(input, "fault_ns") +
		     sums[ALLOCS] * rule_limit(input, "map_ns"));
	if (sums[ALLOCS] < rule_limit(input, "least_allocs") ||
	    rule_share(ns, memory_run_ns(input)) < rule_limit(input, "least_share"))
		return;
	finding = memory_owner_finding(input, ret, owner);
	/* The faults are the run's, not this function's: with as many as it has pages it
	 * is the one. */
	if (part > 0.9)
		finding->confidence = CONFIDENCE_HIGH;
	memory_win_time(input, finding, ns);
	finding->saving_allocs = sums[ALLOCS];
	rule_evidence(input, finding, "allocations", "count", sums[ALLOCS],
		      "least_allocs");
	rule_evidence(input, finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS],
		      "big_bytes");
	rule_evidence(input, finding, "bytes allocated / most live", "ratio",
		      sums[BYTES] / sums[MOST_LIVE], "churn_ratio");
	rule_evidence(input, finding, "pages of these blocks", "count", pages, NULL);
	rule_evidence(input, finding, "page faults of the run", "count", faults, NULL);
	rule_evidence(input, finding, "cost of a page fault", "ns",
		      rule_limit(input, "fault_ns"), NULL);
}

static int evaluate_big(struct rule_input *input, struct findings *ret)
{
	struct memory_owners owners = {0};
	double faults;
	int result = rule_first_number(input, memory_blocks_sql_faults, -1, &faults);

	if (result < 0)
		return result;
	if (faults < 0)
		return rule_not_measured(input, "page faults were not sampled");
	result = memory_owners_load(input, rule_query(input, memory_blocks_sql_big),
				    &owners);
	for (size_t i = 0; i < owners.count && i < MEMORY_FINDINGS_MOST; i++)
		add_big(input, ret, &owners.list[i], faults);
	memory_owners_free(&owners);
	return result;
}

static int add_small(struct rule_input *input, struct findings *ret,
		     const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	struct finding *finding;

	if (sums[BLOCKS] < rule_limit(input, "least_blocks") ||
	    sums[LOST] < rule_limit(input, "overhead_ratio") * sums[REQUESTED])
		return 0;
	finding = memory_owner_finding(input, ret, owner);
	/* The peak is of bytes asked for; these come on top of it. */
	finding->impact = rule_share(sums[LOST], input->peak_bytes + sums[LOST]);
	finding->saving_bytes = sums[LOST];
	/* Blocks of no bytes: all is lost. */
	if (sums[REQUESTED] > 0)
		rule_evidence(input, finding, "lost / asked for", "ratio",
			      sums[LOST] / sums[REQUESTED], "overhead_ratio");
	rule_evidence(input, finding, "blocks at the peak", "count", sums[BLOCKS],
		      "least_blocks");
	rule_evidence(input, finding, "mean size", "bytes",
		      sums[REQUESTED] / sums[BLOCKS], NULL);
	rule_evidence(input, finding,
		      sums[EXACT] >= sums[BLOCKS] ? "lost" : "lost, at least", "bytes",
		      sums[LOST], NULL);
	return 0;
}

extern const struct rule rule_page_faults, rule_hot_leaf;

static const struct rule_limit big_blocks_limits[] = {
	{"big_bytes", 131072, "bytes",
	 .meaning = "mean size of a site's blocks (malloc's mmap threshold)"},
	{"least_allocs", 100, "count", .meaning = "allocations of the function"},
	{"churn_ratio", 10, "ratio", .meaning = "bytes allocated over most bytes live"},
	{"fault_ns", 1500, "ns",
	 .meaning = "CPU time of a page fault with the clearing of its page"},
	{"map_ns", 4000, "ns", .meaning = "CPU time of an mmap and its munmap"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
	{0},
};

const struct rule rule_big_blocks = {
	.id = "M8",
	.slug = "big-block-cycling",
	.limits = big_blocks_limits,
	.title = "Big blocks come and go",
	.summary = "blocks of mmap's size are allocated and freed again and again, with "
		   "page faults",
	.specific = 2,
	.explains = (const struct rule *const[]){&rule_page_faults, &rule_hot_leaf, NULL},
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.evaluate = evaluate_big,
	.why = "blocks as large as those that malloc takes from the kernel come and go, "
	       "and the run has the page faults to match",
	.advice = {"keep one buffer and use it again",
		   "mallopt(M_MMAP_THRESHOLD, ...) and M_TRIM_THRESHOLD above the size "
		   "keep the pages in the heap",
		   "work in smaller parts"},
	.proof = MEMORY_PROOF("alloc_bytes - COALESCE(realloc_old_bytes, 0) AS "
			      "new_bytes, alloc_count - realloc_count AS allocations, "
			      "peak_bytes, largest_bytes",
			      "free_count >= 10 AND alloc_bytes >= {=big_bytes} * "
			      "alloc_count AND alloc_bytes - COALESCE(realloc_old_bytes, "
			      "0) >= {=churn_ratio} * peak_bytes"),
};

static const struct rule_limit small_objects_limits[] = {
	{"least_blocks", 100000, "count",
	 .meaning = "blocks of the function live at the peak"},
	{"overhead_ratio", 0.5, "ratio",
	 .meaning = "what the allocator takes more over what was asked for"},
	{0},
};

const struct rule rule_small_objects = {
	.id = "M9",
	.slug = "small-object-overhead",
	.limits = small_objects_limits,
	.title = "Blocks too small for their headers",
	.summary = "very many small blocks, for which the allocator takes half as much "
		   "again "
		   "or more",
	.specific = 2,
	.needs = MEASURED_ALLOCATIONS,
	.sites = memory_blocks_sql_small,
	.judge = add_small,
	.why = "the blocks are so small that headers and rounding of a 64-bit glibc take "
	       "much beside them",
	.advice = {"allocate the objects from a pool of equal ones, or in an array with "
		   "indices",
		   "put several into one block, or the link into the object that it "
		   "links"},
	.proof = MEMORY_PROOF("at_peak_count, at_peak_bytes, at_peak_bytes / "
			      "at_peak_count AS mean_bytes, alloc_bytes = alloc_count * "
			      "largest_bytes AS of_one_size",
			      "at_peak_count >= 100 AND at_peak_bytes < 128 * "
			      "at_peak_count"),
};
