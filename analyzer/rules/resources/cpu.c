/* SPDX-License-Identifier: MIT */
/*
 * Rules R1 to R4: a program that leaves the CPU idle, one that wants all CPUs of the
 * machine, one that does not get them, and one whose threads take them from each other.
 * Must not take the wait for a CPU on a busy machine for idleness; nor name a function
 * unless it waited for at least half of the time.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "resources_cpu.sql.h"

#include <math.h>

static const char too_short[] = "the threads that were asked lived too briefly";

static const char *proof(struct rule_input *input)
{
	return rule_text(input,
			 "SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, "
			 "blocked_ns FROM threads WHERE run_id = %lld ORDER BY wall_ns "
			 "DESC",
			 (long long)input->run_id);
}

static int find_waiting(struct rule_input *input, int64_t *ret_function)
{
	struct cursor *cursor = rule_query(input, resources_cpu_sql_largest);

	*ret_function = 0;
	if (cursor_next(cursor) > 0 &&
	    cursor_real(cursor, "blocked_ns") >= input->time_run->threads.blocked_ns / 2)
		*ret_function = cursor_integer(cursor, "function_id");
	return rule_finish(input, cursor, 0);
}

/* What the run would take had a CPU been free whenever its longest waits wished. */
static double served_ns(const struct time_run *run)
{
	return fmax(1, run->lived_ns - run->threads.ready_most_ns);
}

static void add_low(struct rule_input *input, struct findings *ret, int64_t function_id)
{
	const struct time_run *run = input->time_run;
	double used = run->threads.cpu_ns / served_ns(run);
	struct finding *finding =
		function_id ? rule_add_function(input, ret, function_id, false)
			    : rule_add(input, ret);

	finding->saving_ns = (1 - used) * run->run_ns;
	finding->impact = rule_share(finding->saving_ns, run->run_ns);
	finding_evidence_limit(finding, "CPU, while none was waited for", "percent",
			       100 * used, 100 * rule_limit(input, "cpu"));
	finding_evidence(finding, "computed", "ns", run->threads.cpu_ns);
	finding_evidence(finding, "waited for a CPU", "ns", run->threads.ready_ns);
	finding_evidence(finding, "slept", "ns", run->threads.blocked_ns);
	finding_evidence(finding, "threads", "count", (double)run->threads.count);
	finding->why = function_id
			       ? "the program slept for most of the run, and this "
				 "function for at least half of that"
			       : "the program slept for most of the run; the waits are "
				 "spread over it";
	finding_advise(finding,
		       "see what it waits for: 'prof-analyze flamegraph --metric "
		       "blocked'",
		       "do several waits at once, or work while waiting",
		       "of a server without requests: nothing; suppress this rule");
	finding->sql = proof(input);
}

static bool is_too_short(struct rule_input *input)
{
	return input->time_run->threads.wall_ns < rule_limit(input, "least_ns") ||
	       input->time_run->threads.wall_ns < input->time_run->lived_ns / 2;
}

static int evaluate_low(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	int64_t function_id;
	int result;

	if (is_too_short(input))
		return rule_not_measured(input, too_short);
	if (input->is_live)
		return rule_not_measured(input, "the run has not ended: what it waits "
						"for may still come");
	if (run->threads.cpu_ns > rule_limit(input, "cpu") * served_ns(run))
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
	 .meaning = "threads that lived for less together are not judged"},
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

static void add_machine(struct rule_input *input, struct finding *finding, double wanted)
{
	finding->confidence = CONFIDENCE_HIGH;
	finding_evidence_limit(finding, "CPU of the machine, computed and wished for",
			       "percent", 100 * wanted,
			       100 * rule_limit(input, "machine"));
	finding_evidence(finding, "CPUs", "count", (double)input->cpu_count);
	finding->sql = proof(input);
}

/* Of all CPUs: computed and waited for, on average. */
static double wanted_part(const struct rule_input *input)
{
	const struct time_run *run = input->time_run;

	return (run->threads.cpu_ns + run->threads.ready_ns) /
	       fmax(1, input->wall_ns * (double)input->cpu_count);
}

static double ready_part(const struct rule_input *input)
{
	const struct time_threads *threads = &input->time_run->threads;

	return rule_share(threads->ready_ns, threads->cpu_ns + threads->ready_ns);
}

static int evaluate_high(struct rule_input *input, struct findings *ret)
{
	const struct time_threads *threads = &input->time_run->threads;
	struct finding *finding;

	if (is_too_short(input))
		return rule_not_measured(input, too_short);
	if (input->cpu_count < 1)
		return rule_not_measured(input, "the number of CPUs is not recorded");
	if (threads->busy_count < 2 || wanted_part(input) < rule_limit(input, "machine"))
		return RULE_DONE;
	/* Nothing to win by itself: a limit that has been reached. */
	finding = rule_add(input, ret);
	finding->least_severity = SEVERITY_LOW;
	add_machine(input, finding, wanted_part(input));
	finding_evidence(finding, "waited for a CPU, of what was wished", "percent",
			 100 * ready_part(input));
	finding_evidence(finding, "threads that wished for one most of the time", "count",
			 (double)threads->busy_count);
	finding->why =
		"the threads wish for all that the machine has: more of them would "
		"not be faster";
	finding_advise(
		finding, "reduce the work itself: see the findings about functions",
		"leave room when other programs run on the machine: a limit, or nice");
	return RULE_DONE;
}

