/* SPDX-License-Identifier: MIT */
/* What this is: errors of hooks that are wrong alike on both sides: known answers, and
 * how often verdict and interval are wrong in simulated recordings of which the truth is
 * known. Seeds are fixed. */
#include "analyzer/statistics/compare_judge.h"
#include "tests/unit/tests.h"

#include <math.h>

enum { RUNS = 10, EXPERIMENTS = 2000 };

static struct change change_with(const int64_t *errors, const int64_t *hooks,
				 double drift)
{
	return change_means((int64_t[]){1000, 1200},
			    &(struct change_errors){errors, hooks, true, drift}, 1, 1);
}

/* 0.3 ns of each ns of hooks are not known: of 100 more of them 30. */
TEST(only_more_hooks_make_a_difference)
{
	struct change change =
		change_with((int64_t[]){300, 330}, (int64_t[]){1000, 1100}, 0);

	assert_float_equal(change.before_error, 300, 1e-9);
	assert_float_equal(change.after_error, 330, 1e-9);
	assert_float_equal(change_error(&change), 30, 1e-9);
	/* 330 / 1200 - 300 / 1000 */
	assert_float_equal(change.ratio_error, 0.025, 1e-9);
	/* as many hooks: what was measured of their error scatters, and says nothing */
	change = change_with((int64_t[]){300, 330}, (int64_t[]){1000, 1000}, 0);
	assert_float_equal(change_error(&change), 0, 1e-9);
	/* not known how many: what the errors differ by */
	change = change_with((int64_t[]){300, 330}, NULL, 0);
	assert_float_equal(change_error(&change), 30, 1e-9);
}

TEST(another_cost_of_hooks_is_an_error_of_all_of_them)
{
	struct change change =
		change_with((int64_t[]){300, 330}, (int64_t[]){1000, 1100}, 0.04);

	/* 4 % of 1050, and 30 */
	assert_float_equal(change_error(&change), hypot(30, 42), 1e-9);
	assert_float_equal(change.ratio_error, hypot(0.025, 42. / 1200), 1e-9);
}

TEST(errors_of_others_do_not_cancel)
{
	struct change_errors errors = {(int64_t[]){300, 400}, (int64_t[]){1000, 1000},
				       false, 0};
	struct change change = change_means((int64_t[]){1000, 2000}, &errors, 1, 1);

	assert_float_equal(change_error(&change), 500, 1e-9);
	assert_float_equal(change.ratio_error, hypot(0.3, 0.2), 1e-9);
	assert_float_equal(change.least_shift_error, 100, 1e-9);
}

TEST(costs_that_differ_by_chance_do_not_differ)
{
	double by_chance[] = {27, 28, 29, 30, 26, 28.5, 27.5, 29.5};
	double apart[] = {20, 20.1, 20.2, 19.9, 22, 22.1, 21.9, 22.2};

	assert_float_equal(change_drift((double[]){28, 28}, 1, 1), 0, 1e-9);
	assert_float_equal(change_drift((double[]){25, 26}, 1, 1), 0.04, 1e-9);
	assert_float_equal(change_drift(by_chance, 4, 4), 0, 1e-9);
	assert_float_equal(change_drift(apart, 4, 4), 0.1, 0.005);
	assert_float_equal(change_drift((double[]){0, 26}, 1, 1), 0,
			   1e-9); /* not known */
}

/* 100 ms that the hooks may have made up altogether: 30 ms more are 12 % at least, 4 ms
 * are not known to be more than the tolerance; and that nothing changed cannot be told.
 */
