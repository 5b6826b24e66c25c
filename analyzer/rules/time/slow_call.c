/* SPDX-License-Identifier: MIT */
/*
 * Rule T0, the plain one: the mean duration of a function's calls. Must not blame a
 * caller for what its callees take: they are judged themselves.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_slow_call.sql.h"

/* What a call takes, waits for a CPU aside: those are the machine's doing. */
static int add(struct rule_input *input, struct findings *ret, struct cursor *cursor)
{
	static const struct {
		const char *limit;
		enum severity severity;
	} steps[] = {{"high_ns", SEVERITY_HIGH},
		     {"medium_ns", SEVERITY_MEDIUM},
		     {"low_ns", SEVERITY_LOW}};
	int64_t function_id = cursor_integer(cursor, "function_id");
	double calls = cursor_real(cursor, "calls"),
	       total_ns = cursor_real(cursor, "total_ns"),
	       cpu_ns = cursor_real(cursor, "own_ns"), held_ns;
	double error_ns = cursor_real(cursor, "total_error_ns");
	double least_ns = rule_least(total_ns, error_ns) / calls;
	int result = time_run_function(input, function_id, cpu_ns, &held_ns);
	struct finding *finding;
	size_t step = 0;

	if (result < 0 || least_ns <= rule_limit(input, "low_ns") ||
	    rule_is_libc(input, function_id))
		return result;
	/* How long a call takes that has not ended nobody knows: a server's, which waits
	 * for a request. */
	if (input->is_live &&
	    !(cursor_real(cursor, "max_ns") > rule_limit(input, "low_ns")))
		return 0;
	finding = rule_add_function(input, ret, function_id, false);
	while (step < 2 && !(least_ns > rule_limit(input, steps[step].limit)))
		step++;
	finding_fix_severity(finding, steps[step].severity);
	/* That it takes long does not say that it need not. */
	finding->confidence = CONFIDENCE_LOW;
	finding->impact = rule_share(held_ns, input->time_run->run_ns);
	finding_evidence_limit(finding, "mean per call", "ns", total_ns / calls,
			       rule_limit(input, steps[step].limit));
	finding_evidence_error(finding, error_ns / calls);
	finding_evidence(finding, "calls", "count", calls);
	finding_evidence(finding, "p50 with hooks", "ns", cursor_real(cursor, "p50_ns"));
	finding_evidence(finding, "longest with hooks", "ns",
			 cursor_real(cursor, "max_ns"));
	finding_evidence(finding, "computed itself, of the run", "percent",
			 100 * finding->impact);
	finding->saving_ns = held_ns;
	finding->why =
		"each call computes for long by itself, whatever the number of calls";
	finding_advise(finding,
		       "see what the call computes: its callees in "
		       "'prof-analyze callers'",
		       "split the work, or move it off the path that somebody waits for");
	finding->sql =
		rule_text(input,
			  "SELECT name, calls, total_ns / calls AS mean_ns, p50_ns, "
			  "max_ns, self_cpu_ns, self_ready_ns, self_blocked_ns "
			  "FROM functions WHERE run_id = %lld AND function_id = %lld",
			  (long long)input->run_id, (long long)function_id);
	return 0;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	struct cursor *cursor = rule_query(input, time_slow_call_sql_functions);
	int result = 0;

	cursor_bind_real(cursor, ":low", rule_limit(input, "low_ns"));
	cursor_bind_real(cursor, ":own", rule_limit(input, "own_share"));
	while (result >= 0 && cursor_next(cursor) > 0)
		result = add(input, ret, cursor);
	return rule_finish(input, cursor, result);
}

static const struct rule_limit limits[] = {
	{"high_ns", 500e6, "ns",
	 .meaning = "mean duration of a call, waits for a CPU aside, above which the "
		    "finding is at least high"},
	{"medium_ns", 100e6, "ns", .not_above = "high_ns",
	 .meaning = "the same for medium"},
	{"low_ns", 50e6, "ns", .not_above = "medium_ns",
	 .meaning = "the same for low; a shorter mean is no finding"},
	{"own_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of its time that a function must compute itself: else its "
		    "callees are judged, or its waits"},
	{0},
};

const struct rule rule_slow_call = {
	.id = "T0",
	.slug = "slow-call",
	.limits = limits,
	.title = "Calls that take long",
	.summary = "the mean duration of a function's calls is above a limit",
	.specific = 0,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate,
};
