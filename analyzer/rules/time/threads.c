/* SPDX-License-Identifier: MIT */
/*
 * Rule T11: threads that began in the same function and were busy for unequal times.
 * Must not promise more than the machine's CPUs can give.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_threads.sql.h"

#include <math.h>

static void add_group(struct rule_input *input, struct findings *ret,
		      struct cursor *cursor)
{
	const struct time_run *run = input->time_run;
	double threads = cursor_real(cursor, "thread_count"),
	       longest_ns = cursor_real(cursor, "longest_ns");
	double sum_ns = cursor_real(cursor, "sum_ns"), mean_ns = sum_ns / threads;
	double error_ns = cursor_real(cursor, "error_ns");
	double least_ns = rule_least(longest_ns, error_ns);
	/* Who waits for them waits for their waits for a CPU, too. */
	double run_ns = fmax(longest_ns, run->run_ns - cursor_real(cursor, "ready_ns"));
	double cpus = fmin(threads, fmax(1, (double)input->cpu_count)), best_ns;
	struct finding *finding;

	if (least_ns < rule_limit(input, "longest_by_mean") * mean_ns ||
	    least_ns < rule_limit(input, "run_share") * run_ns)
		return;
	/* Spread evenly over all threads, and over no more CPUs than there are. */
	best_ns = fmax(mean_ns, sum_ns / cpus);
	if (best_ns >= longest_ns)
		return;
	finding = rule_add_path(input, ret, cursor_integer(cursor, "path_id"));
	finding->confidence = CONFIDENCE_HIGH;
	finding->saving_ns = longest_ns - best_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "longest by mean", "ratio", longest_ns / mean_ns,
			       rule_limit(input, "longest_by_mean"));
	finding_evidence_limit(finding, "longest thread, of the run", "percent",
			       100 * rule_share(longest_ns, run_ns),
			       100 * rule_limit(input, "run_share"));
	finding_evidence(finding, "longest", "ns", longest_ns);
	finding_evidence_error(finding, error_ns);
	finding_evidence(finding, "mean", "ns", mean_ns);
	finding_evidence(finding, "threads", "count", threads);
	finding_evidence(finding, "CPUs", "count", (double)input->cpu_count);
	finding->why = "one of the threads that began here worked long after the mean of "
		       "them had ended";
	finding_advise(finding,
		       "hand out the work in smaller pieces, from one queue, while "
		       "threads are free",
		       "begin with the largest pieces",
		       "see what each thread did: 'prof-analyze tree --thread'");
	finding->sql = rule_text(
		input,
		"SELECT t.name, t.tid, s.calls, s.cpu_ns, s.ready_ns, s.blocked_ns FROM "
		"path_lane s JOIN threads "
		"t "
		"USING (lane_id) WHERE t.run_id = %lld AND s.path_id = %lld AND "
		"t.process_id = %lld ORDER BY s.cpu_ns DESC",
		(long long)input->run_id, (long long)cursor_integer(cursor, "path_id"),
		(long long)cursor_integer(cursor, "process_id"));
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	struct cursor *cursor = rule_query(input, time_threads_sql_groups);

	while (cursor_next(cursor) > 0)
		add_group(input, ret, cursor);
	return rule_finish(input, cursor, 0);
}

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
	.evaluate = evaluate,
};
