/* SPDX-License-Identifier: MIT */
/*
 * Rules W1 to W3: a few long waits in which the program stands still, loops of short
 * sleeps, a sleep on the way of each step. Must not blame a thread that waits for work,
 * or for others; nor take a long sleep for a loop that looks: what is looked for every
 * second costs little.
 */
#include "analyzer/rules/rule.h"

#include "waits_waits.sql.h"

extern const struct rule rule_cpu_low, rule_long_wait, rule_polling_loop;

static const char proof[] =
	"SELECT p.path_id, p.name, c.name AS callee, c.kind, c.calls, c.self_blocked_ns, "
	"c.self_ready_ns FROM call_paths c JOIN call_paths p ON p.path_id = CASE WHEN "
	"c.kind IN ('wait', 'io') THEN c.parent_path_id ELSE c.path_id END WHERE "
	"c.run_id = {run} AND p.function_id = {function_id} AND c.self_blocked_ns > 0 "
	"ORDER BY c.self_blocked_ns DESC";

static const struct rule_limit long_wait_limits[] = {
	{"least_ns", 1e8, "ns", .meaning = "one wait, or the mean of all of a function"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "what such waits must hold of the run"},
	{0},
};

const struct rule rule_long_wait = {
	.id = "W1",
	.slug = "long-wait",
	.limits = long_wait_limits,
	.title = "Waits that hold the program",
	.summary = "a function slept for long on the thread that the run waits for, and "
		   "not for other threads of the program",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_cpu_low, NULL},
	/* a server may wait for its first request */
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU | MEASURED_END,
	.sql = waits_waits_sql_waits,
	.values = (const struct rule_value[]){RULE_LEAST("slept in long waits", "ns",
							 "own_ns", "least_ns"),
					      RULE_LEAST("share of the run", "percent",
							 "long_part", "run_share"),
					      RULE_TELLS("waits", "count", "first_calls"),
					      RULE_TELLS("longest", "ns", "longest_ns"),
					      {0}},
	.why = "it held its thread {place}",
	.advice = {"{remedy}", "wait for several things at once, or ask for less",
		   "set a time limit, so that a slow answer cannot hold "
		   "the "
		   "program"},
	.proof = proof,
};

static const struct rule_limit polling_loop_limits[] = {
	{"least_calls", 50, "count", .meaning = "sleeps of one function"},
	{"mean_ns", 5e7, "ns", .meaning = "mean of them, at most"},
	{"run_share", 0.05, "ratio",
	 .meaning = "what they hold of the run, of all threads together"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of what the first thread slept that a fix is assumed to save: "
		    "half a sleep"},
	{0},
};

const struct rule rule_polling_loop = {
	.id = "W2",
	.slug = "polling-loop",
	.limits = polling_loop_limits,
	.title = "A loop of short sleeps",
	.summary = "a function sleeps for a short time very often, as one that looks "
		   "whether something has happened",
	.specific = 2,
	.explains = (const struct rule *const[]){&rule_cpu_low, NULL},
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU,
	.sql = waits_waits_sql_waits,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("sleeps", "count", "sleeps", "least_calls"),
			RULE_MOST("mean", "ns", "mean_ns", "mean_ns"),
			RULE_LEAST("slept, of the run", "percent", "blocked_part",
				   "run_share"),
			{0}},
	.why = "it sleeps in {callee}() again and again: what it waits "
	       "for is "
	       "seen half a sleep late, and each sleep wakes a CPU",
	.advice = {"wait for the event itself: a condition variable, a "
		   "semaphore, poll() on a descriptor, eventfd()",
		   "of something that tells no one: look less often, or "
		   "longer "
		   "each time",
		   "a rate that is meant: suppress this rule with a "
		   "reason"},
	.proof = proof,
	.least = SEVERITY_MEDIUM,
};

static const struct rule_limit sleep_in_step_limits[] = {
	{"least_steps", 10, "count", .meaning = "steps of one name"},
	{"by_step", 0.5, "ratio", .meaning = "sleeps of one function for each step"},
	{"steps_share", 0.1, "ratio", .most = 1,
	 .meaning = "what they hold of the steps, less their waits for a CPU"},
	{0},
};

const struct rule rule_sleep_in_step = {
	.id = "W3",
	.slug = "sleep-in-step",
	.limits = sleep_in_step_limits,
	.title = "A sleep on the way of each step",
	.summary = "a function sleeps about once in each step, and the steps take longer "
		   "for it",
	.specific = 3,
	.explains = (const struct rule *const[]){&rule_cpu_low, &rule_long_wait,
						 &rule_polling_loop, NULL},
	.needs = MEASURED_CALLS | MEASURED_STEPS | MEASURED_WALL | MEASURED_CPU,
	.sql = waits_waits_sql_waits,
	.values = (const struct rule_value[]){RULE_LEAST("sleeps for each step", "ratio",
							 "by_step", "by_step"),
					      RULE_LEAST("slept, of the steps", "percent",
							 "step_part", "steps_share"),
					      RULE_TELLS("slept", "ns", "first_ns"),
					      RULE_TELLS("steps", "count", "steps"),
					      {0}},
	.why = "about each step '{step}' sleeps in {callee}()",
	.advice = {"wait for what the step needs instead of for a time",
		   "do the next step's work while waiting",
		   "a rate that is meant, as of pictures on a screen: "
		   "suppress "
		   "this rule with a reason"},
	.proof = proof,
};
