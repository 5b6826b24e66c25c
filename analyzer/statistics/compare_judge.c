/* SPDX-License-Identifier: MIT */
/*
 * Compares exact quantities, and tests noisy ones. Must not treat calls as replicates: a
 * value stands for a run.
 */
#include "analyzer/statistics/compare_judge.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

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

/* The relative spread of a side; sorts values. */
static double noise(double *values, size_t count)
{
	double middle = statistics_median(values, count);

	if (!(middle > 0))
		return 0;
	return MAD_TO_DEVIATION * statistics_median_deviation(values, count) / middle;
}

/* If some runs have zeros (do not call the function), ratios are impossible: takes the
 * shift over the mean before. False: the side before is zero. */
static bool ratio_from_shift(struct change *change, double whole)
{
	if (!(whole > 0))
		return false;
	change->ratio = change->shift;
	change->ratio.estimate = 1 + change->shift.estimate / whole;
	change->ratio.low = 1 + change->shift.low / whole;
	change->ratio.high = 1 + change->shift.high / whole;
	return true;
}

double change_error(const struct change *change)
{
	return change->shift_error;
}

static double relative(double error, double value)
{
	/* An error of zero is infinite: kept finite. */
	return error > 0 ? error / fmax(value, error / 1e6) : 0;
}

static struct statistics_shift widened(struct statistics_shift interval, double ratio,
				       double shift)
{
	/* A ratio made from a shift may be below 0. */
	interval.low = fmin(interval.low, interval.low / (1 + ratio)) - shift;
	interval.high = interval.high * (1 + ratio) + shift;
	return interval;
}

struct statistics_shift change_widest(const struct change *change, bool is_ratio)
{
	struct statistics_shift shift =
		widened(change->runs_shift, 0, change->shift_error);

	if (is_ratio && change->most_before > 0)
		return (struct statistics_shift){1 + shift.estimate / change->most_before,
						 1 + shift.low / change->most_before,
						 1 + shift.high / change->most_before,
						 shift.confidence};
	return is_ratio ? widened(change->runs_ratio, change->ratio_error, 0) : shift;
}

struct statistics_shift change_narrowest(const struct change *change, bool is_ratio)
{
	return is_ratio ? widened(change->runs_ratio, change->least_ratio_error, 0)
			: widened(change->runs_shift, 0, change->least_shift_error);
}

enum outcome verdict_of(const struct statistics_shift *ratio, double p, double tolerance)
{
	/* 1 - 0.95 and 0.95 both carry a rounding error. */
	const double slack = 1e-12;

	if (!(ratio->confidence >= VERDICT_CONFIDENCE - slack))
		return OUTCOME_INCONCLUSIVE;
	if (ratio->low >= 1 - tolerance && ratio->high <= 1 + tolerance)
		return OUTCOME_UNCHANGED;
	if (!(p <= VERDICT_ALPHA + slack))
		return OUTCOME_INCONCLUSIVE;
	if (ratio->low > 1 + tolerance)
		return OUTCOME_REGRESSED;
	if (ratio->high < 1 - tolerance)
		return OUTCOME_IMPROVED;
	return OUTCOME_INCONCLUSIVE;
}

double verdict_tolerance(size_t before, size_t after)
{
	return before >= 10 && after >= 10 ? 0.02 : 0.05;
}

/* First the runs alone decide; then the verdict must also hold with the errors. */
static void decide(struct change *change, double tolerance)
{
	enum outcome by_runs = verdict_of(&change->runs_ratio, change->p, tolerance);
	struct statistics_shift ratio = by_runs == OUTCOME_UNCHANGED
						? change_narrowest(change, true)
						: change->ratio;
	bool is_beyond = change->shift.low > 0 || change->shift.high < 0;

	change->outcome = verdict_of(&ratio, change->p, tolerance);
	if (by_runs != OUTCOME_UNCHANGED && change_error(change) > 0 && !is_beyond)
		change->outcome = OUTCOME_INCONCLUSIVE;
	if (change->outcome != by_runs)
		change->outcome = OUTCOME_INCONCLUSIVE;
	change->is_blurred = change->outcome != by_runs;
	if (change->is_blurred)
		change->runs_needed = 0;
}

