/* SPDX-License-Identifier: MIT */
/*
 * The rules about who has the memory: M6 live at exit, M7 peak owner. Must not call what
 * is live at the exit a leak: a cache looks the same.
 */
#include "analyzer/rules/memory/owners.h"

#include "memory_live.sql.h"

enum exit_sum { LIVE_BYTES, LIVE_COUNT, ALLOCS, FREES };
enum peak_sum { PEAK_BYTES, PEAK_COUNT };

/* A small program's memory is nobody's trouble, however much of its peak it is. */
static double matter(struct rule_input *input, double bytes)
{
	return rule_share(bytes, rule_limit(input, "matters_bytes"));
}

static int add_at_exit(struct rule_input *input, struct findings *ret,
		       const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	struct finding *finding;

	if (sums[LIVE_BYTES] < rule_limit(input, "least_bytes") ||
	    sums[LIVE_BYTES] < rule_limit(input, "least_share") * input->peaks_bytes ||
	    sums[LIVE_COUNT] < rule_limit(input, "least_blocks"))
		return 0;
	finding = memory_owner_finding(input, ret, owner);
	memory_win_live(input, finding, sums[LIVE_BYTES], "live at exit,", "least_share");
	/* At one time that of the processes which lived then: at most in proportion. */
	finding->impact *=
		matter(input, sums[LIVE_BYTES] *
				      rule_share(input->peak_bytes, input->peaks_bytes));
	/* Hardly any was ever freed: nobody has the task. */
	if (sums[FREES] > rule_limit(input, "freed_share") * sums[ALLOCS])
		finding->confidence = CONFIDENCE_LOW;
	rule_evidence(input, finding, "live at exit", "bytes", sums[LIVE_BYTES],
		      "least_bytes");
	rule_evidence(input, finding, "blocks", "count", sums[LIVE_COUNT],
		      "least_blocks");
	rule_evidence(input, finding, "freed of its allocations", "percent",
		      rule_share(sums[FREES], sums[ALLOCS]), NULL);
	return 0;
}

static void add_at_peak(struct rule_input *input, struct findings *ret,
			const struct memory_owner *owner)
{
	double bytes = owner->sums[PEAK_BYTES];
	struct finding *finding;

	if (bytes < rule_limit(input, "least_share") * input->peak_bytes)
		return;
	finding = memory_owner_finding(input, ret, owner);
	/* The data does not show whether all of it is needed at once. */
	finding->confidence = CONFIDENCE_LOW;
	memory_win_bytes(input, finding, rule_limit(input, "recoverable") * bytes);
	finding->impact *= matter(input, bytes);
	rule_evidence(input, finding, "of the peak", "percent", bytes / input->peak_bytes,
		      "least_share");
	rule_evidence(input, finding, "live at the peak", "bytes", bytes, NULL);
	rule_evidence(input, finding, "blocks", "count", owner->sums[PEAK_COUNT], NULL);
	rule_evidence(input, finding, "peak of the run", "bytes", input->peak_bytes,
		      "least_bytes");
}

static int evaluate_at_peak(struct rule_input *input, struct findings *ret)
{
	struct memory_owners owners = {0};
	struct cursor *cursor;
	int result;

	if (input->peak_bytes < rule_limit(input, "least_bytes"))
		return RULE_DONE;
	cursor = rule_query(input, memory_live_sql_at_peak);
	result = memory_owners_load(input, cursor, &owners);
	if (owners.count)
		add_at_peak(input, ret, &owners.list[0]);
	memory_owners_free(&owners);
	return result;
}

static const struct rule_limit live_at_exit_limits[] = {
	{"least_share", 0.1, "ratio", .most = 1,
	 .meaning = "live at exit as a share of the peak, of several processes of "
		    "the sum of their peaks"},
	{"least_bytes", 1048576, "bytes", .not_above = "matters_bytes",
	 .meaning = "live at exit"},
	{"least_blocks", 100, "count",
	 .meaning = "blocks live at exit: fewer are taken for set up once"},
	{"matters_bytes", 67108864, "bytes",
	 .meaning = "live at exit below which it counts in proportion"},
	{"freed_share", 0.05, "ratio", .most = 1,
	 .meaning = "share freed above which the confidence is low"},
	{0},
};

const struct rule rule_live_at_exit = {
	.id = "M6",
	.slug = "live-at-exit",
	.limits = live_at_exit_limits,
	.title = "Memory that was never freed",
	.summary = "many blocks of a function are live at the exit, and are much of the "
		   "peak",
	.specific = 1,
	.needs = MEASURED_ALLOCATIONS | MEASURED_END,
	.sites = memory_live_sql_at_exit,
	.judge = add_at_exit,
	.why = "many blocks that it allocated were still live when the program ended",
	.advice = {"free the blocks when their last use is over",
		   "record with PROFSHIM_SNAPSHOT_EVERY=2s: the snapshots tell growth "
		   "from a table that fills up",
		   "bound the cache; or suppress the finding when the memory is meant to "
		   "stay"},
	.proof = MEMORY_PROOF("live_bytes, live_count, alloc_count, free_count",
			      "live_count > 0"),
	/* Whether it grew, or was built once and kept, is not known: M5 tells. */
	.most = SEVERITY_MEDIUM,
};

static const struct rule_limit peak_owner_limits[] = {
	{"least_share", 0.5, "ratio", .most = 1, .meaning = "share of the peak"},
	{"least_bytes", 16777216, "bytes", .not_above = "matters_bytes",
	 .meaning = "peak of the run below which it does not matter"},
	{"matters_bytes", 67108864, "bytes",
	 .meaning = "live at the peak below which it counts in proportion"},
	{"recoverable", 0.5, "ratio", .most = 1,
	 .meaning = "part of it that working in parts is expected to save"},
	{"wrapper_callers", 4, "count", .most = 16,
	 .meaning = "callers from which a function can be an allocator wrapper, whose "
		    "callers all memory rules name in its place; at most 16"},
	{"wrapper_sizes", 4, "count", .most = 16,
	 .meaning = "mean sizes of its blocks that a wrapper has at least, by call path; "
		    "at most 16"},
	{"wrapper_blocks", 1.1, "ratio",
	 .meaning = "blocks in a call that a wrapper, or a function between wrappers, "
		    "makes at most"},
	{"wrapper_least", 0.01, "ratio", .not_above = "wrapper_blocks",
	 .meaning = "blocks in a call that a wrapper makes at least"},
	{"wrapper_calls", 16, "ratio",
	 .meaning = "calls, with those below, that a call of a wrapper makes at most"},
	{0},
};

const struct rule rule_peak_owner = {
	.id = "M7",
	.slug = "peak-owner",
	.limits = peak_owner_limits,
	.title = "One function has most of the peak",
	.summary = "one function's blocks are at least half of what is live at the peak",
	.specific = 0,
	.needs = MEASURED_ALLOCATIONS,
	.evaluate = evaluate_at_peak,
	.why = "one function has most of the memory at the moment of the peak",
	.advice = {"work on the data in parts instead of having all of it in memory",
		   "free what is no longer needed before the peak is reached: "
		   "'prof-analyze memory' shows what is live then",
		   "use a smaller form: narrower types, indices for pointers, no second "
		   "copy"},
	.proof = MEMORY_PROOF("at_peak_bytes, at_peak_count, peak_bytes",
			      "at_peak_bytes > 0"),
	/* It says where the memory is, not that it need not be there. */
	.most = SEVERITY_MEDIUM,
};
