/* SPDX-License-Identifier: MIT */
/*
 * Rules T7 and T8: functions of which some calls take far longer than the others, a few
 * (a tail) or many (a second mode). Must not take a wait for computing; nor read the
 * histogram of a recursion, which counts nested calls again.
 *
 * That calls differ is measured; that they need not, nobody knows: a lexer reads long
 * words and short ones, bc multiplies long numbers and short ones. So this is never sure.
 */
#include "analyzer/statistics/histogram.h"
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_spread.sql.h"

#include <math.h>

/* The buckets' middles are up to 6.25 % off; sums that differ more are a recursion's. */
#define SUM_TOLERANCE 1.15

static const char proof[] =
	"SELECT name, calls, total_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns, (p99_ns + "
	"inner_cost_ns) / (p50_ns + 2 * inner_cost_ns + outer_cost_ns) AS p99_by_p50 "
	"FROM functions JOIN run USING (run_id) WHERE run_id = {run} AND function_id = "
	"{function_id}";

struct spread {
	int64_t function_id;
	double calls;
	double run_ns;	   /* what the function computes of the run, with what it calls */
	double self_share; /* self time's part of that */
	double computed_ns; /* the histogram's sum, without the waits of the calls */
	double tick_ns;
	struct histogram histogram;
	bool has_modes;
	struct histogram_modes modes;
};

/* 1: can be judged, 0: cannot, or -errno. */
static int read_row(struct rule_input *input, struct cursor *cursor, struct spread *ret)
{
	double run_ns = input->time_run->run_ns, hist_ns;
	double total_ns = cursor_real(cursor, "served_ns");
	const void *bytes;
	size_t size;

	*ret = (struct spread){
		.function_id = cursor_integer(cursor, "function_id"),
		.calls = cursor_real(cursor, "calls"),
		.run_ns = fmin(cursor_real(cursor, "run_part") * total_ns, run_ns),
		.self_share = rule_share(cursor_real(cursor, "own_ns"), total_ns),
		.tick_ns = cursor_real(cursor, "tick_ns"),
	};
	bytes = cursor_blob(cursor, "histogram", &size);
	if (histogram_decode(bytes, size, &ret->histogram) < 0)
		return 0;
	hist_ns = ret->histogram.ticks * ret->tick_ns;
	ret->computed_ns = hist_ns - cursor_real(cursor, "waited_ns");
	return hist_ns > 0 &&
	       hist_ns <= SUM_TOLERANCE * cursor_real(cursor, "raw_total_ns") &&
	       ret->run_ns * cursor_real(cursor, "sure") >=
		       rule_limit(input, "run_share") * run_ns;
}

/* The part of what the calls computed beyond what usual ones take: those make a tail of
 * their own, or a slow mode. At least, for the usual ones may have waited, too. */
static double beyond(const struct spread *spread, double usual_ns)
{
	return rule_share(spread->computed_ns - spread->calls * usual_ns,
			  spread->computed_ns);
}

/* What a fix may gain of a function that consists of excess. What its callees take is
 * theirs: calls that go different ways through a program differ by nature. */
static double gain_ns(struct rule_input *input, const struct spread *spread)
{
	return spread->run_ns * spread->self_share * rule_limit(input, "assumed_gain");
}

/* Of the medians: a long tail would lift the mean of what is no mode of its own. A
 * duration is known to the cost of a hook: of shorter ones that is the unit. */
static double mode_ratio(const struct rule_input *input, const struct spread *spread)
{
	return spread->modes.slow_median * spread->tick_ns /
	       (spread->modes.fast_median * spread->tick_ns + input->hook_cost_ns);
}

static bool find_modes(struct rule_input *input, const struct rule *rule,
		       struct spread *spread)
{
	const struct rule *own = input->rule;

	/* T7 asks, too, by the limits of T8: what has two modes has no tail. */
	input->rule = rule;
	spread->has_modes =
		histogram_find_modes(&spread->histogram, rule_limit(input, "valley"),
				     rule_limit(input, "least_part"), &spread->modes) &&
		mode_ratio(input, spread) >= rule_limit(input, "mode_ratio") &&
		spread->modes.slow_calls <= rule_limit(input, "most_calls");
	spread->has_modes = spread->has_modes &&
			    beyond(spread, spread->modes.fast_ticks * spread->tick_ns) >=
				    rule_limit(input, "slow_share");
	input->rule = own;
	return spread->has_modes;
}

