/* SPDX-License-Identifier: MIT */
/*
 * Rules T2 and T3: calls that are too many, of tiny functions or of one callee for each
 * call of its caller. Must not count the hooks' cost as a gain: it is not in the
 * corrected times.
 */
#include "analyzer/rules/rule.h"

#include "time_calls.sql.h"

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
	.sql = time_calls_sql_chatty,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("calls for each call of its caller", "ratio",
				   "per_call", "calls_per_call"),
			RULE_LEAST("share of its caller", "percent", "of_caller",
				   "caller_share"),
			RULE_LEAST("share of the run", "percent", "held", "run_share"),
			RULE_TELLS("calls", "count", "calls"),
			RULE_TELLS("time per call", "ns", "call_ns"),
			RULE_TELLS("calls of its caller", "count", "caller_calls"),
			RULE_LEAST(NULL, NULL, "caller_calls", "least_caller_calls"),
			RULE_LEAST(NULL, NULL, "least_of_caller", "caller_share"),
			RULE_LEAST(NULL, NULL, "least_held", "run_share"),
			{0}},
	.advice = {"ask for many at once: one call that takes a list",
		   "keep what was found, so that the same is not asked twice",
		   "move the loop into the callee, where set-up is done once"},
	.proof =
		"SELECT a.name AS caller, a.calls AS caller_calls, b.name AS callee, "
		"b.calls, CAST(b.calls AS REAL) / a.calls AS calls_per_call, b.total_ns, "
		"CAST(b.total_ns AS REAL) / a.total_ns AS share_of_caller FROM "
		"call_paths "
		"b JOIN call_paths a ON a.path_id = {caller_id} WHERE b.run_id = {run} "
		"AND b.path_id = {path_id}",
};
