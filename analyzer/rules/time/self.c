/* SPDX-License-Identifier: MIT */
/*
 * Rules T1 and T9: functions whose own code computes for much of the run, in many calls
 * or in one. Must not count waits; nor say computed where it was not told from them.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rules/measured.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_self.sql.h"

#include <math.h>

/* A wait takes two switches of threads and a wake-up: most calls that are shorter on
 * average did not wait. */
#define WAIT_LEAST_NS 20e3

struct function {
	int64_t function_id;
	double calls;
	double self_ns;	 /* without waits for a CPU */
	double cpu_ns;	 /* what its own code computed */
	double total_ns; /* computed with what it calls */
	double run_ns;	 /* what of it counts for the run: of threads side by side one */
	double one_ns;	 /* what its longest call computed of it; at least */
	double hooks_ns; /* subtracted from its own time */
	double error_ns; /* of its own time */
	double sure;	 /* the part of that which is there with the error, too: 0 to 1 */
	double p50_ns, allocs;
};

static void read_row(struct cursor *cursor, struct function *ret)
{
	double ready_ns = cursor_real(cursor, "self_ready_ns");
	double waited_ns = ready_ns + cursor_real(cursor, "self_blocked_ns");
	double one_ns = cursor_real(cursor, "max_ns") -
			cursor_real(cursor, "children_ns") - waited_ns;

	*ret = (struct function){
		.function_id = cursor_integer(cursor, "function_id"),
		.calls = cursor_real(cursor, "calls"),
		.self_ns = cursor_real(cursor, "self_ns") - ready_ns,
		.total_ns = cursor_real(cursor, "total_ns") -
			    cursor_real(cursor, "ready_ns") -
			    cursor_real(cursor, "blocked_ns"),
		.cpu_ns = cursor_real(cursor, "self_ns") - waited_ns,
		.p50_ns = cursor_real(cursor, "p50_ns"),
		.hooks_ns = cursor_real(cursor, "hooks_ns"),
		.allocs = cursor_real(cursor, "alloc_count"),
		.error_ns = cursor_real(cursor, "self_error_ns"),
	};
	ret->sure = rule_share(rule_least(ret->cpu_ns, ret->error_ns), ret->cpu_ns);
	ret->one_ns = fmin(fmax(0, one_ns), ret->cpu_ns);
}

static int complete(struct rule_input *input, struct function *function)
{
	int result = time_run_function(input, function->function_id, function->cpu_ns,
				       &function->run_ns);

	function->one_ns = fmin(function->one_ns, function->run_ns);
	return result;
}

/* Then T9 judges. */
static bool is_one(const struct function *function)
{
	return function->one_ns >= function->run_ns / 2;
}

static const char *proof(struct rule_input *input, int64_t function_id)
{
	return rule_text(
		input,
		"SELECT name, calls, self_cpu_ns, self_ready_ns, self_blocked_ns, "
		"total_ns, "
		"p50_ns, max_ns FROM functions WHERE run_id = %lld AND function_id = "
		"%lld",
		(long long)input->run_id, (long long)function_id);
}

/* Of short calls what is left hangs on how well the hooks' cost was subtracted. */
static bool is_subtracted(struct rule_input *input, const struct function *function)
{
	return function->cpu_ns / function->calls <
	       rule_limit(input, "sure_hooks") * input->hook_cost_ns;
}

/* Much of what it computes is malloc's, and what the recorder took where the heap is not
 * in the caches: about 100 ns, of which less is subtracted. */
static bool is_allocating(struct rule_input *input, const struct function *function)
{
	return function->cpu_ns < rule_limit(input, "alloc_ns") * function->allocs;
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
	finding->why = "much of the run is in its own code, not in what it calls";
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
	double run_ns = input->time_run->run_ns, gain = rule_limit(input, "assumed_gain");
	struct finding *finding =
		rule_add_function(input, ret, function->function_id, false);

	finding->confidence =
		is_subtracted(input, function) || is_allocating(input, function)
			? CONFIDENCE_LOW
			: CONFIDENCE_MEDIUM;
	finding->saving_ns = gain * function->run_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "own share of the run", "percent",
			       100 * rule_share(function->run_ns, run_ns),
			       100 * rule_limit(input, "own_share"));
	finding_evidence(finding, "computed itself", "ns", function->cpu_ns);
	finding_evidence_error(finding, function->error_ns);
	finding_evidence(finding, "own share of that with what it calls", "percent",
			 100 * rule_share(function->cpu_ns, function->total_ns));
	finding_evidence(finding, "calls", "count", function->calls);
	finding_evidence(finding, "computed per call", "ns",
			 function->cpu_ns / function->calls);
	if (function->self_ns > 1.01 * function->cpu_ns)
		finding_evidence(finding, "waited besides", "ns",
				 function->self_ns - function->cpu_ns);
	explain_hot(input, finding, function);
	finding->sql = proof(input, function->function_id);
}

/* Short calls did not wait; of longer ones only the split tells. */
static bool is_known(const struct rule_input *input, const struct function *function)
{
	return input->time_run->has_split ||
	       function->self_ns < WAIT_LEAST_NS * function->calls;
}