TEST(what_may_be_nothing_can_still_grow)
{
	int64_t values[2 * RUNS], errors[2 * RUNS], hooks[2 * RUNS];
	static const struct {
		int64_t more;
		enum outcome outcome;
	} cases[] = {{30000000, OUTCOME_REGRESSED},
		     {-30000000, OUTCOME_IMPROVED},
		     {4000000, OUTCOME_INCONCLUSIVE},
		     {0, OUTCOME_INCONCLUSIVE}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct change change;

		for (int i = 0; i < 2 * RUNS; i++) {
			values[i] = 100000000 + i % RUNS * 1000 +
				    (i < RUNS ? 0 : cases[c].more);
			errors[i] = 150000000;
			hooks[i] = 1000000000;
		}
		change = change_of_estimates(
			values, &(struct change_errors){errors, hooks, true, 0}, RUNS,
			RUNS);
		assert_int_equal(change.outcome, cases[c].outcome);
	}
}

/* 157 ms that became next to nothing: whatever the rest is off by, most went away. */
TEST(what_went_away_is_less_whatever_is_left)
{
	static const struct {
		double error, drift; /* ms that the rest is off by */
		bool is_common;
	} cases[] = {{6, 0, false}, {20, 0, false}, {0.04, 0.02, true}, {6, 0.02, true}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		int64_t values[10], back[10], errors[10], back_errors[10], hooks[10];
		struct change_errors known = {errors, hooks, cases[c].is_common,
					      cases[c].drift};

		for (int i = 0; i < 10; i++) {
			int other = i < 5 ? i + 5 : i - 5;

			values[i] = i < 5 ? 157000000 + i * 1000000 : i % 2 * 300000;
			errors[i] = i < 5 ? 15000000 : (int64_t)(cases[c].error * 1e6);
			hooks[i] = 50000000;
			back[other] = values[i];
			back_errors[other] = errors[i];
		}
		assert_int_equal(change_of_estimates(values, &known, 5, 5).outcome,
				 OUTCOME_IMPROVED);
		known.errors = back_errors;
		assert_int_equal(change_of_estimates(back, &known, 5, 5).outcome,
				 OUTCOME_REGRESSED);
	}
}

/* Of a function of 1 s which waited 1 ms, and then 2, there is nothing to say; of one of
 * 10 ms there is. */
TEST(a_part_is_held_against_the_whole)
{
	int64_t waits[2 * RUNS], errors[2 * RUNS] = {0};
	struct change_errors known = {.errors = errors};
	struct change change;

	for (int i = 0; i < RUNS; i++) {
		waits[i] = 1000000 + i * 100;
		waits[RUNS + i] = 2000000 + i * 100;
	}
	change = change_of_part(waits, NULL, RUNS, RUNS, 1e9);
	assert_int_equal(change.outcome, OUTCOME_UNCHANGED);
	change = change_of_part(waits, NULL, RUNS, RUNS, 1e7);
	assert_int_equal(change.outcome, OUTCOME_REGRESSED);
	assert_float_equal(change.ratio.estimate, 1.1, 1e-6);
	/* 0.9 ms more or less: not told any more */
	for (int i = 0; i < 2 * RUNS; i++)
		errors[i] = 900000;
	change = change_of_part(waits, &known, RUNS, RUNS, 1e7);
	assert_int_equal(change.outcome, OUTCOME_INCONCLUSIVE);
	assert_true(change.is_blurred);
	change = change_of_part(waits, NULL, RUNS, RUNS, 0);
	assert_int_equal(change.outcome, OUTCOME_OPEN);
}

/* splitmix64, public domain, by Sebastiano Vigna. */
static uint64_t random_state;

