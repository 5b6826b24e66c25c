/* SPDX-License-Identifier: MIT */
/*
 * Rules T1 and T9: functions that compute for much of the run themselves, in many calls
 * or in one. Must not count waits; nor say computed where it was not told from them.
 */
#include "analyzer/rules/rule.h"

#include "time_self.sql.h"

extern const struct rule rule_tiny_calls;

static const char proof[] =
	"SELECT name, calls, self_cpu_ns, self_ready_ns, self_blocked_ns, total_ns, "
	"p50_ns, "
	"max_ns FROM functions WHERE run_id = {run} AND function_id = {function_id}";

static const struct rule_limit hot_leaf_limits[] = {
	{"self_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the run that the function must compute itself"},
	{"self_part", 0.5, "ratio", .most = 1,
	 .meaning =
		 "part of what is computed at and below it that it must compute itself"},
	{"least_hooks", 2, "ratio", .not_above = "sure_hooks",
	 .meaning = "what it computes in a call, in costs of a hook pair, below which T2 "
		    "judges alone"},
	{"sure_hooks", 4, "ratio",
	 .meaning = "the same below which the confidence is low"},
	{"alloc_ns", 300, "ns",
	 .meaning = "what it computes for each allocation of its own, below which the "
		    "confidence is low: much of it is malloc's"},
	{"least_by_hooks", 0.5, "ratio",
	 .meaning =
		 "what it computes, by what was subtracted for hooks: less hangs on how "
		 "exact that is"},
	{"spun_part", 0.5, "ratio", .most = 1,
	 .meaning =
		 "part of its samples in libraries that wait by asking again and again "
		 "(MPI, OpenMP), from which on it is said to wait"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of it that a fix is assumed to save: twice as fast"},
	{0},
};

const struct rule rule_hot_leaf = {
	.id = "T1",
	.slug = "hot-leaf",
	.limits = hot_leaf_limits,
	.title = "Code that computes for much of the run itself",
	.summary = "a function itself, not what it calls, computes for a large share "
		   "of the run",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_tiny_calls, NULL},
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL,
	.sql = time_self_sql_functions,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("self share of the run", "percent", "held",
				   "self_share"),
			RULE_TELLS("computed itself", "ns", "cpu_ns"),
			RULE_TELLS("self share of that with what it calls", "percent",
				   "self_part"),
			RULE_TELLS("calls", "count", "calls"),
			RULE_TELLS("computed per call", "ns", "call_ns"),
			RULE_TELLS("waited besides", "ns", "waited_ns"),
			RULE_TELLS("of its samples, waiting for others", "percent",
				   "in_spins"),
			/* whatever the error of its time makes of it */
			RULE_LEAST(NULL, NULL, "sure_held", "self_share"),
			RULE_LEAST(NULL, NULL, "self_part", "self_part"),
			RULE_LEAST(NULL, NULL, "by_hooks", "least_by_hooks"),
			RULE_LEAST(NULL, NULL, "by_hook", "least_hooks"),
			{0}},
	.advice = {"{less}", "{sooner}", "{inside}"},
	.proof = proof,
};

static const struct rule_limit long_call_limits[] = {
	{"least_ns", 1e8, "ns", .meaning = "what one call computes itself"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "the same as a share of the run"},
	{"spun_part", 0.5, "ratio", .most = 1,
	 .meaning =
		 "part of its samples in libraries that wait by asking again and again "
		 "(MPI, OpenMP), from which on it is said to wait"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of it that a fix is assumed to save"},
	{0},
};

const struct rule rule_long_call = {
	.id = "T9",
	.slug = "long-call",
	.limits = long_call_limits,
	.title = "One call that computes for long",
	.summary = "a single call itself computes for a large share of the run",
	.specific = 1,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.sql = time_self_sql_functions,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("computed by one call itself", "ns", "one_ns",
				   "least_ns"),
			RULE_LEAST("share of the run", "percent", "one_held",
				   "run_share"),
			RULE_TELLS("calls", "count", "calls"),
			RULE_TELLS("of its samples, waiting for others", "percent",
				   "in_spins"),
			RULE_TELLS("p50 of its calls", "ns", "p50_ns"),
			RULE_LEAST(NULL, NULL, "sure_one_ns", "least_ns"),
			RULE_LEAST(NULL, NULL, "sure_one_held", "run_share"),
			{0}},
	.advice = {"{less}", "{sooner}", "{inside}"},
	.proof = proof,
};