/* Each row of the query, by the rule's limits; look: adds what it finds. */
static int look_at_all(struct rule_input *input, struct findings *ret,
		       int (*look)(struct rule_input *, struct findings *,
				   struct spread *))
{
	struct cursor *cursor;
	struct spread spread;
	double is_measured;
	int result = rule_first_number(input, time_spread_sql_measured, 0, &is_measured);

	if (result < 0)
		return result;
	if (!(is_measured > 0))
		return rule_not_measured(input,
					 "no durations of single calls were recorded");
	cursor = rule_query(input, time_spread_sql_functions);
	while (result >= 0 && cursor_next(cursor) > 0) {
		result = read_row(input, cursor, &spread);
		if (result > 0)
			result = look(input, ret, &spread);
	}
	return rule_finish(input, cursor, result);
}

/* clang-format off */
#define LIMITS_OF_BOTH                                                                   \
	{"assumed_gain", 0.8, "ratio", .most = 1,                                        \
	 .meaning = "part that a fix is assumed to save of the excess of the slow "      \
		    "calls, as far as it is the function's self time"},                   \
	{"least_by_hooks", 1, "ratio",                                                   \
	 .meaning = "self time, by what was subtracted from it for hooks: less hangs on "\
		    "how exact that is"},                                                \
	{"allocs_per_call", 0.25, "ratio",                                               \
	 .meaning = "allocations of the function's own for each call, from which its "   \
		    "durations are the allocator's and the kernel's"}
/* clang-format on */

extern const struct rule rule_two_modes;

/* Not a few calls stand out, but durations spread over a wide range: a quicksort sorts
 * long parts and short ones. */
static bool is_broad(struct rule_input *input, const struct spread *spread, double p50_ns)
{
	double p90_ns = histogram_quantile(&spread->histogram, 0.9) * spread->tick_ns;

	return p90_ns >= rule_limit(input, "broad") * (p50_ns + input->hook_cost_ns);
}

static int look_for_tail(struct rule_input *input, struct findings *ret,
			 struct spread *spread)
{
	double p50 = histogram_quantile(&spread->histogram, 0.5) * spread->tick_ns;
	double p99 = histogram_quantile(&spread->histogram, 0.99) * spread->tick_ns;
	double slowest = histogram_slowest_share(&spread->histogram, 0.01);
	double share = fmin(slowest, beyond(spread, p50));
	double ratio = p99 / (p50 + input->hook_cost_ns);
	struct finding *finding;

	if (ratio < rule_limit(input, "p99_by_p50") ||
	    share < rule_limit(input, "tail_share") ||
	    find_modes(input, &rule_two_modes, spread))
		return 0;
	finding = rule_add_function(input, ret, spread->function_id, false);
	finding->saving_ns = share * gain_ns(input, spread);
	finding->impact = rule_share(finding->saving_ns, input->time_run->run_ns);
	if (is_broad(input, spread, p50)) {
		finding->confidence = CONFIDENCE_LOW;
		finding->specific = 0; /* less than T1 */
	}
	rule_evidence(input, finding, "p99 by p50", "ratio", ratio, "p99_by_p50");
	rule_evidence(input, finding, "slowest 1 % of the calls, of its time", "percent",
		      slowest, "tail_share");
	rule_evidence(input, finding, "p50", "ns", p50, NULL);
	rule_evidence(input, finding, "p99", "ns", p99, NULL);
	rule_evidence(input, finding, "calls", "count", spread->calls, NULL);
	rule_evidence(input, finding, "share of the run", "percent",
		      rule_share(spread->run_ns, input->time_run->run_ns), NULL);
	return 0;
}

static int evaluate_tail(struct rule_input *input, struct findings *ret)
{
	return look_at_all(input, ret, look_for_tail);
}

