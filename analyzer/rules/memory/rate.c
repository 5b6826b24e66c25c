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

static struct cursor *query(struct rule_input *input, const char *sql)
{
	struct cursor *cursor = rule_query(input, sql);

	cursor_bind_real(cursor, ":temporary", rule_limit(input, "temporary_share"));
	if (sql != memory_rate_sql_temporary) {
		cursor_bind_real(cursor, ":ratio", rule_limit(input, "churn_ratio"));
		cursor_bind_real(cursor, ":big", rule_limit(input, "big_bytes"));
	}
	return cursor;
}

/* Returns NULL when the saving is below the rule's least share. */
static struct finding *add(struct rule_input *input, struct findings *ret,
			   const struct memory_owner *owner, double critical_pairs,
			   double pairs)
{
	double ns = critical_pairs * rule_limit(input, "pair_ns");
	struct finding *finding;

	if (rule_share(ns, memory_run_ns(input)) < rule_limit(input, "least_share"))
		return NULL;
	finding = owner ? memory_owner_finding(input, ret, owner) : rule_add(input, ret);
	memory_win_time(input, finding, ns);
	finding->saving_allocs = pairs;
	return finding;
}

/* What the queries of M1 and M2 ask of a site, so that no other rule judges it. */
static const char *neither(struct rule_input *input)
{
	return rule_text(input,
			 "alloc_bytes < %.15g * alloc_count AND temporary_count < %.15g "
			 "* alloc_count AND 2 * realloc_count < alloc_count",
			 rule_limit(input, "big_bytes"),
			 rule_limit(input, "temporary_share"));
}

static void add_rate(struct rule_input *input, struct findings *ret,
		     const struct memory_owner *owner, const double *sums)
{
	double per_s = input->alloc_count / (input->wall_ns / 1e9);
	struct finding *finding =
		add(input, ret, owner, sums[CRITICAL_PAIRS], sums[ALLOCS]);

	if (!finding)
		return;
	finding_evidence_limit(finding, "allocations of the run", "per_s", per_s,
			       rule_limit(input, "per_s"));
	finding_evidence(finding, owner ? "of them here" : "of them spread", "count",
			 sums[ALLOCS]);
	finding_evidence(finding, "share", "percent",
			 100 * rule_share(sums[ALLOCS], input->alloc_count));
	finding_evidence(finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS]);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
	finding->why = "many blocks are allocated for each second of the run, and they "
		       "stay for a while";
	finding_advise(
		finding,
		"allocate many at a time: an arena or a pool that is freed at once",
		"reserve the container's final size before filling it",
		"keep the data in one array instead of linked blocks");
	finding->sql = memory_sites_sql(
		input, owner, "alloc_count, alloc_bytes, free_count, peak_bytes",
		rule_text(input,
			  "alloc_count >= 100 AND %s AND (alloc_bytes < %.15g * "
			  "peak_bytes OR free_count < 100)",
			  neither(input), rule_limit(input, "churn_ratio")));
}

static int evaluate_rate(struct rule_input *input, struct findings *ret)
{
	double all[MEMORY_SUMS] = {0}, share = rule_limit(input, "owner_share");
	struct memory_owners owners = {0};
	size_t before = ret->count;
	int result;

	if (input->alloc_count < rule_limit(input, "per_s") * input->wall_ns / 1e9)
		return RULE_DONE;
	result = memory_owners_load(input, query(input, memory_rate_sql_others), &owners);
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
	finding_evidence_limit(finding, "bytes allocated / most live", "ratio",
			       sums[BYTES] / sums[PEAK_BYTES],
			       rule_limit(input, "churn_ratio"));
	finding_evidence_limit(finding, "allocations", "count", sums[ALLOCS],
			       rule_limit(input, "least_allocs"));
	finding_evidence(finding, "allocated", "bytes", sums[BYTES]);
	finding_evidence(finding, "most live at a time", "bytes", sums[PEAK_BYTES]);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
	finding->why =
		"far more is allocated than ever lives at a time: the same room is "
		"given back and asked for again";
	finding_advise(
		finding,
		"keep freed objects in a free list of the owner, or reuse the buffer",
		"move the allocation out of the loop that calls it",
		"let the caller pass the buffer in");
	finding->sql = memory_sites_sql(
		input, owner,
		"alloc_bytes * 1.0 / peak_bytes AS churn, alloc_count, alloc_bytes, "
		"peak_bytes, free_count",
		rule_text(input,
			  "free_count >= 100 AND alloc_bytes >= %.15g * peak_bytes AND "
			  "peak_bytes > 0 AND %s",
			  rule_limit(input, "churn_ratio"), neither(input)));
	return 0;
}

