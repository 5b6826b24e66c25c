/* SPDX-License-Identifier: MIT */
/*
 * Rule W1: the program stands still in a few long waits. Must not blame a thread that
 * waits for work, or for others: only the threads that the run waits for are looked at.
 */
#include "analyzer/rules/waits/waits.h"

#include "analyzer/rules/time/run.h"

#include <math.h>

extern const struct rule rule_cpu_low;

/* What of the waits is in long ones; at least. */
static double long_ns(const struct wait *wait, double least_ns)
{
	if (wait->first_blocked_ns >= least_ns * wait->first_calls)
		return wait->first_blocked_ns;
	return wait->longest_ns >= least_ns
		       ? fmin(wait->longest_ns, wait->first_blocked_ns)
		       : 0;
}

static int look(struct rule_input *input, struct findings *ret, const struct wait *wait,
		const void *unused)
{
	double run_ns = input->time_run->run_ns, least_ns = rule_limit(input, "least_ns");
	double held_ns = long_ns(wait, least_ns);
	struct finding *finding;

	(void)unused;
	if (held_ns < least_ns || held_ns < rule_limit(input, "run_share") * run_ns ||
	    wait_is_for_others(input, wait))
		return 0;
	finding = wait_finding(input, ret, wait);
	finding->confidence = wait->callee ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding->saving_ns = held_ns;
	finding->impact = rule_share(held_ns, run_ns);
	finding_evidence_limit(finding, "slept in long waits", "ns", held_ns, least_ns);
	finding_evidence_limit(finding, "share of the run", "percent",
			       100 * finding->impact,
			       100 * rule_limit(input, "run_share"));
	finding_evidence(finding, "waits", "count", wait->first_calls);
	if (wait->longest_ns > 0)
		finding_evidence(finding, "longest", "ns", wait->longest_ns);
	finding->why = wait->callee
			       ? rule_text(input, "it held its thread in %s(), asleep",
					   wait->callee)
			       : "it held its thread asleep, in a call that is not "
				 "recorded by its name";
	finding_advise(finding,
		       wait_is_sleep(wait)
			       ? "wait for what should happen instead of for a time"
			       : "start it earlier, or on another thread, and go on with "
				 "what does not need its result",
		       "wait for several things at once, or ask for less",
		       "set a time limit, so that a slow answer cannot hold the program");
	return 0;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	return wait_for_each(input, rule_limit(input, "least_ns"), ret, look, NULL);
}

static const struct rule_limit limits[] = {
	{"least_ns", 1e8, "ns", .meaning = "one wait, or the mean of all of a function"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "what such waits must hold of the run"},
	{0},
};

const struct rule rule_long_wait = {
	.id = "W1",
	.slug = "long-wait",
	.limits = limits,
	.title = "Waits that hold the program",
	.summary = "a function slept for long on the thread that the run waits for, and "
		   "not for other threads of the program",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_cpu_low, NULL},
	/* a server may wait for its first request */
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU | MEASURED_END,
	.evaluate = evaluate,
};
