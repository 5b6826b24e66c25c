/* SPDX-License-Identifier: MIT */
/*
 * Rule T14: where the time most likely goes, though the hooks hide how much. Two numbers
 * must agree: the calls within a function's code, which are exact, and what is left
 * of its time once the hooks are subtracted, which may be an error as large as itself.
 * The calls rank: of thirteen C++ programs with hooks in all headers they named what perf
 * sees on the build without more often than that time (docs/rules-calibration.md). Must
 * not speak where hooks take little.
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"
#include "analyzer/rules/time/run.h"

#include "time_likely_hot.sql.h"

#include <stdlib.h>

/* Whose code a node's calls are made in: an inlined copy has its host's, a region its
 * function's, and what a library does on the way it does for who called it. Never asks
 * above a root. */
static uint32_t code_of(const struct calltree *tree, const uint32_t *codes, uint32_t node)
{
	const struct calltree_node *at = &tree->nodes[node];
	bool is_others = at->is_inlined || at->function == CALLTREE_NONE ||
			 tree->functions[at->function].is_library ||
			 tree->functions[at->function].is_region;

	return is_others && at->parent != CALLTREE_NONE ? codes[at->parent] : node;
}

/* A region that begins is no call, and libc is called without hooks. */
static int64_t calls_of(const struct calltree *tree, const struct calltree_node *node)
{
	const struct calltree_function *function =
		node->function == CALLTREE_NONE ? NULL : &tree->functions[node->function];

	return function && !function->is_region && !function->is_libc ? node->calls : 0;
}

extern const struct rule rule_hot_leaf;

/* T1 is asked before: what it found has a time that is known. */
static bool is_judged(const struct findings *findings, int64_t function_id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].rule == &rule_hot_leaf &&
		    findings->list[i].function_id == function_id)
			return true;
	return false;
}

/* Keeps the table made: function_id, calls of what is inlined in its code, and of
 * libraries on its behalf; of 0, all there are. Without the functions that T1 judged. */
static int keep_made(struct rule_input *input, const struct findings *findings)
{
	const struct calltree *tree = input->tree;
	uint32_t *codes = xcalloc(tree->node_count + 1, sizeof(*codes));
	struct sums made = {.count = 0};
	int result;

	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t node = tree->order[i], code = code_of(tree, codes, node);
		uint32_t maker = tree->nodes[code].function;
		int64_t calls = calls_of(tree, &tree->nodes[node]);

		codes[node] = code;
		sums_add(&made, 0, 0, 0, calls);
		/* what is called by itself has code of its own */
		if (code != node && maker != CALLTREE_NONE &&
		    !is_judged(findings, tree->functions[maker].function_id))
			sums_add(&made, tree->functions[maker].function_id, 0, 0, calls);
	}
	result = rundb_keep_sums(input->db, "made", "function_id", "calls", &made);
	sums_done(&made);
	free(codes);
	return result;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	int result;

	if (rule_share(run->hooks_ns, run->hooks_ns + run->run_ns) <
	    rule_limit(input, "hooks_share"))
		return RULE_DONE;
	result = keep_made(input, ret);
	return result ? result : rule_look(input, ret);
}

static const struct rule_limit limits[] = {
	{"hooks_share", 0.2, "ratio", .most = 1,
	 .meaning = "share that the hooks took of the run: with less T1 judges"},
	{"made_share", 0.3, "ratio", .most = 1,
	 .meaning =
		 "share of the run's calls that are in the function's code: of what is "
		 "inlined in it, and what libraries do for it"},
	{"made_each", 10, "count", .meaning = "such calls for each of its own"},
	{"least_calls", 100000, "count", .meaning = "such calls"},
	{"self_share", 0.05, "ratio", .most = 1,
	 .meaning = "share that the function has of the self time that is left without "
		    "the hooks"},
	{"least_error", 0.1, "ratio",
	 .meaning = "error of that time by the time, below which T1 judges"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of the calls that a fix is assumed to save: it weighs the "
		    "finding, and is not told, for their time is not known"},
	{0},
};

const struct rule rule_likely_hot = {
	.id = "T14",
	.slug = "likely-hot",
	.limits = limits,
	.title = "Much of the run's calls, in code whose time the hooks hide",
	.summary = "much of the run's calls is in a function's code, inlined or of "
		   "libraries, and what is left of its time is not known well",
	.needs = MEASURED_CALLS,
	.most = SEVERITY_MEDIUM,
	.sql = time_likely_hot_sql_functions,
	.evaluate = evaluate,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("calls in its code, of all", "percent", "made_part",
				   "made_share"),
			RULE_LEAST("for each call of it", "count", "made_per_call",
				   "made_each"),
			RULE_TELLS("calls of it", "count", "calls"),
			RULE_LEAST("of the self time that is left", "percent",
				   "self_part", "self_share"),
			RULE_TELLS("that is", "ns", "cpu_ns"),
			RULE_LEAST(NULL, NULL, "made", "least_calls"),
			RULE_LEAST(NULL, NULL, "by_time", "least_error"),
			{0}},
	.why = "its loops make these calls, so the time most likely goes there; the "
	       "calls are exact, how long they take without hooks is not known",
	.advice = {"do less: look for what it scans or computes again each time",
		   "see the lines with 'perf annotate' on the build without hooks",
		   "have its time: build with fewer hooks, 'prof-analyze exclude-list "
		   "--program PROGRAM' says how"},
	.proof = "SELECT name, calls, self_cpu_ns, self_error_ns, raw_self_ns FROM "
		 "functions WHERE run_id = {run} AND function_id = {function_id}",
};
