/* SPDX-License-Identifier: MIT */
/*
 * The rules about how often is allocated: M1 rate, M2 churn, M3 temporary. Must not
 * count one allocation in two of them.
 *
 * Time in malloc is not recorded: the saving is the number of pairs of malloc and free,
 * which is exact, times pair_ns, which was measured.
 */
#include "analyzer/rules/memory/owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_rate.sql.h"

enum sum { CRITICAL_PAIRS, PAIRS, ALLOCS, BYTES, PEAK_BYTES };

/* Returns NULL when the saving is below the rule's least share. */
static struct finding *add(struct rule_input *input, struct findings *ret,
			   const struct memory_owner *owner, double critical_pairs,
			   double pairs)
{
	double ns = critical_pairs * rule_limit(input, "pair_ns");
	struct finding *finding;

	if (rule_share(ns, memory_run_ns(input)) < rule_limit(input, "least_share"))
		return NULL;
	finding = memory_owner_finding(input, ret, owner);
	memory_win_time(input, finding, ns);
	finding->saving_allocs = pairs;
	return finding;
}

/* What the queries of M1 and M2 ask of a site, so that no other rule judges it. */
#define NEITHER                                                                          \
	"alloc_bytes < {=big_bytes} * alloc_count AND temporary_count < "                \
	"{=temporary_share} * alloc_count AND 2 * realloc_count < alloc_count"

static void add_rate(struct rule_input *input, struct findings *ret,
		     const struct memory_owner *owner, const double *sums)
{
	double per_s = input->alloc_count / (input->wall_ns / 1e9);
	struct finding *finding =
		add(input, ret, owner, sums[CRITICAL_PAIRS], sums[ALLOCS]);

	if (!finding)
		return;
	rule_evidence(input, finding, "allocations of the run", "per_s", per_s, "per_s");
	rule_evidence(input, finding, owner ? "of them here" : "of them spread", "count",
		      sums[ALLOCS], NULL);
	rule_evidence(input, finding, "share", "percent",
		      rule_share(sums[ALLOCS], input->alloc_count), NULL);
	rule_evidence(input, finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS],
		      NULL);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
}

static int evaluate_rate(struct rule_input *input, struct findings *ret)
{
	double all[MEMORY_SUMS] = {0}, share = rule_limit(input, "owner_share");
	struct memory_owners owners = {0};
	size_t before = ret->count;
	int result;

	if (input->alloc_count < rule_limit(input, "per_s") * input->wall_ns / 1e9)
		return RULE_DONE;
	result = memory_owners_load(input, rule_query(input, memory_rate_sql_others),
				    &owners);
	for (size_t i = 0; i < owners.count; i++) {
		const struct memory_owner *owner = &owners.list[i];

		for (size_t k = 0; k < MEMORY_SUMS; k++)
			all[k] += owner->sums[k];
		if (owner->sums[ALLOCS] >= share * input->alloc_count)
			add_rate(input, ret, owner, owner->sums);
	}
	if (all[ALLOCS] > 0 && ret->count == before)
		add_rate(input, ret, NULL, all);
	memory_owners_free(&owners);
	return result;
}

static int add_churn(struct rule_input *input, struct findings *ret,
		     const struct memory_owner *owner)
{
	double part = rule_limit(input, "recoverable");
	const double *sums = owner->sums;
	struct finding *finding;

	if (sums[ALLOCS] < rule_limit(input, "least_allocs"))
		return 0;
	finding = add(input, ret, owner, part * sums[CRITICAL_PAIRS], part * sums[PAIRS]);
	if (!finding)
		return 0;
	rule_evidence(input, finding, "bytes allocated / most live", "ratio",
		      sums[BYTES] / sums[PEAK_BYTES], "churn_ratio");
	rule_evidence(input, finding, "allocations", "count", sums[ALLOCS],
		      "least_allocs");
	rule_evidence(input, finding, "allocated", "bytes", sums[BYTES], NULL);
	rule_evidence(input, finding, "most live at a time", "bytes", sums[PEAK_BYTES],
		      NULL);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
	return 0;
}

static int add_temporary(struct rule_input *input, struct findings *ret,
			 const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	struct finding *finding =
		add(input, ret, owner, sums[CRITICAL_PAIRS], sums[PAIRS]);

	if (!finding)
		return 0;
	finding->confidence = CONFIDENCE_HIGH;
	rule_evidence(input, finding, "temporary of the allocations here", "percent",
		      sums[PAIRS] / sums[ALLOCS], "temporary_share");
	rule_evidence(input, finding, "temporary", "count", sums[PAIRS], NULL);
	rule_evidence(input, finding, "of the run's allocations", "percent",
		      rule_share(sums[PAIRS], input->alloc_count), NULL);
	rule_evidence(input, finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS],
		      NULL);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
	return 0;
}

