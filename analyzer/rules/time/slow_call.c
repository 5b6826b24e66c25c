/* SPDX-License-Identifier: MIT */
/*
 * Rule T0, the plain one: the mean duration of a function's calls. Must not blame a
 * caller for what its callees take: they are judged themselves.
 */
#include "analyzer/rules/rule.h"

#include "time_slow_call.sql.h"

static const struct rule_limit limits[] = {
	{"high_ns", 500e6, "ns",
	 .meaning = "mean duration of a call, waits for a CPU aside, above which the "
		    "finding is at least high"},
	{"medium_ns", 100e6, "ns", .not_above = "high_ns",
	 .meaning = "the same for medium"},
	{"low_ns", 50e6, "ns", .not_above = "medium_ns",
	 .meaning = "the same for low; a shorter mean is no finding"},
	{"self_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of its time that a function must compute itself: else its "
		    "callees are judged, or its waits"},
	{0},
};

const struct rule rule_slow_call = {
	.id = "T0",
	.slug = "slow-call",
	.limits = limits,
	.title = "Calls that take long",
	.summary = "the mean duration of a function's calls is above a limit",
	.specific = 0,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.sql = time_slow_call_sql_functions,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("mean per call", "ns", "mean_ns", "least_mean"),
			RULE_TELLS("calls", "count", "calls"),
			RULE_TELLS("p50 with hooks", "ns", "p50_ns"),
			RULE_TELLS("longest with hooks", "ns", "max_ns"),
			RULE_TELLS("computed itself, of the run", "percent", "held"),
			RULE_LEAST(NULL, NULL, "self_part", "self_share"),
			{0}},
	/* That it takes long does not say that it need not: its confidence is low. */
	.why = "each call computes for long by itself, whatever the number of calls",
	.advice = {"see what the call computes: its callees in 'prof-analyze callers'",
		   "split the work, or move it off the path that somebody waits for"},
	.proof =
		"SELECT name, calls, total_ns / calls AS mean_ns, p50_ns, max_ns, "
		"self_cpu_ns, self_ready_ns, self_blocked_ns FROM functions WHERE run_id "
		"= {run} AND function_id = {function_id}",
};
