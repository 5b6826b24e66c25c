/* SPDX-License-Identifier: MIT */
/*
 * Rules T2 and T3: calls that are too many, of tiny functions or of one callee for each
 * call of its caller. Must not count the hooks' cost as a gain: it is not in the
 * corrected times.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_calls.sql.h"

#include <math.h>
#include <string.h>

/* What a call does up to this long is hardly more than the call: what is told of it hangs
 * on how well the hooks' cost was subtracted. */
static double tiny_ns(struct rule_input *input)
{
	return fmax(rule_limit(input, "tiny_hooks") * input->hook_cost_ns,
		    rule_limit(input, "tiny_ns"));
}

static const struct rule_limit tiny_calls_limits[] = {
	{"least_calls", 100000, "count", .meaning = "calls"},
	{"tiny_ns", 100, "ns",
	 .meaning = "what a function computes itself in a call up to which it is tiny"},
	{"tiny_hooks", 3, "ratio",
	 .meaning = "the same in costs of a hook pair; the larger one counts"},
	{"call_ns", 1.8, "ns",
	 .meaning = "cost of a call against the inlined code; measured, see "
		    "docs/rules-calibration.md"},
	{"least_share", 0.01, "ratio", .most = 1,
	 .meaning = "share of the run that the calls must cost"},
	{"hooks_error", 0.05, "ratio", .most = 1,
	 .meaning = "part of the hooks' cost that may belong to the run: so much is "
		    "added to it"},
	{0},
};

const struct rule rule_tiny_calls = {
	.id = "T2",
	.slug = "tiny-call-storm",
	.limits = tiny_calls_limits,
	.title = "Very many calls of a function that does very little",
	.summary = "a function is called so often, and does so little, that the calls "
		   "themselves are the cost",
	.specific = 2,
	/* What is inlined loses its hooks: recordings with hooks differ by those. */
	.verify = "prof-record --repeat 10 --against './before' -- ./after, both built "
		  "without hooks",
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL,
	.sql = time_calls_sql_tiny,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("calls", "count", "calls", "least_calls"),
			RULE_MOST("computed per call", "ns", "call_cpu", "most_ns"),
			RULE_TELLS("inlined, not counted here", "count", "inlined"),
			RULE_TELLS("cost of a call", "ns", "cost_ns"),
			RULE_TELLS("share of the run", "percent", "won"),
			RULE_TELLS("hooks, already subtracted", "ns", "hooks_ns"),
			RULE_MOST(NULL, NULL, "most_cpu", "most_ns"),
			RULE_LEAST(NULL, NULL, "won", "least_share"),
			{0}},
	.why = "each call does so little that calling it is a large part of its cost, "
	       "unless it is inlined without the hooks",
	.advice = {"let the compiler inline it: static, in a header, or link-time "
		   "optimisation",
		   "give it many items at once, or move the loop into it",
		   "call it outside the loop when its result does not change",
		   "leave it out of the recording: "
		   "-finstrument-functions-exclude-function-list"},
	.proof = "SELECT name, calls, inlined_calls, self_cpu_ns, CAST(self_cpu_ns AS "
		 "REAL) "
		 "/ (calls - inlined_calls) AS mean_cpu_ns, raw_self_ns FROM functions "
		 "WHERE run_id = {run} AND function_id = {function_id}",
};

static bool is_region(const struct calltree *tree, const struct calltree_node *node)
{
	return node->function != CALLTREE_NONE &&
	       tree->functions[node->function].is_region;
}

/* How it is asked for is told by what it moved, or waited for: not by its calls. */
static bool is_libc(const struct calltree *tree, const struct calltree_node *node)
{
	return node->function != CALLTREE_NONE && tree->functions[node->function].is_libc;
}

/* The function that calls it, whatever regions are around the call; or CALLTREE_NONE. */
static uint32_t caller_of(const struct calltree *tree, const struct calltree_node *node)
{
	uint32_t at = node->parent;

	/* What is in the tree's order is on no ring of parents. */
	while (at != CALLTREE_NONE && is_region(tree, &tree->nodes[at]))
		at = tree->nodes[at].parent;
	return at;
}

/* A wait for a CPU is the machine's, in the callee and so in its caller. */
static double served_ns(const struct calltree_node *node)
{
	return (double)(node->total_ns - node->ready_ns);
}