/* whole: what the values are a part of; 0: nothing else. */
static void test(struct change *change, const int64_t *values, size_t before_count,
		 size_t after_count, double whole)
{
	double tolerance = verdict_tolerance(before_count, after_count), spread;
	size_t count = before_count + after_count;
	auto_free double *numbers = xreallocarray(NULL, count, sizeof(*numbers));
	double *after = numbers + before_count;

	for (size_t i = 0; i < count; i++)
		numbers[i] = (double)values[i];
	change->p = statistics_mann_whitney(numbers, before_count, after, after_count);
	if (statistics_shift(numbers, before_count, after, after_count,
			     VERDICT_CONFIDENCE, &change->shift) == 0)
		change->is_tested =
			(!(whole > 0) &&
			 statistics_ratio(numbers, before_count, after, after_count,
					  VERDICT_CONFIDENCE, &change->ratio) == 0) ||
			ratio_from_shift(change, whole > 0 ? whole : change->before);
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
}

static double sum_of(double a, double b)
{
	return a + b > 0 ? a + b : 1;
}

/* hooks: their cost on each side. */
static void find_common_errors(struct change *change, double before_hooks,
			       double after_hooks, double drift)
{
	/* u(c) for each ns of hooks, by both sides */
	double part = (change->before_error + change->after_error) /
		      sum_of(before_hooks, after_hooks);
	double drift_ns = drift * (before_hooks + after_hooks) / 2;
	double shift = part * fabs(after_hooks - before_hooks);
	double ratio = fabs(relative(part * after_hooks, change->after) -
			    relative(part * before_hooks, change->before));

	change->shift_error = change->least_shift_error = hypot(shift, drift_ns);
	change->ratio_error = change->least_ratio_error =
		hypot(ratio, relative(drift_ns, fmax(change->before, change->after)));
}

static void find_errors(struct change *change, const struct change_errors *errors,
			size_t before_count, size_t after_count)
{
	double before = relative(change->before_error, change->before);
	double after = relative(change->after_error, change->after);
	const int64_t *hooks = errors->hooks ? errors->hooks : errors->errors;

	change->shift_error = hypot(change->before_error, change->after_error);
	change->ratio_error = hypot(before, after);
	change->least_shift_error = fabs(change->after_error - change->before_error);
	change->least_ratio_error = fabs(after - before);
	if (errors->is_common)
		find_common_errors(change, fmax(0, mean(hooks, before_count)),
				   fmax(0, mean(hooks + before_count, after_count)),
				   errors->drift);
	/* If a side is not known, nothing can be called unchanged in percent. */
	if (!(before < 1 && after < 1))
		change->ratio_error = change->least_ratio_error = hypot(before, after);
	if (!(change->ratio_error < 1) &&
	    (errors->is_common ||
	     fabs(change->after - change->before) > change->shift_error))
		change->most_before = change->before + change->before_error;
}

struct change change_means(const int64_t *values, const struct change_errors *errors,
			   size_t before_count, size_t after_count)
{
	struct change change = {
		.before = mean(values, before_count),
		.after = mean(values + before_count, after_count),
		.p = NAN,
	};

	if (errors && errors->errors) {
		change.before_error = fmax(0, mean(errors->errors, before_count));
		change.after_error =
			fmax(0, mean(errors->errors + before_count, after_count));
		find_errors(&change, errors, before_count, after_count);
	}
	return change;
}

double change_drift(const double *costs, size_t before_count, size_t after_count)
{
	struct statistics_shift ratio;

	if (statistics_ratio(costs, before_count, costs + before_count, after_count,
			     VERDICT_CONFIDENCE, &ratio) < 0)
		return 0;
	if (ratio.low < 1 && ratio.high > 1)
		return 0;
	return fabs(ratio.estimate - 1);
}

struct change change_of_part(const int64_t *values, const struct change_errors *errors,
			     size_t before_count, size_t after_count, double whole)
{
	struct change change = change_means(values, errors, before_count, after_count);

	change.most_before = 0;
	change.ratio_error = relative(change.shift_error, whole);
	change.least_ratio_error = relative(change.least_shift_error, whole);
	if ((before_count > 1 || after_count > 1) && whole > 0)
		test(&change, values, before_count, after_count, whole);
	return change;
}

struct change change_of_estimates(const int64_t *values,
				  const struct change_errors *errors, size_t before_count,
				  size_t after_count)
{
	struct change change = change_means(values, errors, before_count, after_count);

	if (before_count > 1 || after_count > 1)
		test(&change, values, before_count, after_count, 0);
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
		test(&change, values, before_count, after_count, 0);
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
	auto_free double *p = xreallocarray(NULL, count + 1, sizeof(*p));

	for (size_t i = 0; i < count; i++)
		p[i] = changes[i].is_tested ? changes[i].p : NAN;
	statistics_adjust(p, count);
	for (size_t i = 0; i < count; i++)
		if (changes[i].is_tested) {
			changes[i].p = p[i];
			decide(&changes[i], tolerance);
		}
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
