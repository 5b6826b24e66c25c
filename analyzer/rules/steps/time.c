/* SPDX-License-Identifier: MIT */
/*
 * Rules S1 and S2: steps that take longer and longer, and single steps that are far
 * slower than the others. Must not take one slow step for a drift; count a wait for a
 * CPU as the program's.
 */
#include "analyzer/rules/steps/course.h"

#include "analyzer/statistics/statistics.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "steps_course.sql.h"

#include <math.h>
#include <string.h>

#define SLOWEST_MOST 5
/* Below it steps drift, and the last ones are what is usual. */
#define P_CERTAIN 0.01

static double median_of(const double *values, size_t from, size_t to)
{
	double copy[STEP_SPANS_MOST];

	memcpy(copy, values + from, (to - from) * sizeof(*copy));
	return statistics_median(copy, to - from);
}

/* What a step takes in the first and in the last quarter of the run's steps. */
static void quarters(const struct steps *steps, double *ret_first, double *ret_last)
{
	size_t quarter = steps->span_count / 4;

	*ret_first = median_of(steps->means, 0, quarter);
	*ret_last =
		median_of(steps->means, steps->span_count - quarter, steps->span_count);
}

/* Of steps of several threads side by side only the run's share counts. */
static double of_run(const struct rule_input *input, double steps_ns, double ns)
{
	double run_ns = input->time_run->run_ns;

	return steps_ns > run_ns ? ns * run_ns / steps_ns : ns;
}

static void add_drift(struct rule_input *input, struct findings *ret,
		      const struct steps *steps, double first_ns, double last_ns,
		      double saving_ns)
{
	struct finding *finding = steps_add(input, ret, steps);

	finding->saving_ns = saving_ns;
	finding->impact = rule_share(saving_ns, input->time_run->run_ns);
	rule_evidence(input, finding, "last quarter by first", "ratio",
		      last_ns / first_ns, "later_by_first");
	rule_evidence(input, finding, "beyond the first, of the run", "percent",
		      finding->impact, "run_share");
	rule_evidence(input, finding, "a step of the first quarter", "ns", first_ns,
		      NULL);
	rule_evidence(input, finding, "of the last", "ns", last_ns, NULL);
	rule_evidence(input, finding, "steps", "count", steps->count, NULL);
}

static int look_for_drift(struct rule_input *input, struct findings *ret,
			  struct steps *steps)
{
	double first_ns, last_ns, beyond_ns = 0;

	quarters(steps, &first_ns, &last_ns);
	if (!(first_ns > 0) || last_ns < rule_limit(input, "later_by_first") * first_ns ||
	    !steps_rise(steps, steps->means, rule_limit(input, "p_highest")))
		return 0;
	/* A single slow step counts no more than its neighbours. */
	for (size_t i = 0; i < steps->span_count; i++)
		beyond_ns += steps->counts[i] *
			     fmax(0, fmin(steps->means[i], last_ns) - first_ns);
	beyond_ns = of_run(input, steps->total_ns, beyond_ns);
	if (beyond_ns >= rule_limit(input, "run_share") * input->time_run->run_ns)
		add_drift(input, ret, steps, first_ns, last_ns, beyond_ns);
	return 0;
}

static int evaluate_drift(struct rule_input *input, struct findings *ret)
{
	return steps_for_each(input, ret, false, look_for_drift);
}

static const struct rule_limit step_drift_limits[] = {
	{"least_steps", 32, "count", .meaning = "steps of one name"},
	{"later_by_first", 1.5, "ratio",
	 .meaning = "what steps of the last quarter take by those of the first, medians"},
	{"p_highest", 0.01, "ratio",
	 .meaning = "chance that steps without a trend would look like this "
		    "(Mann-Kendall), at most"},
	{"run_share", 0.05, "ratio",
	 .meaning = "share of the run that the later steps must take beyond the first "
		    "ones; waits for a CPU are taken off before"},
	{0},
};

const struct rule rule_step_drift = {
	.id = "S1",
	.slug = "step-drift",
	.limits = step_drift_limits,
	.title = "Steps that take longer and longer",
	.summary = "later steps of a name take markedly longer than the first ones",
	.specific = 1,
	.needs = MEASURED_STEPS | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_drift,
	.why = "later steps take longer than earlier ones, and not only some",
	.advice = {"look for work that grows with what earlier steps left: lists that "
		   "are searched, caches without a limit",
		   "take snapshots early and late: 'prof-analyze delta' shows the time "
		   "between two of them by function",
		   "when later input is larger by nature, suppress the finding with a "
		   "reason"},
	.proof = "SELECT number, timed_count, (total_ns - ready_ns) / timed_count AS "
		 "mean_ns, first_ns, last_ns FROM step_spans WHERE run_id = {run} AND "
		 "series_id = {series_id} ORDER BY number",
};

struct slow {
	double usual_ns;  /* the median; of steps that drift, of the last ones */
	double count;	  /* at least */
	double beyond_ns; /* the slow ones take beyond as many usual ones, at least */
	double slowest_ns;
	double started_ns; /* of the slowest */
};

