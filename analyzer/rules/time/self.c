/* SPDX-License-Identifier: MIT */
/*
 * Rules T1 and T9: functions whose own code holds much of the run, in many calls or in
 * one. Must not say computed where the recording cannot tell it from waited.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rules/measured.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_self.sql.h"

#include <math.h>

struct function {
	int64_t function_id;
	double calls, self_ns, total_ns, longest_ns, p50_ns;
	double held_ns;	 /* what its own code holds of the run, by the clock */
	double own_ns;	 /* of all threads, less waits for a CPU */
	double run_ns;	 /* the same of held_ns */
	double call_ns;	 /* what its longest call spent in its own code; at least */
	double one_ns;	 /* the same, less waits for a CPU */
	double idle_ns;	 /* what of run_ns may have been waiting; at most */
	double raw_ns;	 /* total with the hooks, as p50_ns has it */
	double hooks_ns; /* subtracted from its own time */
	double error_ns; /* of its own time */
	double sure;	 /* the part of that which is there with the error, too: 0 to 1 */
	double allocs;
	bool is_one;	 /* most of it is one call's: then T9 judges */
	bool is_guarded; /* it may have waited for other threads */
};

static void read_row(struct cursor *cursor, struct function *ret)
{
	*ret = (struct function){
		.function_id = cursor_integer(cursor, "function_id"),
		.calls = cursor_real(cursor, "calls"),
		.self_ns = cursor_real(cursor, "self_ns"),
		.total_ns = cursor_real(cursor, "total_ns"),
		.longest_ns = cursor_real(cursor, "max_ns"),
		.p50_ns = cursor_real(cursor, "p50_ns"),
		.hooks_ns = cursor_real(cursor, "hooks_ns"),
		.raw_ns = cursor_real(cursor, "raw_total_ns"),
		.allocs = cursor_real(cursor, "alloc_count"),
		.error_ns = cursor_real(cursor, "self_error_ns"),
	};
	ret->sure = rule_share(rule_least(ret->self_ns, ret->error_ns), ret->self_ns);
	ret->one_ns = fmin(fmax(0, ret->longest_ns - cursor_real(cursor, "children_ns")),
			   ret->self_ns);
}

/*
 * What may have been waits for a CPU: what the calls took beyond as many of median
 * length; what the longest took beyond the others, for of two calls the median is the
 * longer one's; and at least the part that all of the program waited, for of a few calls
 * each may have. Where CPU time is not known, all of that.
 */
static double starved_part(const struct time_run *run, const struct function *function)
{
	double starved_ns = run->has_cpu ? run->starved_ns : INFINITY;
	double others_ns = function->raw_ns - function->longest_ns;
	double beyond_ns = fmax(function->raw_ns - function->calls * function->p50_ns,
				function->raw_ns * (1 - time_run_served(run)));

	if (function->calls > 1)
		beyond_ns = fmax(beyond_ns, function->longest_ns -
						    others_ns / (function->calls - 1));
	return rule_share(fmin(beyond_ns, starved_ns), function->total_ns);
}

/* The run, less the waits for a CPU of a busy machine. */
static double run_of(const struct rule_input *input)
{
	return time_run_unhindered_ns(input->time_run);
}

/* The part of its own time that it did not wait for a CPU. */
static double own_part(const struct time_run *run, const struct function *function)
{
	return 1 - starved_part(run, function);
}

static int complete(struct rule_input *input, struct function *function)
{
	const struct time_run *run = input->time_run;
	int result = time_run_function(input, function->function_id, function->self_ns,
				       &function->held_ns);

	function->own_ns = function->self_ns * own_part(run, function);
	function->run_ns = function->held_ns * own_part(run, function);
	function->is_one = function->one_ns >= function->run_ns / 2;
	function->call_ns = function->one_ns;
	/* A call that is one of many may be long for a wait for a CPU alone. */
	function->one_ns =
		function->calls > 1
			? fmax(0, function->one_ns - (run->has_cpu ? run->starved_ns : 0))
			: function->one_ns * time_run_met(run);
	function->one_ns = fmin(function->one_ns, function->run_ns);
	if (function->calls > 1)
		function->is_one = function->one_ns >= function->run_ns / 2;
	function->idle_ns = fmin(run->has_cpu ? run->idle_ns : 0, function->run_ns);
	function->is_guarded =
		run->has_waiters && function->idle_ns >= function->run_ns / 2;
	return result;
}

static const char *proof(struct rule_input *input, int64_t function_id)
{
	return rule_text(
		input,
		"SELECT name, calls, self_ns, total_ns, self_ns / calls AS mean_self_ns, "
		"p50_ns, max_ns FROM functions WHERE run_id = %lld AND function_id = "
		"%lld",
		(long long)input->run_id, (long long)function_id);
}

/* Of short calls what is left hangs on how well the hooks' cost was subtracted. */
static bool is_subtracted(struct rule_input *input, const struct function *function)
{
	return function->own_ns / function->calls <
	       rule_limit(input, "sure_hooks") * input->hook_cost_ns;
}