static double random_unit(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(void)
{
	return sqrt(-2 * log(random_unit())) * cos(2 * M_PI * random_unit());
}

/* A program of 100 ms under hooks that take 28 ns each and whose cost is known to 12 %,
 * with the same sign in all runs of an experiment; a run is off by 1 % as a whole, and so
 * is what it measured the hooks to cost. */
#define HOOK_NS 28.0
#define UNKNOWN_PART 0.12
#define NOISE 0.01

struct recordings {
	int64_t values[2 * RUNS], errors[2 * RUNS], hooks[2 * RUNS];
	double costs[2 * RUNS];
};

static void record(struct recordings *ret, double before_ns, double after_ns,
		   double before_hooks, double after_hooks)
{
	double wrong = UNKNOWN_PART / 1.96 * random_normal();

	for (int i = 0; i < 2 * RUNS; i++) {
		double count = i < RUNS ? before_hooks : after_hooks;
		double program_ns = i < RUNS ? before_ns : after_ns;
		double speed = 1 + NOISE * random_normal();
		double raw_ns = speed * (program_ns + count * HOOK_NS * (1 + wrong));

		ret->costs[i] = speed * HOOK_NS * (1 + NOISE * random_normal());
		ret->hooks[i] = llround(count * ret->costs[i]);
		ret->values[i] = llround(raw_ns) - ret->hooks[i];
		ret->errors[i] = llround(UNKNOWN_PART * (double)ret->hooks[i]);
	}
}

struct rates {
	double moved, covered; /* parts of the experiments */
	double width;	       /* of the interval, mean; of before */
};

static struct rates simulate(double slowdown, double before_hooks, double after_hooks,
			     bool is_common)
{
	const double before_ns = 1e8, after_ns = before_ns * (1 + slowdown);
	struct rates rates = {0, 0, 0};

	random_state = 1;
	for (int i = 0; i < EXPERIMENTS; i++) {
		struct recordings at;
		struct change_errors errors = {at.errors, at.hooks, is_common, 0};
		struct change change;

		record(&at, before_ns, after_ns, before_hooks, after_hooks);
		errors.drift = change_drift(at.costs, RUNS, RUNS);
		change = change_of_estimates(at.values, &errors, RUNS, RUNS);
		rates.moved += change.outcome == OUTCOME_REGRESSED ||
			       change.outcome == OUTCOME_IMPROVED;
		rates.covered += change.ratio.low <= 1 + slowdown &&
				 change.ratio.high >= 1 + slowdown;
		rates.width += change.ratio.high - change.ratio.low;
	}
	rates.moved /= EXPERIMENTS;
	rates.covered /= EXPERIMENTS;
	rates.width /= EXPERIMENTS;
	return rates;
}

/* Three million hooks: 84 ms of them on 100 ms. */
#define HOOKS 3e6

TEST(twins_are_not_moved)
{
	struct rates common = simulate(0, HOOKS, HOOKS, true);
	struct rates others = simulate(0, HOOKS, HOOKS, false);

	print_message("twins: moved %.2f %%, covered %.1f %%, width %.1f %%; as others "
		      "%.1f %%\n",
		      100 * common.moved, 100 * common.covered, 100 * common.width,
		      100 * others.width);
	assert_true(common.moved <= 0.05);
	assert_true(common.covered >= 0.94);
	assert_true(common.width < others.width / 5);
}

/* The error of the hooks that are more or fewer has to be there: without it the interval
 * would miss the truth most of the time. */
TEST(more_hooks_are_covered)
{
	struct rates more = simulate(0, HOOKS, 1.5 * HOOKS, true);
	struct rates fewer = simulate(0, HOOKS, 0.5 * HOOKS, true);

	print_message("half as many hooks more: moved %.2f %%, covered %.1f %%; less: "
		      "%.2f %%, %.1f %%\n",
		      100 * more.moved, 100 * more.covered, 100 * fewer.moved,
		      100 * fewer.covered);
	assert_true(more.covered >= 0.94 && fewer.covered >= 0.94);
	assert_true(more.moved <= 0.05 && fewer.moved <= 0.05);
}

TEST(changes_are_found)
{
	struct rates slower = simulate(0.1, HOOKS, HOOKS, true);
	struct rates faster = simulate(-0.1, HOOKS, HOOKS, true);

	print_message("10 %% slower: found %.1f %%, covered %.1f %%; faster: %.1f %%, "
		      "%.1f %%\n",
		      100 * slower.moved, 100 * slower.covered, 100 * faster.moved,
		      100 * faster.covered);
	assert_true(slower.moved >= 0.9 && faster.moved >= 0.9);
	assert_true(slower.covered >= 0.94 && faster.covered >= 0.94);
}