static int add_chatty(struct rule_input *input, struct findings *ret,
		      const struct calltree_node *node)
{
	uint32_t caller = caller_of(input->tree, node);
	const struct calltree_node *parent = &input->tree->nodes[caller];
	double run_ns = input->time_run->run_ns, ratio, held_ns;
	double calls = (double)node->calls;
	double total_ns = served_ns(node);
	struct finding *finding;
	int result = time_run_path(input, node->path_id, total_ns, &held_ns);

	if (result < 0 || held_ns < rule_limit(input, "run_share") * run_ns)
		return result;
	ratio = calls / (double)parent->calls;
	if (held_ns * rule_share(rule_least(total_ns, (double)node->total_error_ns),
				 total_ns) <
	    rule_limit(input, "run_share") * run_ns)
		return 0;
	finding = rule_add_path(input, ret, node->path_id);
	finding->saving_ns = held_ns * (1 - 1 / rule_limit(input, "assumed_batch"));
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "calls for each call of its caller", "ratio",
			       ratio, rule_limit(input, "calls_per_call"));
	finding_evidence_limit(finding, "share of its caller", "percent",
			       100 * rule_share(total_ns, served_ns(parent)),
			       100 * rule_limit(input, "caller_share"));
	finding_evidence_limit(finding, "share of the run", "percent",
			       100 * rule_share(held_ns, run_ns),
			       100 * rule_limit(input, "run_share"));
	finding_evidence(finding, "calls", "count", calls);
	finding_evidence(finding, "time per call", "ns", total_ns / calls);
	finding_evidence_error(finding, (double)node->total_error_ns / calls);
	finding_evidence(finding, "calls of its caller", "count", (double)parent->calls);
	finding->why = rule_text(input, "each call of %s calls it %.0f times on average",
				 calltree_name(input->tree, caller), ratio);
	finding_advise(finding, "ask for many at once: one call that takes a list",
		       "keep what was found, so that the same is not asked twice",
		       "move the loop into the callee, where set-up is done once");
	finding->sql = rule_text(
		input,
		"SELECT a.name AS caller, a.calls AS caller_calls, b.name AS callee, "
		"b.calls, CAST(b.calls AS REAL) / a.calls AS calls_per_call, b.total_ns, "
		"CAST(b.total_ns AS REAL) / a.total_ns AS share_of_caller FROM "
		"call_paths b JOIN call_paths a ON a.path_id = %lld WHERE b.run_id = "
		"%lld AND b.path_id = %lld",
		(long long)parent->path_id, (long long)input->run_id,
		(long long)node->path_id);
	return 0;
}

static bool is_chatty(struct rule_input *input, const struct calltree_node *node,
		      double least_ns, double ratio)
{
	double total_ns = rule_least(served_ns(node), (double)node->total_error_ns);
	const struct calltree_node *parent;
	uint32_t caller;

	if (node->is_frame || !node->calls || total_ns < least_ns ||
	    is_region(input->tree, node) || is_libc(input->tree, node))
		return false;
	caller = caller_of(input->tree, node);
	if (caller == CALLTREE_NONE)
		return false;
	parent = &input->tree->nodes[caller];
	return !parent->is_frame && parent->calls > 0 &&
	       parent->function != node->function &&
	       (double)parent->calls >= rule_limit(input, "least_caller_calls") &&
	       (double)node->calls >= ratio * (double)parent->calls &&
	       total_ns >= rule_limit(input, "caller_share") * served_ns(parent) &&
	       total_ns > tiny_ns(input) * (double)node->calls;
}

static int evaluate_chatty(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	double least_ns, ratio = rule_limit(input, "calls_per_call");

	least_ns = rule_limit(input, "run_share") * run->run_ns;
	for (size_t i = 0; i < input->tree->order_count; i++) {
		const struct calltree_node *node =
			&input->tree->nodes[input->tree->order[i]];
		int result = is_chatty(input, node, least_ns, ratio)
				     ? add_chatty(input, ret, node)
				     : 0;

		if (result < 0)
			return result;
	}
	return RULE_DONE;
}

static const struct rule_limit chatty_edge_limits[] = {
	{"calls_per_call", 100, "ratio",
	 .meaning = "calls of the callee for each call of its caller"},
	{"least_caller_calls", 100, "count",
	 .meaning = "calls of the caller: the loop of main(), or of an interpreter that "
		    "is entered a few times, is no chat"},
	{"tiny_ns", 100, "ns", .meaning = "time per call up to which T2 judges"},
	{"tiny_hooks", 3, "ratio",
	 .meaning = "the same in costs of a hook pair; the larger one counts"},
	{"caller_share", 0.3, "ratio", .most = 1,
	 .meaning = "share of the caller's time that the callee must hold"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the run that it must hold"},
	{"assumed_batch", 2, "ratio", .least = 1,
	 .meaning = "calls that one call in their place is assumed to answer at the cost "
		    "of one"},
	{0},
};

const struct rule rule_chatty_edge = {
	.id = "T3",
	.slug = "chatty-edge",
	.limits = chatty_edge_limits,
	.title = "Many calls of one callee for each call of its caller",
	.summary =
		"a function calls another one hundreds of times per call, and that is a "
		"large share of its time",
	.specific = 2,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL,
	.evaluate = evaluate_chatty,
};
