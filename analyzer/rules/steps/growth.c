/* SPDX-License-Identifier: MIT */
/*
 * Rule S3: memory that grows from step to step. Must not say who allocated it: steps do
 * not tell; take what fills up for growth.
 */
#include "analyzer/rules/steps/course.h"

#include "analyzer/statistics/leak_class.h"

#include <errno.h>
#include <math.h>

/* A step of the later half leaves so many bytes; what the first steps set up is none. */
static void add_growth(struct rule_input *input, struct findings *ret,
		       const struct steps *steps, double later_bytes, double least_bytes)
{
	size_t half = steps->span_count / 2;
	double all_bytes = steps->live[steps->span_count - 1] - steps->live[0];
	double count = 0;
	struct finding *finding = steps_add(input, ret, steps);

	for (size_t i = half; i < steps->span_count; i++)
		count += steps->counts[i];
	finding->saving_bytes = later_bytes;
	finding->impact = rule_share(later_bytes, input->peak_bytes);
	finding_evidence_limit(finding, "grown over the later half", "bytes", later_bytes,
			       least_bytes);
	rule_evidence(input, finding, "of it per step", "bytes", later_bytes / count,
		      NULL);
	rule_evidence(input, finding, "grown in all", "bytes", all_bytes, NULL);
	rule_evidence(input, finding, "steps", "count", steps->count, NULL);
	rule_evidence(input, finding, "share of the peak", "percent", finding->impact,
		      NULL);
}

static int look_for_growth(struct rule_input *input, struct findings *ret,
			   struct steps *steps)
{
	double later_bytes,
		least_bytes = fmax(rule_limit(input, "least_bytes"),
				   rule_limit(input, "least_share") * input->peak_bytes);
	struct leak_verdict verdict;
	int result;

	if (steps->span_count < LEAK_POINTS_LEAST)
		return 0;
	later_bytes = steps->live[steps->span_count - 1] -
		      steps->live[steps->span_count / 2 - 1];
	if (later_bytes < least_bytes)
		return 0;
	result = leak_classify(steps->seconds, steps->live, steps->span_count, 0,
			       &verdict);
	/* -EDOM: all at one time */
	if (result == 0 && verdict.class == LEAK_GROWING &&
	    verdict.p <= rule_limit(input, "p_highest"))
		add_growth(input, ret, steps, later_bytes, least_bytes);
	return result == -EDOM ? 0 : result;
}

static int evaluate_growth(struct rule_input *input, struct findings *ret)
{
	return steps_for_each(input, ret, true, look_for_growth);
}

static const struct rule_limit limits[] = {
	{"least_steps", 32, "count", .meaning = "steps of one name in a process"},
	{"least_bytes", 1048576, "bytes",
	 .meaning = "growth of live memory over the later half of the steps"},
	{"least_share", 0.05, "ratio", .meaning = "the same as a share of the peak"},
	{"p_highest", 0.01, "ratio",
	 .meaning = "chance that memory without a trend would look like this "
		    "(Mann-Kendall), at most"},
	{0},
};

const struct rule rule_step_growth = {
	.id = "S3",
	.slug = "step-growth",
	.limits = limits,
	.title = "Memory that grows from step to step",
	.summary = "live memory rises over the steps of a name and does not level off",
	.specific = 1,
	.needs = MEASURED_ALLOCATIONS | MEASURED_STEPS,
	.evaluate = evaluate_growth,
	.why = "the process's live memory rises from step to step and does not level "
	       "off; by whom, steps do not tell",
	.advice = {"find the site: PROFSHIM_SNAPSHOT_EVERY=1s, then 'prof-analyze leaks' "
		   "(rule M5 names it)",
		   "free at the end of a step what was made for it, or keep one buffer "
		   "for all steps",
		   "when it is meant to grow, suppress the finding with a reason"},
	.proof = "SELECT number, timed_count, last_ns, live_bytes FROM step_spans WHERE "
		 "run_id = {run} AND series_id = {series_id} ORDER BY number",
};
