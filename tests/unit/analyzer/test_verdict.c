/* SPDX-License-Identifier: MIT */
/* What this is: the verdict's rule, and how often it is wrong in simulated runs of which
 * the truth is known. Seeds are fixed, so the rates printed are the same every time. */
#include "analyzer/statistics/compare_judge.h"
#include "tests/unit/tests.h"

#include <math.h>
#include <stdbool.h>

enum {
	RUNS_MAX = 40,
	FUNCTIONS = 50,
	PAIRS = 10000,
};

/* splitmix64, public domain, by Sebastiano Vigna. */
static uint64_t random_state;

static uint64_t random_bits(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Inside (0, 1). */
static double random_unit(void)
{
	return ((double)(random_bits() >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(void)
{
	return sqrt(-2 * log(random_unit())) * cos(2 * M_PI * random_unit());
}

/* Student's t with 3 degrees of freedom, scaled to deviation 1: one value in 80 is more
 * than three deviations away (normal: one in 370), some are very far. */
static double random_heavy(void)
{
	double x = random_normal(), y = random_normal(), z = random_normal();

	return random_normal() / sqrt(x * x + y * y + z * z);
}

struct noise {
	const char *name;
	double (*draw)(void);
	double size; /* relative standard deviation of a run */
	double step; /* of the clock, relative; 0: no two runs are equal */
};

static const struct noise noises[] = {
	{"normal 1 %", random_normal, 0.01, 0},
	{"normal 5 %", random_normal, 0.05, 0},
	{"heavy 1 %", random_heavy, 0.01, 0},
	{"heavy 5 %", random_heavy, 0.05, 0},
};
static const struct noise coarse = {"coarse clock 5 %", random_normal, 0.05, 0.02};

struct pair {
	size_t runs;
	double before[RUNS_MAX], after[RUNS_MAX];
};

static void run_side(const struct noise *noise, double cost, double *values, size_t runs)
{
	for (size_t i = 0; i < runs; i++) {
		values[i] = cost * exp(noise->size * noise->draw());
		if (noise->step > 0)
			values[i] = round(values[i] / noise->step) * noise->step;
	}
}

static void run_pair(const struct noise *noise, double slowdown, struct pair *pair)
{
	run_side(noise, 1, pair->before, pair->runs);
	run_side(noise, 1 + slowdown, pair->after, pair->runs);
}

static double test_pair(const struct pair *pair)
{
	return statistics_mann_whitney(pair->before, pair->runs, pair->after, pair->runs);
}

static enum outcome judge(const struct pair *pair, double p, double tolerance)
{
	struct statistics_shift ratio;

	assert_int_equal(statistics_ratio(pair->before, pair->runs, pair->after,
					  pair->runs, VERDICT_CONFIDENCE, &ratio),
			 0);
	return verdict_of(&ratio, p, tolerance);
}

static bool is_change(enum outcome verdict)
{
	return verdict == OUTCOME_REGRESSED || verdict == OUTCOME_IMPROVED;
}

/* Of PAIRS comparisons of a thing with itself, in percent. */
struct false_rates {
	double bare, tolerant,
		unchanged; /* tolerance 0; the default one; told unchanged */
};

static struct false_rates compare_alike(const struct noise *noise, size_t runs)
{
	struct false_rates rates = {0};
	struct pair pair = {.runs = runs};

	for (int i = 0; i < PAIRS; i++) {
		enum outcome verdict;
		double p;

		run_pair(noise, 0, &pair);
		p = test_pair(&pair);
		rates.bare += is_change(judge(&pair, p, 0));
		verdict = judge(&pair, p, verdict_tolerance(runs, runs));
		rates.tolerant += is_change(verdict);
		rates.unchanged += verdict == OUTCOME_UNCHANGED;
	}
	rates.bare *= 100.0 / PAIRS;
	rates.tolerant *= 100.0 / PAIRS;
	rates.unchanged *= 100.0 / PAIRS;
	print_message(
		"alike, %s, %zu v %zu: false %.2f %% without tolerance, %.2f %% with; "
		"unchanged %.1f %%\n",
		noise->name, runs, runs, rates.bare, rates.tolerant, rates.unchanged);
	return rates;
}

TEST(alike_is_not_called_changed)
{
	random_state = 1;
	for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
		struct false_rates rates = compare_alike(&noises[i], 10);

		assert_true(rates.bare <= 5);
		assert_true(rates.tolerant <= 5);
		/* Or it would be a test that never says anything. */
		assert_true(rates.bare > 3);
		if (noises[i].size == 0.01)
			assert_true(rates.unchanged >= 90);
	}
	assert_true(compare_alike(&coarse, 10).bare <= 5);
	assert_true(compare_alike(&noises[1], 4).bare <= 5);
}

/* A comparison of FUNCTIONS functions, one of them slower when slowdown is not 0. */
struct tally {
	unsigned any_false, any_false_bare, found;
};

static void compare_functions(const struct noise *noise, size_t runs, double slowdown,
			      struct tally *tally)
{
	static struct pair pairs[FUNCTIONS];
	double p[FUNCTIONS];
	bool any = false, any_bare = false;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		pairs[i].runs = runs;
		run_pair(noise, i ? 0 : slowdown, &pairs[i]);
		p[i] = test_pair(&pairs[i]);
	}
	statistics_adjust(p, FUNCTIONS);
	for (size_t i = slowdown != 0; i < FUNCTIONS; i++) {
		/* The verdict is no change then, and the interval takes most
		 * of the time. */
		if (p[i] > 0.06)
			continue;
		any |= is_change(judge(&pairs[i], p[i], verdict_tolerance(runs, runs)));
		any_bare |= is_change(judge(&pairs[i], p[i], 0));
	}
	tally->any_false += any;
	tally->any_false_bare += any_bare;
	tally->found += judge(&pairs[0], p[0], verdict_tolerance(runs, runs)) ==
			OUTCOME_REGRESSED;
}

TEST(alike_functions_are_not_called_changed)
{
	enum { COMPARISONS = 1000 };

	random_state = 2;
	for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
		struct tally tally = {0};

		for (int j = 0; j < COMPARISONS; j++)
			compare_functions(&noises[i], 10, 0, &tally);
		print_message(
			"50 alike functions, %s, 10 v 10: any false in %.1f %% without "
			"tolerance, %.1f %% with\n",
			noises[i].name, 100.0 * tally.any_false_bare / COMPARISONS,
			100.0 * tally.any_false / COMPARISONS);
		assert_true(tally.any_false_bare <= COMPARISONS / 20);
		assert_true(tally.any_false <= COMPARISONS / 20);
	}
}

/* A slow-down of 4 % at 1 % noise, alone and among 49 functions that are as before. */
TEST(a_slowdown_is_found)
{
	enum { ALONE = 2000, COMPARISONS = 200 };
	struct pair pair = {.runs = 20};

	random_state = 3;
	for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
		struct tally tally = {0};
		int found = 0;

		if (noises[i].size != 0.01)
			continue;
		for (int j = 0; j < ALONE; j++) {
			run_pair(&noises[i], 0.04, &pair);
			found +=
				judge(&pair, test_pair(&pair), 0.02) == OUTCOME_REGRESSED;
		}
		for (int j = 0; j < COMPARISONS; j++)
			compare_functions(&noises[i], 20, 0.04, &tally);
		print_message(
			"slower by 4 %%, %s, 20 v 20: found in %.1f %% alone, in %.1f %% "
			"among 50\n",
			noises[i].name, 100.0 * found / ALONE,
			100.0 * tally.found / COMPARISONS);
		assert_true(found >= ALONE * 9 / 10);
		assert_true(tally.found >= COMPARISONS * 9 / 10);
		assert_true(tally.any_false <= COMPARISONS / 20);
	}
}