/* The five slowest are known one by one. */
static int load_slowest(struct rule_input *input, const struct steps *steps,
			double least_ns, struct slow *ret)
{
	struct cursor *cursor = rule_query(input, steps_course_sql_slowest);

	cursor_bind_integer(cursor, ":series", steps->series_id);
	while (ret->count < SLOWEST_MOST && cursor_next(cursor) > 0) {
		double started_ns = cursor_real(cursor, "started_ns");
		double duration_ns = cursor_real(cursor, "duration_ns");

		if (duration_ns < least_ns)
			continue;
		if (duration_ns > ret->slowest_ns) {
			ret->slowest_ns = duration_ns;
			ret->started_ns = started_ns;
		}
		ret->count++;
		ret->beyond_ns += duration_ns - ret->usual_ns;
	}
	return rule_finish(input, cursor, 0);
}

/* Of more than five the percentiles tell: a hundredth of the steps takes p99 or more,
 * waits for a CPU among it: all that there were may have been theirs. */
static void add_percentiles(const struct steps *steps, double least_ns, struct slow *ret)
{
	const double parts[][2] = {
		{0.1, steps->p90_ns}, {0.05, steps->p95_ns}, {0.01, steps->p99_ns}};
	bool of_itself = ret->count == SLOWEST_MOST; /* else how many are is not known */

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double count = floor(parts[i][0] * steps->count);

		if (parts[i][1] < least_ns)
			continue;
		if (of_itself)
			ret->count = fmax(ret->count, count);
		ret->beyond_ns =
			fmax(ret->beyond_ns,
			     count * (parts[i][1] - ret->usual_ns) - steps->ready_ns);
	}
}

static void add_slow(struct rule_input *input, struct findings *ret,
		     const struct steps *steps, const struct slow *slow, double beyond_ns)
{
	struct finding *finding = steps_add(input, ret, steps);

	/* One may be what lies between two loops of one name. */
	finding->confidence = slow->count > 1 ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	finding->saving_ns = rule_limit(input, "assumed_gain") * beyond_ns;
	finding->impact = rule_share(finding->saving_ns, input->time_run->run_ns);
	rule_evidence(input, finding, "slowest by median", "ratio",
		      slow->slowest_ns / slow->usual_ns, "slow_by_usual");
	rule_evidence(input, finding, "slowest", "ns", slow->slowest_ns, NULL);
	rule_evidence(input, finding, "it began at", "ns", slow->started_ns, NULL);
	rule_evidence(input, finding, "median", "ns", slow->usual_ns, NULL);
	rule_evidence(input, finding, "slow steps, at least", "count", slow->count, NULL);
	rule_evidence(input, finding, "beyond the median, of the run", "percent",
		      rule_share(beyond_ns, input->time_run->run_ns), "run_share");
	finding->why = slow->count > 1
			       ? "some steps took far longer than most"
			       : "one step took far longer than all others; what lies "
				 "between two loops of the same name is a step, too";
	finding_advise(finding,
		       slow->count > 1
			       ? "see when they were: 'prof-analyze steps' lists the "
				 "five slowest with their time; equal distances hint at "
				 "a timer, a flush or a collection"
			       : "see what the program did then: 'prof-analyze steps' "
				 "tells the time",
		       "move rare work out of the loop, spread it over many steps, or "
		       "give it to another thread",
		       "put a region around what may be slow: its own p99 and longest "
		       "call are recorded");
}

static int look_for_slow(struct rule_input *input, struct findings *ret,
			 struct steps *steps)
{
	double first_ns, last_ns, least_ns, beyond_ns;
	struct slow slow = {.usual_ns = steps->p50_ns};
	int result;

	quarters(steps, &first_ns, &last_ns);
	if (steps->p50_ns > 0 && last_ns > steps->p50_ns &&
	    steps_rise(steps, steps->means, P_CERTAIN))
		slow.usual_ns = last_ns;
	least_ns = fmax(rule_limit(input, "slow_by_usual") * slow.usual_ns,
			rule_limit(input, "least_ns"));
	if (!(slow.usual_ns > 0) || steps->max_ns < least_ns)
		return 0;
	result = load_slowest(input, steps, least_ns, &slow);
	if (result < 0)
		return result;
	add_percentiles(steps, least_ns, &slow);
	beyond_ns = of_run(input, steps->total_ns, slow.beyond_ns);
	if (slow.count > 0 &&
	    beyond_ns >= rule_limit(input, "run_share") * input->time_run->run_ns)
		add_slow(input, ret, steps, &slow, beyond_ns);
	return 0;
}

static int evaluate_slow(struct rule_input *input, struct findings *ret)
{
	return steps_for_each(input, ret, false, look_for_slow);
}

static const struct rule_limit slow_steps_limits[] = {
	{"least_steps", 32, "count", .meaning = "steps of one name"},
	{"slow_by_usual", 10, "ratio", .meaning = "what a slow step takes by the median"},
	{"least_ns", 1e6, "ns",
	 .meaning = "a step that takes less is not slow, whatever the median"},
	{"run_share", 0.01, "ratio",
	 .meaning = "share of the run that the slow steps must take beyond the median, "
		    "less what the program waited for a CPU"},
	{"assumed_gain", 0.8, "ratio",
	 .meaning = "part of that which a fix is assumed to save"},
	{0},
};

const struct rule rule_slow_steps = {
	.id = "S2",
	.slug = "slow-steps",
	.limits = slow_steps_limits,
	.title = "Single steps far slower than the others",
	.summary = "some steps of a name take many times the median",
	.specific = 1,
	.needs = MEASURED_STEPS | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_slow,
	.proof = "SELECT rank, step_index, started_ns, duration_ns, ready_ns FROM "
		 "step_extremes WHERE run_id = {run} AND series_id = {series_id} AND "
		 "is_slowest = 1 ORDER BY rank",
};