/* Much of its own time is malloc's, and what the recorder took where the heap is not in
 * the caches: about 100 ns, of which less is subtracted. */
static bool is_allocating(struct rule_input *input, const struct function *function)
{
	return function->own_ns < rule_limit(input, "alloc_ns") * function->allocs;
}

static void explain_hot(struct rule_input *input, struct finding *finding,
			const struct function *function)
{
	if (is_allocating(input, function)) {
		finding->why = "much of the run is in its own code and in malloc, which "
			       "it calls";
		finding_advise(finding,
			       "allocate less: keep blocks for the next use, or take "
			       "many at once from a pool",
			       "see who asks for the blocks: 'prof-analyze callers', "
			       "'prof-analyze memory'");
		return;
	}
	finding->why =
		function->is_guarded
			? "much of the run is in its own code, which computes or "
			  "waits for another thread: the recording cannot tell"
			: "much of the run is in its own code, not in what it calls";
	finding_advise(finding, "do less: a better algorithm, or results that are kept",
		       "lay the data out in the order in which it is read",
		       finding->is_region
			       ? "look inside: hooks in what it calls, or smaller regions"
			       : "look at the lines with 'perf annotate', which sees "
				 "inside a function");
}

static void add_hot(struct rule_input *input, struct findings *ret,
		    const struct function *function)
{
	double run_ns = run_of(input), gain = rule_limit(input, "assumed_gain");
	double computed_ns = function->run_ns;
	struct finding *finding =
		rule_add_function(input, ret, function->function_id, false);

	/* Of one thread what was waited is known: it is not in the CPU time. */
	if (!input->time_run->has_waiters && input->time_run->has_cpu)
		computed_ns = fmin(computed_ns, input->time_run->cpu_ns);
	/* A machine that gave the program less than half of what it wished for leaves its
	 * mark on all durations. */
	finding->confidence = function->is_guarded || is_subtracted(input, function) ||
					      is_allocating(input, function) ||
					      time_run_served(input->time_run) < 0.5 ||
					      !input->time_run->has_cpu
				      ? CONFIDENCE_LOW
				      : CONFIDENCE_MEDIUM;
	/* pbzip2's two waits for a condition were high by their share alone. */
	if (time_run_is_long(function->self_ns, function->calls) &&
	    time_run_may_wait(input->time_run, function->run_ns))
		finding_fix_severity(finding, SEVERITY_LOW);
	finding->saving_ns = gain * computed_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "own share of the run", "percent",
			       100 * rule_share(function->run_ns, run_ns),
			       100 * rule_limit(input, "own_share"));
	finding_evidence(finding, "own time", "ns", function->self_ns);
	finding_evidence_error(finding, function->error_ns);
	finding_evidence(finding, "own share of its total", "percent",
			 100 * rule_share(function->self_ns, function->total_ns));
	finding_evidence(finding, "calls", "count", function->calls);
	finding_evidence(finding, "own time per call", "ns",
			 function->self_ns / function->calls);
	if (starved_part(input->time_run, function) > 0.01)
		finding_evidence(finding, "of it perhaps waits for a CPU", "ns",
				 starved_part(input->time_run, function) *
					 function->self_ns);
	explain_hot(input, finding, function);
	finding->sql = proof(input, function->function_id);
}

/* Short calls did not wait, but for a CPU; of longer ones only CPU time can tell. */
static bool is_known(const struct rule_input *input, const struct function *function)
{
	return input->time_run->has_cpu ||
	       !time_run_is_long(function->self_ns, function->calls);
}

/* Whatever the error of its time makes of it. */
static bool is_hot(struct rule_input *input, const struct function *function)
{
	double own_ns = function->sure * function->own_ns;

	return function->sure * function->run_ns >=
		       rule_limit(input, "own_share") * run_of(input) &&
	       function->self_ns >= rule_limit(input, "own_part") * function->total_ns &&
	       own_ns >= rule_limit(input, "least_by_hooks") * function->hooks_ns &&
	       own_ns / function->calls >
		       rule_limit(input, "least_hooks") * input->hook_cost_ns &&
	       !function->is_one;
}

static int evaluate_hot(struct rule_input *input, struct findings *ret)
{
	size_t unknown = 0, before = ret->count;
	struct cursor *cursor = rule_query(input, time_self_sql_functions);
	int result = 0;

	cursor_bind_real(cursor, ":least",
			 rule_limit(input, "own_share") * run_of(input));
	while (result >= 0 && cursor_next(cursor) > 0) {
		struct function function;

		read_row(cursor, &function);
		result = complete(input, &function);
		if (result < 0)
			break;
		if (!is_known(input, &function)) {
			unknown += function.held_ns >=
				   rule_limit(input, "own_share") * run_of(input);
			continue;
		}
		if (is_hot(input, &function))
			add_hot(input, ret, &function);
	}
	result = rule_finish(input, cursor, result);
	return result == RULE_DONE && unknown && ret->count == before
		       ? rule_not_measured(input, measured_missing(input, MEASURED_CPU))
		       : result;
}

