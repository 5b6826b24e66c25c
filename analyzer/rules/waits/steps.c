/* SPDX-License-Identifier: MIT */
/*
 * Rule W3: a sleep on the way of each step. Must not name a sleep of another thread than
 * the first one of a process, or one that is much rarer than the steps.
 */
#include "analyzer/rules/waits/waits.h"

#include "analyzer/rules/steps/course.h"
#include "analyzer/rules/time/run.h"

extern const struct rule rule_cpu_low, rule_long_wait, rule_polling_loop;

static int look_for_sleep(struct rule_input *input, struct findings *ret,
			  const struct wait *wait, const void *context)
{
	const struct steps *steps = context;
	double run_ns = input->time_run->run_ns;
	double sleeps_by_step = wait->first_calls / steps->count;
	struct finding *finding;

	if (!wait_is_sleep(wait) || sleeps_by_step < rule_limit(input, "by_step") ||
	    wait->first_blocked_ns < rule_limit(input, "steps_share") * steps->total_ns)
		return 0;
	finding = wait_finding(input, ret, wait);
	finding->saving_ns = wait->first_blocked_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "sleeps for each step", "ratio", sleeps_by_step,
			       rule_limit(input, "by_step"));
	finding_evidence_limit(finding, "slept, of the steps", "percent",
			       100 * wait->first_blocked_ns / steps->total_ns,
			       100 * rule_limit(input, "steps_share"));
	finding_evidence(finding, "slept", "ns", wait->first_blocked_ns);
	finding_evidence(finding, "steps", "count", steps->count);
	finding->why = rule_text(input, "about each step '%s' sleeps in %s()",
				 steps->name, wait->callee);
	finding_advise(finding, "wait for what the step needs instead of for a time",
		       "do the next step's work while waiting",
		       "a rate that is meant, as of pictures on a screen: suppress this "
		       "rule with a reason");
	return 0;
}

static int look(struct rule_input *input, struct findings *ret, struct steps *steps)
{
	return wait_for_each(input, rule_limit(input, "steps_share") * steps->total_ns,
			     ret, look_for_sleep, steps);
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	return steps_for_each(input, ret, false, look);
}

static const struct rule_limit limits[] = {
	{"least_steps", 10, "count", .meaning = "steps of one name"},
	{"by_step", 0.5, "ratio", .meaning = "sleeps of one function for each step"},
	{"steps_share", 0.1, "ratio", .most = 1,
	 .meaning = "what they hold of the time of the steps"},
	{0},
};

const struct rule rule_sleep_in_step = {
	.id = "W3",
	.slug = "sleep-in-step",
	.limits = limits,
	.title = "A sleep on the way of each step",
	.summary = "a function sleeps about once in each step, and the steps take longer "
		   "for it",
	.specific = 3,
	.explains = (const struct rule *const[]){&rule_cpu_low, &rule_long_wait,
						 &rule_polling_loop, NULL},
	.needs = MEASURED_CALLS | MEASURED_STEPS | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate,
};