static const struct rule_limit tail_latency_limits[] = {
	{"least_calls", 1000, "count", .meaning = "calls"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the run that the function must hold, with what it calls"},
	{"p99_by_p50", 10, "ratio",
	 .meaning = "duration that 99 % of the calls do not exceed, by the median"},
	{"broad", 5, "ratio", .least = 1, .not_above = "p99_by_p50",
	 .meaning = "the same of 90 % of the calls, from which the confidence is low: "
		    "durations that spread are no tail"},
	{"tail_share", 0.1, "ratio", .most = 1,
	 .meaning = "share of the function's time that its slowest 1 % of calls must "
		    "hold, less what the process waited for a CPU"},
	LIMITS_OF_BOTH,
	{0},
};

const struct rule rule_tail_latency = {
	.id = "T7",
	.slug = "tail-latency",
	.limits = tail_latency_limits,
	.title = "A few calls that take many times as long",
	.summary =
		"the slowest hundredth of a function's calls takes far longer than the "
		"others and a good part of its time",
	.specific = 2,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_tail,
	.why = "a few calls take many times as long as most do, and much of its time "
	       "with them",
	.advice = {"find what the slow calls do that the others do not: its callees, "
		   "with 'prof-analyze callers'",
		   "move growing, flushing and rebuilding out of the call, or do a "
		   "little of it in each",
		   "waits are not in it: see W1 to W3 and L1 to L3"},
	.proof = proof,
};

static int look_for_modes(struct rule_input *input, struct findings *ret,
			  struct spread *spread)
{
	const struct histogram_modes *modes = &spread->modes;
	double fast_ns;
	struct finding *finding;

	if (!find_modes(input, input->rule, spread))
		return 0;
	fast_ns = modes->fast_ticks * spread->tick_ns;
	finding = rule_add_function(input, ret, spread->function_id, false);
	finding->saving_ns =
		fmin(modes->slow_share, beyond(spread, fast_ns)) * gain_ns(input, spread);
	finding->impact = rule_share(finding->saving_ns, input->time_run->run_ns);
	rule_evidence(input, finding, "slow by fast", "ratio", mode_ratio(input, spread),
		      "mode_ratio");
	rule_evidence(input, finding, "slow calls, of its time", "percent",
		      modes->slow_share, "slow_share");
	rule_evidence(input, finding, "slow calls, of its calls", "percent",
		      modes->slow_calls, NULL);
	rule_evidence(input, finding, "mean of the fast", "ns", fast_ns, NULL);
	rule_evidence(input, finding, "mean of the slow", "ns",
		      modes->slow_ticks * spread->tick_ns, NULL);
	rule_evidence(input, finding, "calls", "count", spread->calls, NULL);
	return 0;
}

static int evaluate_modes(struct rule_input *input, struct findings *ret)
{
	return look_at_all(input, ret, look_for_modes);
}

static const struct rule_limit two_modes_limits[] = {
	{"least_calls", 100, "count", .meaning = "calls"},
	{"run_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the run that the function must hold, with what it calls"},
	{"mode_ratio", 10, "ratio", .least = 1,
	 .meaning = "median of the slow calls by that of the fast ones"},
	{"most_calls", 0.3, "ratio", .most = 1,
	 .meaning = "share of the calls that are slow at most: more are the function's "
		    "usual way, which T1 judges"},
	{"slow_share", 0.2, "ratio", .most = 1,
	 .meaning = "share of the function's time that the slow calls must hold, less "
		    "what the process waited for a CPU"},
	{"least_part", 0.05, "ratio", .most = 0.5, .not_above = "most_calls",
	 .meaning = "part of the calls that each kind must have"},
	{"valley", 0.05, "ratio",
	 .meaning = "calls between the kinds, of the calls of the smaller one, at most"},
	LIMITS_OF_BOTH,
	{0},
};

const struct rule rule_two_modes = {
	.id = "T8",
	.slug = "two-mode-latency",
	.limits = two_modes_limits,
	.title = "Calls of two kinds, fast and slow",
	.summary = "a function's durations fall into two groups far from each other, and "
		   "the slow one holds much of its time",
	.specific = 2,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_modes,
	.why = "its calls are of two kinds, fast and slow, with hardly any in between",
	.advice = {"find the branch that the slow calls take: a miss of a cache, growth, "
		   "a fallback",
		   "make it rarer: a larger cache, a reserve, a better guess",
		   "give the slow way a function of its own, to see it by itself"},
	.proof = proof,
};
