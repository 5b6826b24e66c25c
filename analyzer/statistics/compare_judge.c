/* SPDX-License-Identifier: MIT */
/*
 * Exact quantities compared, noisy ones tested. Must not treat calls as replicates: a
 * value is a run's.
 */
#include "analyzer/statistics/compare_judge.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

#define POWER 0.8
#define MAD_TO_DEVIATION 1.4826

static bool all_equal(const int64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static double mean(const int64_t *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)values[i];
	return count ? sum / (double)count : 0;
}

/* The relative spread of a side; it sorts values. */
static double noise(double *values, size_t count)
{
	double middle = statistics_median(values, count);

	if (!(middle > 0))
		return 0;
	return MAD_TO_DEVIATION * statistics_median_deviation(values, count) / middle;
}

/* Zeros, as of a function that some runs do not call, have no ratio: the shift over the
 * mean before takes its place. False: before is nothing at all. */
static bool ratio_from_shift(struct change *change)
{
	if (!(change->before > 0))
		return false;
	change->ratio = change->shift;
	change->ratio.estimate = 1 + change->shift.estimate / change->before;
	change->ratio.low = 1 + change->shift.low / change->before;
	change->ratio.high = 1 + change->shift.high / change->before;
	return true;
}

double change_error(const struct change *change)
{
	return hypot(change->before_error, change->after_error);
}

static double relative(double error, double value)
{
	/* Of nothing every error is large; not so large that it is no number. */
	return error > 0 ? error / fmax(value, error / 1e6) : 0;
}

static struct statistics_shift widened(struct statistics_shift interval, double ratio,
				       double shift)
{
	/* Below 0 a ratio that was made of a shift may be. */
	interval.low = fmin(interval.low, interval.low / (1 + ratio)) - shift;
	interval.high = interval.high * (1 + ratio) + shift;
	return interval;
}

struct statistics_shift change_widest(const struct change *change, bool is_ratio)
{
	double before = relative(change->before_error, change->before);
	double after = relative(change->after_error, change->after);

	return is_ratio ? widened(change->runs_ratio, hypot(before, after), 0)
			: widened(change->runs_shift, 0, change_error(change));
}

struct statistics_shift change_narrowest(const struct change *change, bool is_ratio)
{
	double before = relative(change->before_error, change->before);
	double after = relative(change->after_error, change->after);

	/* Of what is not known on a side nothing is the same. */
	if (before >= 1 || after >= 1)
		return change_widest(change, is_ratio);
	return is_ratio ? widened(change->runs_ratio, fabs(after - before), 0)
			: widened(change->runs_shift, 0,
				  fabs(change->after_error - change->before_error));
}

static enum outcome outcome_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_UNCHANGED:
		return OUTCOME_UNCHANGED;
	case VERDICT_IMPROVED:
		return OUTCOME_IMPROVED;
	case VERDICT_REGRESSED:
		return OUTCOME_REGRESSED;
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return OUTCOME_INCONCLUSIVE;
}

/* The runs alone decide first; then it must hold with the errors, too. */
static void decide(struct change *change, double tolerance)
{
	enum verdict by_runs = verdict_of(&change->runs_ratio, change->p, tolerance);
	struct statistics_shift ratio = by_runs == VERDICT_UNCHANGED
						? change_narrowest(change, true)
						: change->ratio;
	bool is_beyond = change->shift.low > 0 || change->shift.high < 0;

	change->outcome = outcome_of(verdict_of(&ratio, change->p, tolerance));
	if (by_runs != VERDICT_UNCHANGED && change_error(change) > 0 && !is_beyond)
		change->outcome = OUTCOME_INCONCLUSIVE;
	if (change->outcome != outcome_of(by_runs))
		change->outcome = OUTCOME_INCONCLUSIVE;
	change->is_blurred = change->outcome != outcome_of(by_runs);
	if (change->is_blurred)
		change->runs_needed = 0;
}

