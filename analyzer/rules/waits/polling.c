/* SPDX-License-Identifier: MIT */
/*
 * Rule W2: a loop that looks again and again whether something has happened, and sleeps
 * in between. Must not take a long sleep for one: what is looked for every second costs
 * little.
 */
#include "analyzer/rules/waits/waits.h"

#include "analyzer/rules/time/run.h"

extern const struct rule rule_cpu_low;

static int look_for_polling(struct rule_input *input, struct findings *ret,
			    const struct wait *wait, const void *unused)
{
	double mean_ns = wait->blocked_ns / wait->calls, run_ns = input->time_run->run_ns;
	struct finding *finding;

	(void)unused;
	if (!wait_is_sleep(wait) || wait->calls < rule_limit(input, "least_calls") ||
	    mean_ns > rule_limit(input, "mean_ns") ||
	    wait->blocked_ns < rule_limit(input, "run_share") * run_ns)
		return 0;
	finding = wait_finding(input, ret, wait);
	finding->saving_ns = rule_limit(input, "assumed_gain") * wait->first_blocked_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding->least_severity = SEVERITY_MEDIUM;
	finding_evidence_limit(finding, "sleeps", "count", wait->calls,
			       rule_limit(input, "least_calls"));
	finding_evidence(finding, "mean", "ns", mean_ns);
	finding_evidence_limit(finding, "slept, of the run", "percent",
			       100 * wait->blocked_ns / run_ns,
			       100 * rule_limit(input, "run_share"));
	finding->why =
		rule_text(input,
			  "it sleeps in %s() again and again: what it waits for is "
			  "seen half a sleep late, and each sleep wakes a CPU",
			  wait->callee);
	finding_advise(finding,
		       "wait for the event itself: a condition variable, a semaphore, "
		       "poll() on a descriptor, eventfd()",
		       "of something that tells no one: look less often, or longer each "
		       "time",
		       "a rate that is meant: suppress this rule with a reason");
	return 0;
}

static int evaluate_polling(struct rule_input *input, struct findings *ret)
{
	return wait_for_each(input,
			     rule_limit(input, "run_share") * input->time_run->run_ns,
			     ret, look_for_polling, NULL);
}

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
	.evaluate = evaluate_polling,
};