static int evaluate_churn(struct rule_input *input, struct findings *ret)
{
	return memory_owners_judge(input, ret, query(input, memory_rate_sql_recycled),
				   add_churn);
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
	finding_evidence_limit(finding, "temporary of the allocations here", "percent",
			       100 * sums[PAIRS] / sums[ALLOCS],
			       100 * rule_limit(input, "temporary_share"));
	finding_evidence(finding, "temporary", "count", sums[PAIRS]);
	finding_evidence(finding, "of the run's allocations", "percent",
			 100 * rule_share(sums[PAIRS], input->alloc_count));
	finding_evidence(finding, "mean size", "bytes", sums[BYTES] / sums[ALLOCS]);
	memory_time_evidence(input, finding, "pair_ns", "cost of malloc and free");
	finding->why = "blocks are freed with at most one other allocation of the thread "
		       "in between";
	finding_advise(finding,
		       "use a local array for the common size and the heap only above it",
		       "keep one buffer from call to call",
		       "pass a view (pointer and length) or move instead of copying");
	finding->sql = memory_sites_sql(
		input, owner, "temporary_count, alloc_count, alloc_bytes",
		rule_text(input,
			  "temporary_count >= 100 AND temporary_count >= %.15g * "
			  "alloc_count",
			  rule_limit(input, "temporary_share")));
	return 0;
}

static int evaluate_temporary(struct rule_input *input, struct findings *ret)
{
	return memory_owners_judge(input, ret, query(input, memory_rate_sql_temporary),
				   add_temporary);
}

static const struct rule_limit allocation_rate_limits[] = {
	{"per_s", 100000, "per_s", .meaning = "allocations of the run per second"},
	{"owner_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of the allocations from which a function is named"},
	{"temporary_share", 0.5, "ratio", .not_above = "M3.temporary_share",
	 .meaning = "share of temporary ones from which a site is judged by M3 only"},
	{"churn_ratio", 10, "ratio", .not_above = "M2.churn_ratio",
	 .meaning = "bytes allocated over most bytes live from which blocks count as "
		    "recycled"},
	{"big_bytes", 131072, "bytes",
	 .meaning =
		 "mean size from which blocks are judged by M8 (malloc's mmap threshold)",
	 .not_above = "M8.big_bytes"},
	{"pair_ns", 8, "ns", .meaning = "CPU time of a malloc and its free"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
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
	{"big_bytes", 131072, "bytes",
	 .meaning =
		 "mean size from which blocks are judged by M8 (malloc's mmap threshold)",
	 .not_above = "M8.big_bytes"},
	{"pair_ns", 8, "ns", .meaning = "CPU time of a malloc and its free"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
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
	.evaluate = evaluate_churn,
};

static const struct rule_limit temporary_limits[] = {
	{"temporary_share", 0.5, "ratio", .most = 1,
	 .meaning = "share of its blocks that a site frees with at most one other "
		    "allocation in between"},
	{"pair_ns", 8, "ns", .meaning = "CPU time of a malloc and its free"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that must be won at least"},
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
	.evaluate = evaluate_temporary,
};