/* clang-format off */
#define LIMIT_OF_SIZE                                                                    \
	{"big_bytes", 131072, "bytes", .not_above = "M8.big_bytes",                      \
	 .meaning = "mean size from which blocks are judged by M8 (malloc's mmap "       \
		    "threshold)"}
#define LIMITS_OF_WIN                                                                    \
	{"pair_ns", 8, "ns", .meaning = "CPU time of a malloc and its free"},            \
	{"least_share", 0.01, "ratio", .most = 1,                                        \
	 .meaning = "share of the run that must be won at least"}
/* clang-format on */

static const struct rule_limit allocation_rate_limits[] = {
	{"per_s", 100000, "per_s", .meaning = "allocations of the run per second"},
	{"owner_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of the allocations from which a function is named"},
	{"temporary_share", 0.5, "ratio", .not_above = "M3.temporary_share",
	 .meaning = "share of temporary ones from which a site is judged by M3 only"},
	{"churn_ratio", 10, "ratio", .not_above = "M2.churn_ratio",
	 .meaning = "bytes allocated over most bytes live from which blocks count as "
		    "recycled"},
	LIMIT_OF_SIZE,
	LIMITS_OF_WIN,
	{0},
};

const struct rule rule_allocation_rate = {
	.id = "M1",
	.slug = "allocation-rate",
	.limits = allocation_rate_limits,
	.title = "Many allocations per second",
	.summary = "the run allocates often, and the blocks are neither temporary nor "
		   "recycled",
	.specific = 1,
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.evaluate = evaluate_rate,
	.why = "many blocks are allocated for each second of the run, and they stay for "
	       "a while",
	.advice = {"allocate many at a time: an arena or a pool that is freed at once",
		   "reserve the container's final size before filling it",
		   "keep the data in one array instead of linked blocks"},
	.proof = MEMORY_PROOF("alloc_count, alloc_bytes, free_count, peak_bytes",
			      "alloc_count >= 100 AND " NEITHER
			      " AND (alloc_bytes < {=churn_ratio} * peak_bytes OR "
			      "free_count < 100)"),
};

static const struct rule_limit churn_limits[] = {
	{"churn_ratio", 10, "ratio",
	 .meaning = "bytes allocated over most bytes live from which blocks count as "
		    "recycled"},
	{"least_allocs", 10000, "count", .meaning = "allocations of the function"},
	{"recoverable", 0.5, "ratio", .most = 1,
	 .meaning = "part of the pairs that reuse is expected to save"},
	{"temporary_share", 0.5, "ratio", .not_above = "M3.temporary_share",
	 .meaning = "share of temporary ones from which a site is judged by M3 only"},
	LIMIT_OF_SIZE,
	LIMITS_OF_WIN,
	{0},
};

const struct rule rule_churn = {
	.id = "M2",
	.slug = "churn",
	.limits = churn_limits,
	.title = "The same room is allocated again and again",
	.summary = "a function allocates many times what it ever has live",
	.specific = 2,
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.sites = memory_rate_sql_recycled,
	.judge = add_churn,
	.why = "far more is allocated than ever lives at a time: the same room is given "
	       "back and asked for again",
	.advice = {"keep freed objects in a free list of the owner, or reuse the buffer",
		   "move the allocation out of the loop that calls it",
		   "let the caller pass the buffer in"},
	.proof = MEMORY_PROOF("alloc_bytes * 1.0 / peak_bytes AS churn, alloc_count, "
			      "alloc_bytes, peak_bytes, free_count",
			      "free_count >= 100 AND alloc_bytes >= {=churn_ratio} * "
			      "peak_bytes AND peak_bytes > 0 AND " NEITHER),
};

static const struct rule_limit temporary_limits[] = {
	{"temporary_share", 0.5, "ratio", .most = 1,
	 .meaning = "share of its blocks that a site frees with at most one other "
		    "allocation in between"},
	LIMITS_OF_WIN,
	{0},
};

const struct rule rule_temporary = {
	.id = "M3",
	.slug = "temporary-allocations",
	.limits = temporary_limits,
	.title = "Blocks that are freed at once",
	.summary =
		"most blocks of a function are freed with at most one other allocation "
		"in between",
	.specific = 2,
	.needs = MEASURED_ALLOCATIONS | MEASURED_WALL,
	.sites = memory_rate_sql_temporary,
	.judge = add_temporary,
	.why = "blocks are freed with at most one other allocation of the thread in "
	       "between",
	.advice = {"use a local array for the common size and the heap only above it",
		   "keep one buffer from call to call",
		   "pass a view (pointer and length) or move instead of copying"},
	.proof = MEMORY_PROOF("temporary_count, alloc_count, alloc_bytes",
			      "temporary_count >= 100 AND temporary_count >= "
			      "{=temporary_share} * alloc_count"),
};