/* Whatever the error of its time makes of it. */
static bool is_hot(struct rule_input *input, const struct function *function)
{
	double cpu_ns = function->sure * function->cpu_ns;

	return function->sure * function->run_ns >=
		       rule_limit(input, "own_share") * input->time_run->run_ns &&
	       function->cpu_ns >= rule_limit(input, "own_part") * function->total_ns &&
	       cpu_ns >= rule_limit(input, "least_by_hooks") * function->hooks_ns &&
	       cpu_ns / function->calls >
		       rule_limit(input, "least_hooks") * input->hook_cost_ns &&
	       !is_one(function) && !rule_is_libc(input, function->function_id);
}

static int evaluate_hot(struct rule_input *input, struct findings *ret)
{
	double least_ns = rule_limit(input, "own_share") * input->time_run->run_ns;
	size_t unknown = 0, before = ret->count;
	struct cursor *cursor = rule_query(input, time_self_sql_functions);
	int result = 0;

	cursor_bind_real(cursor, ":least", least_ns);
	while (result >= 0 && cursor_next(cursor) > 0) {
		struct function function;

		read_row(cursor, &function);
		result = complete(input, &function);
		if (!is_known(input, &function))
			unknown += function.run_ns >= least_ns;
		else if (result >= 0 && is_hot(input, &function))
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
	 .meaning = "share of the run that the function's own code must compute"},
	{"own_part", 0.5, "ratio", .most = 1,
	 .meaning = "part of what is computed at and below it that must be its own"},
	{"least_hooks", 2, "ratio", .not_above = "sure_hooks",
	 .meaning = "what it computes in a call, in costs of a hook pair, below which T2 "
		    "judges alone"},
	{"sure_hooks", 4, "ratio",
	 .meaning = "the same below which the confidence is low"},
	{"alloc_ns", 300, "ns",
	 .meaning = "what it computes for each allocation of its own, below which the "
		    "confidence is low: much of it is malloc's"},
	{"least_by_hooks", 0.5, "ratio",
	 .meaning =
		 "what it computes, by what was subtracted for hooks: less hangs on how "
		 "exact that is"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of it that a fix is assumed to save: twice as fast"},
	{0},
};

const struct rule rule_hot_leaf = {
	.id = "T1",
	.slug = "hot-leaf",
	.limits = hot_leaf_limits,
	.title = "Code that computes for much of the run itself",
	.summary = "a function's own code, not what it calls, computes for a large share "
		   "of the run",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_tiny_calls, NULL},
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL,
	.evaluate = evaluate_hot,
};

static void add_long(struct rule_input *input, struct findings *ret,
		     const struct function *function)
{
	double run_ns = input->time_run->run_ns;
	struct finding *finding =
		rule_add_function(input, ret, function->function_id, false);

	finding->saving_ns = rule_limit(input, "assumed_gain") * function->one_ns;
	finding->impact = rule_share(finding->saving_ns, run_ns);
	finding_evidence_limit(finding, "computed by one call itself", "ns",
			       function->one_ns, rule_limit(input, "least_ns"));
	finding_evidence_limit(finding, "share of the run", "percent",
			       100 * rule_share(function->one_ns, run_ns),
			       100 * rule_limit(input, "run_share"));
	finding_evidence(finding, "calls", "count", function->calls);
	if (function->calls > 1)
		finding_evidence(finding, "p50 of its calls", "ns", function->p50_ns);
	finding->why = "one call computed for long, without a sign of progress outside";
	finding_advise(finding, "do less: a better algorithm, or a result that is kept",
		       "split it into parts that can be spread over threads, or moved "
		       "out of the way of who waits",
		       "instrument what it calls: its time is told as one lump");
	finding->sql = proof(input, function->function_id);
}

static int evaluate_long(struct rule_input *input, struct findings *ret)
{
	double least_ns = fmax(rule_limit(input, "least_ns"),
			       rule_limit(input, "run_share") * input->time_run->run_ns);
	struct cursor *cursor = rule_query(input, time_self_sql_functions);
	int result = 0;

	cursor_bind_real(cursor, ":least", least_ns);
	while (result >= 0 && cursor_next(cursor) > 0) {
		struct function function;

		read_row(cursor, &function);
		result = complete(input, &function);
		if (result >= 0 && function.sure * function.one_ns >= least_ns &&
		    is_one(&function) && !rule_is_libc(input, function.function_id))
			add_long(input, ret, &function);
	}
	return rule_finish(input, cursor, result);
}

static const struct rule_limit long_call_limits[] = {
	{"least_ns", 1e8, "ns", .meaning = "what one call computes itself"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "the same as a share of the run"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning = "part of it that a fix is assumed to save"},
	{0},
};

const struct rule rule_long_call = {
	.id = "T9",
	.slug = "long-call",
	.limits = long_call_limits,
	.title = "One call that computes for long",
	.summary = "the own code of a single call computes for a large share of the run",
	.specific = 1,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_long,
};
