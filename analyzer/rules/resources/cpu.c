/* SPDX-License-Identifier: MIT */
/*
 * Rules R1 to R4: a program that leaves the CPU idle, one that wants all CPUs of the
 * machine, one that does not get them, and one whose threads take them from each other.
 * Must not take the wait for a CPU on a busy machine for idleness; nor name a function
 * unless it waited for at least half of the time.
 */
#include "analyzer/rules/rule.h"

#include "resources_cpu.sql.h"

static const char proof[] = "SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, "
			    "blocked_ns FROM threads "
			    "WHERE run_id = {run} ORDER BY wall_ns DESC";

#define LEAST_NS                                                                         \
	{                                                                                \
		"least_ns", 2e8, "ns",                                                   \
			.meaning = "threads that lived for less together are not judged" \
	}

static const struct rule_limit cpu_low_limits[] = {
	{"cpu", 0.5, "ratio", .most = 1,
	 .meaning = "of one CPU, on average over the run less its waits for a CPU"},
	LEAST_NS,
	{0},
};

const struct rule rule_cpu_low = {
	.id = "R1",
	.slug = "cpu-low",
	.limits = cpu_low_limits,
	.title = "The CPU is idle while the run lasts",
	.summary =
		"the program neither computes nor wishes to for a large part of the run",
	.specific = 0,
	.needs = MEASURED_WALL | MEASURED_CPU,
	.sql = resources_cpu_sql_low,
	.values =
		(const struct rule_value[]){
			RULE_MOST("CPU, while none was waited for", "percent", "used",
				  "cpu"),
			RULE_TELLS("computed", "ns", "cpu_ns"),
			RULE_TELLS("waited for a CPU", "ns", "ready_ns"),
			RULE_TELLS("slept", "ns", "blocked_ns"),
			RULE_TELLS("threads", "count", "threads"),
			RULE_MOST(NULL, NULL, "used_or_work", "cpu"),
			{0}},
	.why = "the program slept for most of the run; {place}",
	.advice = {"see what it waits for: 'prof-analyze flamegraph --metric blocked'",
		   "do several waits at once, or work while waiting",
		   "of a program that is meant to wait: nothing; suppress this rule"},
	.proof = proof,
};

static const struct rule_limit cpu_high_limits[] = {
	{"machine", 0.9, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed and waited for, on average"},
	{"had", 0.5, "ratio", .most = 1,
	 .meaning =
		 "of all CPUs: computed, on average; with less, other programs had them"},
	LEAST_NS,
	{0},
};

const struct rule rule_cpu_high = {
	.id = "R2",
	.slug = "cpu-high",
	.limits = cpu_high_limits,
	.title = "The machine's CPUs are all taken",
	.summary = "several threads wish for nearly all CPUs of the machine, or for more",
	.specific = 0,
	.needs = MEASURED_WALL | MEASURED_CPU,
	.sql = resources_cpu_sql_wished,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("CPU of the machine, computed and wished for",
				   "percent", "machine", "machine"),
			RULE_TELLS("CPUs", "count", "cpus"),
			RULE_TELLS("waited for a CPU, of what was wished", "percent",
				   "ready"),
			RULE_TELLS("threads that wished for one most of the time",
				   "count", "busy"),
			RULE_LEAST(NULL, NULL, "busy", "two"),
			RULE_LEAST(NULL, NULL, "had", "had"),
			{0}},
	.why = "the threads wish for all that the machine has: more of them would not be "
	       "faster",
	.advice = {"reduce the work itself: see the findings about functions",
		   "leave room when other programs run on the machine: a limit, or nice"},
	.proof = proof,
	/* Nothing to win by itself: a limit that has been reached. */
	.least = SEVERITY_LOW,
};

static const struct rule_limit starved_limits[] = {
	{"ready", 0.5, "ratio", .most = 1,
	 .meaning = "waited for a CPU, of what was computed and waited for"},
	{"had", 0.5, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed, on average; with less, its own threads "
		    "did not take them, however many they are"},
	LEAST_NS,
	{0},
};

const struct rule rule_starved = {
	.id = "R3",
	.slug = "starved",
	.limits = starved_limits,
	.title = "Ready to compute, without a CPU",
	.summary = "the program waited for a CPU for a large part of what it wished for, "
		   "and not for its own threads",
	.specific = 1,
	.needs = MEASURED_WALL | MEASURED_CPU,
	.sql = resources_cpu_sql_wished,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("waited for a CPU, of what was wished", "percent",
				   "ready", "ready"),
			RULE_TELLS("waited for a CPU", "ns", "ready_ns"),
			RULE_TELLS("computed", "ns", "cpu_ns"),
			RULE_TELLS("CPUs", "count", "cpus"),
			RULE_TELLS("threads that wished for one most of the time",
				   "count", "busy"),
			RULE_MOST(NULL, NULL, "rivals", "cpus"),
			{0}},
	.why = "the program was ready to compute and had no CPU, and its own threads "
	       "are too few, or had too little, to have taken them: others had them, or "
	       "it may use few",
	.advice = {"measure on an idle machine, or judge CPU time: wall time is other "
		   "programs' here",
		   "look for a limit: 'taskset -p', cpu.max of its control group, nice"},
	.proof = proof,
	/* The machine's doing: the program is not worse for it. */
	.least = SEVERITY_LOW,
	.most = SEVERITY_LOW,
};

static const struct rule_limit too_many_threads_limits[] = {
	{"threads_by_cpus", 2, "ratio", .least = 1,
	 .meaning = "threads that wish for a CPU at least half of the time, by CPUs"},
	{"ready", 0.3, "ratio", .most = 1,
	 .meaning = "waited for a CPU, of what was computed and waited for"},
	{"machine", 0.9, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed and waited for, on average"},
	{"had", 0.5, "ratio", .most = 1,
	 .meaning =
		 "of all CPUs: computed, on average; with less, other programs had them"},
	LEAST_NS,
	{0},
};

const struct rule rule_too_many_threads = {
	.id = "R4",
	.slug = "too-many-threads",
	.limits = too_many_threads_limits,
	.title = "More threads that compute than CPUs",
	.summary = "of the threads at least twice as many wish for a CPU as there are, "
		   "and wait for it",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_cpu_high, NULL},
	.needs = MEASURED_WALL | MEASURED_CPU,
	.sql = resources_cpu_sql_wished,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("threads that wished for a CPU most of the time",
				   "count", "busy", "many"),
			RULE_LEAST("CPU of the machine, computed and wished for",
				   "percent", "machine", "machine"),
			RULE_LEAST("CPU of the machine, computed", "percent", "had",
				   "had"),
			RULE_TELLS("CPUs", "count", "cpus"),
			RULE_LEAST("waited for a CPU, of what was wished", "percent",
				   "ready", "ready"),
			{0}},
	.why = "the threads take the CPUs from each other: as many as there are CPUs "
	       "would do the same work with fewer switches",
	.advice = {"start no more threads than there are CPUs",
		   "hand out the work from one queue"},
	.proof = proof,
	.least = SEVERITY_MEDIUM,
	.most = SEVERITY_MEDIUM,
};