static const struct rule_limit cpu_high_limits[] = {
	{"machine", 0.9, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed and waited for, on average"},
	{"least_ns", 2e8, "ns",
	 .meaning = "threads that lived for less together are not judged"},
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
	.evaluate = evaluate_high,
};

static int evaluate_starved(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	struct finding *finding;

	if (is_too_short(input))
		return rule_not_measured(input, too_short);
	if (input->cpu_count < 1)
		return rule_not_measured(input, "the number of CPUs is not recorded");
	if (ready_part(input) < rule_limit(input, "ready") ||
	    run->threads.busy_count > input->cpu_count)
		return RULE_DONE;
	finding = rule_add(input, ret);
	finding->confidence = CONFIDENCE_HIGH;
	/* The machine's doing: the program is not worse for it. */
	finding_fix_severity(finding, SEVERITY_LOW);
	finding_evidence_limit(finding, "waited for a CPU, of what was wished", "percent",
			       100 * ready_part(input), 100 * rule_limit(input, "ready"));
	finding_evidence(finding, "waited for a CPU", "ns", run->threads.ready_ns);
	finding_evidence(finding, "computed", "ns", run->threads.cpu_ns);
	finding_evidence(finding, "CPUs", "count", (double)input->cpu_count);
	finding_evidence(finding, "threads that wished for one most of the time", "count",
			 (double)run->threads.busy_count);
	finding->why = "the program was ready to compute and had no CPU, though it has "
		       "not more threads that compute than the machine has CPUs: others "
		       "had them, or it may use few";
	finding_advise(finding,
		       "measure on an idle machine, or judge CPU time: wall time is "
		       "other programs' here",
		       "look for a limit: 'taskset -p', cpu.max of its control group, "
		       "nice");
	finding->sql = proof(input);
	return RULE_DONE;
}

static const struct rule_limit starved_limits[] = {
	{"ready", 0.3, "ratio", .most = 1,
	 .meaning = "waited for a CPU, of what was computed and waited for"},
	{"least_ns", 2e8, "ns",
	 .meaning = "threads that lived for less together are not judged"},
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
	.evaluate = evaluate_starved,
};

/* More threads compute at a time than there are CPUs. */
static bool are_too_many(struct rule_input *input)
{
	return (double)input->time_run->threads.busy_count >=
	       rule_limit(input, "threads_by_cpus") * (double)input->cpu_count;
}

static int evaluate_threads(struct rule_input *input, struct findings *ret)
{
	const struct time_threads *threads = &input->time_run->threads;
	struct finding *finding;

	if (is_too_short(input))
		return rule_not_measured(input, too_short);
	if (input->cpu_count < 1)
		return rule_not_measured(input, "the number of CPUs is not recorded");
	if (!are_too_many(input) || ready_part(input) < rule_limit(input, "ready") ||
	    wanted_part(input) < rule_limit(input, "machine"))
		return RULE_DONE;
	finding = rule_add(input, ret);
	finding->least_severity = SEVERITY_MEDIUM;
	finding_cap_severity(finding, SEVERITY_MEDIUM);
	finding_evidence_limit(finding, "threads that wished for a CPU most of the time",
			       "count", (double)threads->busy_count,
			       rule_limit(input, "threads_by_cpus") *
				       (double)input->cpu_count);
	add_machine(input, finding, wanted_part(input));
	finding_evidence_limit(finding, "waited for a CPU, of what was wished", "percent",
			       100 * ready_part(input), 100 * rule_limit(input, "ready"));
	finding->why = "the threads take the CPUs from each other: as many as there are "
		       "CPUs would do the same work with fewer switches";
	finding_advise(finding, "start no more threads than there are CPUs",
		       "hand out the work from one queue");
	return RULE_DONE;
}

static const struct rule_limit too_many_threads_limits[] = {
	{"threads_by_cpus", 2, "ratio", .least = 1,
	 .meaning = "threads that wish for a CPU at least half of the time, by CPUs"},
	{"ready", 0.3, "ratio", .most = 1,
	 .meaning = "waited for a CPU, of what was computed and waited for"},
	{"machine", 0.9, "ratio", .most = 1,
	 .meaning = "of all CPUs: computed and waited for, on average"},
	{"least_ns", 2e8, "ns",
	 .meaning = "threads that lived for less together are not judged"},
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
	.evaluate = evaluate_threads,
};
