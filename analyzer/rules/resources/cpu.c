/* SPDX-License-Identifier: MIT */
/*
 * Rules R1 and R2: a program that leaves the CPU idle, and one that wants all CPUs of
 * the machine. Must not take the wait for a CPU on a busy machine for idleness; nor name
 * a function unless it must have been the one that waited.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "resources_cpu.sql.h"

static const char too_short[] = "too short for samples of /proc: CPU time is not known";

static const char *proof(struct rule_input *input)
{
	return rule_text(
		input,
		"SELECT process_id, time_ns, cpu_percent, cpu_wait_ns, thread_count FROM "
		"resources WHERE run_id = %lld ORDER BY process_id, time_ns",
		(long long)input->run_id);
}

/* The function that stood still for at least half of the idle time, however the rest was
 * spread: its own time is longer than all that was computed. */
static int find_waiting(struct rule_input *input, int64_t *ret_function)
{
	const struct time_run *run = input->time_run;
	struct cursor *cursor;

	*ret_function = 0;
	if (run->has_waiters)
		return 0;
	cursor = rule_query(input, resources_cpu_sql_largest);
	if (cursor_next(cursor) > 0 &&
	    cursor_real(cursor, "self_ns") - run->cpu_ns - run->starved_ns >=
		    run->idle_ns / 2)
		*ret_function = cursor_integer(cursor, "function_id");
	return rule_finish(input, cursor, 0);
}

/* What the run would take had a CPU been free whenever one was wished for. */
static double unhindered_ns(const struct time_run *run)
{
	return run->span_ns * time_run_met(run);
}

static void add_low(struct rule_input *input, struct findings *ret, int64_t function_id)
{
	const struct time_run *run = input->time_run;
	double used = run->cpu_ns / unhindered_ns(run);
	struct finding *finding =
		function_id ? rule_add_function(input, ret, function_id, false)
			    : rule_add(input, ret);

	finding->saving_ns = (1 - used) * run->run_ns * time_run_met(run);
	finding->impact = rule_share(finding->saving_ns, run->run_ns);
	finding_evidence_limit(finding, "CPU, while none was waited for", "percent",
			       100 * used, 100 * rule_limit(input, "cpu"));
	finding_evidence(finding, "CPU, of one", "percent",
			 100 * run->cpu_ns / run->span_ns);
	finding_evidence(finding, "waited for a CPU", "ns", run->starved_ns);
	finding_evidence(finding, "sampled", "ns", run->span_ns);
	finding_evidence(finding, "threads at most", "count", (double)run->thread_peak);
	finding->why = function_id
			       ? "the program waited for most of the run, and this "
				 "function for at least half of that"
			       : "the program waited for most of the run; the wait is "
				 "spread, or whose it is cannot be told";
	finding_advise(finding,
		       "see what it waits for: 'strace -c -w', or the functions with "
		       "most time of their own",
		       "do several waits at once, or work while waiting",
		       "of a server without requests: nothing; suppress this rule");
	finding->sql = proof(input);
}

static int evaluate_low(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	int64_t function_id;
	int result;

	if (run->span_ns < rule_limit(input, "least_ns"))
		return rule_not_measured(input, too_short);
	if (input->is_live)
		return rule_not_measured(input, "the run has not ended: what it waits "
						"for may still come");
	if (run->cpu_ns > rule_limit(input, "cpu") * unhindered_ns(run))
		return RULE_DONE;
	result = find_waiting(input, &function_id);
	if (result < 0)
		return result;
	add_low(input, ret, function_id);
	return RULE_DONE;
}

static const struct rule_limit cpu_low_limits[] = {
	{"cpu", 0.5, "ratio", .most = 1,
	 .meaning = "of one CPU, on average over the run less its waits for a CPU"},
	{"least_ns", 2e8, "ns",
	 .meaning = "a run with a shorter sampled time is not judged"},
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
	.evaluate = evaluate_low,
};

static void add_high(struct rule_input *input, struct findings *ret, double wanted)
{
	const struct time_run *run = input->time_run;
	struct finding *finding = rule_add(input, ret);
	double starved = rule_share(run->starved_ns, run->cpu_ns + run->starved_ns);

	/* Nothing to win by itself: a limit that has been reached. */
	finding->confidence = CONFIDENCE_HIGH;
	finding->least_severity =
		starved >= rule_limit(input, "starved") ? SEVERITY_MEDIUM : SEVERITY_LOW;
	finding_evidence_limit(finding, "CPU of the machine, computed and wished for",
			       "percent", 100 * wanted,
			       100 * rule_limit(input, "machine"));
	finding_evidence(finding, "CPU, of one", "percent",
			 100 * run->cpu_ns / run->span_ns);
	finding_evidence_limit(finding, "waited for a CPU, of what was wished", "percent",
			       100 * starved, 100 * rule_limit(input, "starved"));
	finding->evidence[2].has_limit = starved >= rule_limit(input, "starved");
	finding_evidence(finding, "CPUs", "count", (double)input->cpu_count);
	finding_evidence(finding, "threads at most", "count", (double)run->thread_peak);
	finding->why =
		"the threads wish for all that the machine has: more of them would "
		"not be faster";
	finding_advise(
		finding, "reduce the work itself: see the findings about functions",
		"start no more threads than there are CPUs",
		"leave room when other programs run on the machine: a limit, or nice");
	finding->sql = proof(input);
}

static int evaluate_high(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	double wanted;

	if (run->span_ns < rule_limit(input, "least_ns"))
		return rule_not_measured(input, too_short);
	if (input->cpu_count < 1)
		return rule_not_measured(input, "the number of CPUs is not recorded");
	wanted = (run->cpu_ns + run->starved_ns) /
		 (run->span_ns * (double)input->cpu_count);
	if (run->thread_peak > 1 && wanted >= rule_limit(input, "machine"))
		add_high(input, ret, wanted);
	return RULE_DONE;
}

static const struct rule_limit cpu_high_limits[] = {
	{"machine", 0.9, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed and waited for, on average"},
	{"starved", 0.3, "ratio", .most = 1,
	 .meaning = "part of it that was waited for, above which the finding is at least "
		    "medium"},
	{"least_ns", 2e8, "ns",
	 .meaning = "a run with a shorter sampled time is not judged"},
	{0},
};

const struct rule rule_cpu_high = {
	.id = "R2",
	.slug = "cpu-high",
	.limits = cpu_high_limits,
	.title = "The machine's CPUs are all taken",
	.summary = "several threads wish for nearly all CPUs of the machine, or for more",
	.specific = 0,
	.needs = MEASURED_CPU,
	.evaluate = evaluate_high,
};