extern const struct rule rule_tiny_calls;

static const struct rule_limit hot_leaf_limits[] = {
	{"own_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the run that the function's own code must hold"},
	{"own_part", 0.5, "ratio", .most = 1,
	 .meaning = "part of the function's total that must be its own"},
	{"least_hooks", 2, "ratio", .not_above = "sure_hooks",
	 .meaning = "own time per call, in costs of a hook pair, below which T2 judges "
		    "alone"},
	{"sure_hooks", 4, "ratio",
	 .meaning = "the same below which the confidence is low"},
	{"alloc_ns", 300, "ns",
	 .meaning = "own time for each allocation of its own, below which the confidence "
		    "is low: much of it is malloc's"},
	{"least_by_hooks", 0.5, "ratio",
	 .meaning = "own time, by what was subtracted from it for hooks: less hangs on "
		    "how exact that is"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of the own time that a fix is assumed to save: twice as fast"},
	{0},
};

const struct rule rule_hot_leaf = {
	.id = "T1",
	.slug = "hot-leaf",
	.limits = hot_leaf_limits,
	.title = "Code that holds much of the run itself",
	.summary = "a function's own code, not what it calls, holds a large share of the "
		   "run",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_tiny_calls, NULL},
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL,
	.evaluate = evaluate_hot,
};

static void advise_waiting(struct finding *finding)
{
	finding->why = "one call held its thread while the CPU was idle: it waited";
	finding_advise(finding,
		       "start it earlier, or on another thread, and go on with what does "
		       "not need its result",
		       "wait for several things at once, or ask for less",
		       "set a time limit, so that a slow answer cannot hold the program");
}

static void advise_computing(struct finding *finding)
{
	finding->why = "one call computed for long, without a sign of progress outside";
	finding_advise(finding, "do less: a better algorithm, or a result that is kept",
		       "split it into parts that can be spread over threads, or moved "
		       "out of the way of who waits",
		       "instrument what it calls: its time is told as one lump");
}

/* In the run's idle time there is room for the longest call: it waited. */
static bool has_waited(struct rule_input *input, const struct function *function)
{
	const struct time_run *run = input->time_run;

	return run->idle_ns >= rule_limit(input, "waited_part") * function->call_ns;
}

static void add_long(struct rule_input *input, struct findings *ret,
		     const struct function *function)
{
	const struct time_run *run = input->time_run;
	bool waited = has_waited(input, function);
	double run_ns = waited ? run->run_ns : run_of(input);
	struct finding *finding =
		rule_add_function(input, ret, function->function_id, false);

	finding->confidence = waited ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding->saving_ns =
		(waited ? 1 : rule_limit(input, "assumed_gain")) * function->one_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "own time of one call", "ns", function->call_ns,
			       rule_limit(input, "least_ns"));
	finding_evidence_limit(finding, "share of the run", "percent",
			       100 * rule_share(function->one_ns, run_ns),
			       100 * rule_limit(input, "run_share"));
	finding_evidence(finding, "calls", "count", function->calls);
	if (function->calls > 1)
		finding_evidence(finding, "p50 of its calls", "ns", function->p50_ns);
	finding_evidence(finding, "idle in the whole run", "ns", run->idle_ns);
	if (waited)
		advise_waiting(finding);
	else
		advise_computing(finding);
	finding->sql = proof(input, function->function_id);
}

static int evaluate_long(struct rule_input *input, struct findings *ret)
{
	struct cursor *cursor = rule_query(input, time_self_sql_functions);
	int result = 0;

	cursor_bind_real(cursor, ":least",
			 fmax(rule_limit(input, "least_ns"),
			      rule_limit(input, "run_share") * run_of(input)));
	while (result >= 0 && cursor_next(cursor) > 0) {
		struct function function;

		read_row(cursor, &function);
		result = complete(input, &function);
		if (result < 0)
			break;
		if (has_waited(input, &function))
			function.one_ns = function.call_ns;
		if (function.sure * function.one_ns >= rule_limit(input, "least_ns") &&
		    function.sure * function.one_ns >=
			    rule_limit(input, "run_share") * run_of(input) &&
		    function.is_one && !function.is_guarded)
			add_long(input, ret, &function);
	}
	return rule_finish(input, cursor, result);
}

static const struct rule_limit long_call_limits[] = {
	{"least_ns", 1e8, "ns", .meaning = "own time of one call"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "the same as a share of the run"},
	{"waited_part", 0.8, "ratio",
	 .meaning =
		 "part of it that must lie in the run's idle time for it to have waited",
	 .most = 1},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part that a fix is assumed to save of a call that computed; of one "
		    "that waited all of it"},
	{0},
};

const struct rule rule_long_call = {
	.id = "T9",
	.slug = "long-call",
	.limits = long_call_limits,
	.title = "One call that holds its thread for long",
	.summary = "the own code of a single call holds a large share of the run",
	.specific = 1,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_long,
};