/* 2 % at 3 % noise with power 0.8 takes 37 runs a side. */
TEST(planned_runs_have_the_power)
{
	static const struct noise noise = {"normal 3 %", random_normal, 0.03, 0};
	struct pair pair = {.runs = statistics_runs_needed(0.02, 0.03, 0.95, 0.8)};
	int found = 0, simulations = 2000;

	random_state = 4;
	assert_in_range(pair.runs, 1, RUNS_MAX);
	for (int i = 0; i < simulations; i++) {
		run_pair(&noise, 0.02, &pair);
		found += test_pair(&pair) <= VERDICT_ALPHA;
	}
	print_message("slower by 2 %%, normal 3 %%, %zu v %zu: significant in %.1f %%\n",
		      pair.runs, pair.runs, 100.0 * found / simulations);
	/* The simulation's own standard error is 0.9 %. */
	assert_true(found >= simulations * 0.77 && found <= simulations * 0.83);
}

static enum outcome verdict_with(double low, double high, double confidence, double p)
{
	struct statistics_shift ratio = {(low + high) / 2, low, high, confidence};

	return verdict_of(&ratio, p, 0.02);
}

TEST(the_rule)
{
	assert_int_equal(verdict_with(1.021, 1.05, 0.95, 0.01), OUTCOME_REGRESSED);
	assert_int_equal(verdict_with(0.9, 0.979, 0.95, 0.01), OUTCOME_IMPROVED);
	assert_int_equal(verdict_with(0.981, 1.019, 0.95, 0.9), OUTCOME_UNCHANGED);
	/* A true difference, too small to matter. */
	assert_int_equal(verdict_with(1.005, 1.015, 0.95, 1e-6), OUTCOME_UNCHANGED);
	/* Is it beyond the tolerance? */
	assert_int_equal(verdict_with(1.019, 1.05, 0.95, 1e-6), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(0.9, 1.1, 0.95, 0.5), OUTCOME_INCONCLUSIVE);
	/* Accidental among many others. */
	assert_int_equal(verdict_with(1.03, 1.05, 0.95, 0.06), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(0.9, 0.95, 0.95, 0.06), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1.03, 1.05, 0.95, 0.05), OUTCOME_REGRESSED);
}

TEST(what_is_not_known_is_inconclusive)
{
	/* One run a side, and three. */
	assert_int_equal(verdict_with(1, 1, 0, 1), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1.5, 1.6, 0.9, 0.1), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1.5, 1.6, 0.9, 0.01), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1, 1, 0.9, 1), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1.5, 1.6, 0.95, NAN), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(NAN, NAN, 0.95, 0.01), OUTCOME_INCONCLUSIVE);
	assert_int_equal(verdict_with(1.5, 1.6, NAN, 0.01), OUTCOME_INCONCLUSIVE);
}

TEST(tolerances)
{
	assert_true(verdict_tolerance(10, 10) == 0.02);
	assert_true(verdict_tolerance(9, 30) == 0.05);
	assert_true(verdict_tolerance(30, 9) == 0.05);
}