static void test(struct change *change, const int64_t *values, size_t before_count,
		 size_t after_count)
{
	double tolerance = verdict_tolerance(before_count, after_count), spread;
	size_t count = before_count + after_count;
	double *numbers = xreallocarray(NULL, count, sizeof(*numbers));
	double *after = numbers + before_count;

	for (size_t i = 0; i < count; i++)
		numbers[i] = (double)values[i];
	change->p = statistics_mann_whitney(numbers, before_count, after, after_count);
	if (statistics_shift(numbers, before_count, after, after_count,
			     VERDICT_CONFIDENCE, &change->shift) == 0)
		change->is_tested =
			statistics_ratio(numbers, before_count, after, after_count,
					 VERDICT_CONFIDENCE, &change->ratio) == 0 ||
			ratio_from_shift(change);
	change->outcome = OUTCOME_INCONCLUSIVE;
	if (change->is_tested) {
		spread = fmax(noise(numbers, before_count), noise(after, after_count));
		change->runs_needed = statistics_runs_needed(tolerance, spread,
							     VERDICT_CONFIDENCE, POWER);
		change->runs_ratio = change->ratio;
		change->runs_shift = change->shift;
		change->ratio = change_widest(change, true);
		change->shift = change_widest(change, false);
		decide(change, tolerance);
	}
	free(numbers);
}

struct change change_means(const int64_t *values, const int64_t *errors,
			   size_t before_count, size_t after_count)
{
	struct change change = {
		.before = mean(values, before_count),
		.after = mean(values + before_count, after_count),
		.p = NAN,
	};

	if (errors) {
		change.before_error = fmax(0, mean(errors, before_count));
		change.after_error = fmax(0, mean(errors + before_count, after_count));
	}
	return change;
}

struct change change_of_estimates(const int64_t *values, const int64_t *errors,
				  size_t before_count, size_t after_count)
{
	struct change change = change_means(values, errors, before_count, after_count);

	if (before_count > 1 || after_count > 1)
		test(&change, values, before_count, after_count);
	return change;
}

struct change change_of(const int64_t *values, size_t before_count, size_t after_count,
			bool is_countable)
{
	struct change change = change_means(values, NULL, before_count, after_count);
	bool agree = all_equal(values, before_count) &&
		     all_equal(values + before_count, after_count);

	change.is_exact = is_countable && agree;
	change.is_demoted = is_countable && !agree;
	if (change.is_exact)
		change.outcome = change.after > change.before	? OUTCOME_REGRESSED
				 : change.after < change.before ? OUTCOME_IMPROVED
								: OUTCOME_UNCHANGED;
	else if (before_count > 1 || after_count > 1)
		test(&change, values, before_count, after_count);
	return change;
}

void change_forgive_bytes(struct change *change)
{
	double difference = fabs(change->after - change->before);

	if (change->is_exact && difference < 4096 && difference < change->before / 1000)
		change->outcome = OUTCOME_UNCHANGED;
}

void change_adjust(struct change *changes, size_t count, size_t before_count,
		   size_t after_count)
{
	double tolerance = verdict_tolerance(before_count, after_count);
	double *p = xreallocarray(NULL, count + 1, sizeof(*p));

	for (size_t i = 0; i < count; i++)
		p[i] = changes[i].is_tested ? changes[i].p : NAN;
	if (statistics_adjust(p, count) < 0)
		for (size_t i = 0; i < count; i++)
			p[i] = 1; /* no memory: nothing is found rather than too much */
	for (size_t i = 0; i < count; i++)
		if (changes[i].is_tested) {
			changes[i].p = p[i];
			decide(&changes[i], tolerance);
		}
	free(p);
}

const char *outcome_word(enum outcome outcome)
{
	static const char *const words[] = {
		[OUTCOME_OPEN] = "-",
		[OUTCOME_UNCHANGED] = "unchanged",
		[OUTCOME_IMPROVED] = "improved",
		[OUTCOME_REGRESSED] = "regressed",
		[OUTCOME_INCONCLUSIVE] = "inconclusive",
	};

	return words[outcome];
}

struct change_split change_split(double calls_before, double self_before,
				 double calls_after, double self_after)
{
	double difference = self_after - self_before;
	struct change_split split = {.by_calls = difference};

	if (calls_before > 0 && calls_after > 0) {
		split.by_calls =
			(calls_after - calls_before) * (self_before / calls_before);
		split.by_cost = difference - split.by_calls;
	}
	return split;
}
