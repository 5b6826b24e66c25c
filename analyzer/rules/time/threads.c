/* SPDX-License-Identifier: MIT */
/*
 * Rule T11: threads that began in the same function and were busy for unequal times.
 * Must not promise more than the machine's CPUs can give.
 */
#include "analyzer/rules/rule.h"

#include "time_threads.sql.h"

static const struct rule_limit limits[] = {
	{"longest_by_mean", 1.5, "ratio", .least = 1,
	 .meaning = "what the busiest thread computed, by the mean"},
	{"run_share", 0.2, "ratio", .most = 1,
	 .meaning = "the same as a share of the run"},
	{0},
};

const struct rule rule_thread_imbalance = {
	.id = "T11",
	.slug = "thread-imbalance",
	.limits = limits,
	.title = "Threads with unequal work",
	.summary =
		"of the threads that began in one function, one was busy far longer than "
		"the mean",
	.specific = 1,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.sql = time_threads_sql_alike,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("longest by mean", "ratio", "by_mean",
				   "longest_by_mean"),
			RULE_LEAST("longest thread, of the run", "percent", "held",
				   "run_share"),
			RULE_TELLS("longest", "ns", "longest_ns"),
			RULE_TELLS("mean", "ns", "mean_ns"),
			RULE_TELLS("threads", "count", "threads"),
			RULE_TELLS("CPUs", "count", "cpus"),
			RULE_LEAST(NULL, NULL, "least_by_mean", "longest_by_mean"),
			RULE_LEAST(NULL, NULL, "least_held", "run_share"),
			{0}},
	.why = "one of the threads that began here worked long after the mean of them "
	       "had "
	       "ended",
	.advice =
		{"hand out the work in smaller pieces, from one queue, while threads are "
		 "free",
		 "begin with the largest pieces",
		 "see what each thread did: 'prof-analyze tree --thread'"},
	.proof =
		"SELECT t.name, t.tid, s.calls, s.cpu_ns, s.ready_ns, s.blocked_ns FROM "
		"path_lane s JOIN threads t USING (lane_id) WHERE t.run_id = {run} AND "
		"s.path_id = {path_id} AND t.process_id = {process_id} ORDER BY s.cpu_ns "
		"DESC",
};
