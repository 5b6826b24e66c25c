/* SPDX-License-Identifier: MIT */
/*
 * What levels.h promises, over many courses of values with fixed seeds. More of them:
 * LEVELS_HISTORIES=1000 test_levels
 */
#include "analyzer/statistics/levels.h"
#include "tests/unit/tests.h"

#include <math.h>

#define RUNS 60
#define FUNCTIONS 200

static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* Heavy: every tenth run is three times as noisy. */
static void make(double *values, double noise, bool is_heavy)
{
	for (size_t i = 0; i < RUNS; i++)
		values[i] = 1 + noise * normal() * (is_heavy && uniform() < 0.1 ? 3 : 1);
}

static size_t history_count(size_t usual)
{
	const char *asked = getenv("LEVELS_HISTORIES");

	return asked ? (size_t)atol(asked) : usual;
}

/* Of 200 functions one is 5 % slower from some run on, at 1 % noise. */
TEST(change_of_5_percent_is_found)
{
	size_t histories = history_count(60), found = 0, wrong = 0;

	random_state = 20261129;
	for (size_t history = 0; history < histories; history++) {
		size_t at = 6 + (size_t)(uniform() * 49), places[RUNS], others = 0;
		double values[RUNS];

		for (size_t function = 0; function < FUNCTIONS; function++) {
			size_t count;

			make(values, 0.01, history % 2);
			for (size_t i = at; function == 0 && i < RUNS; i++)
				values[i] *= 1.05;
			count = levels_find(values, RUNS, 0.05 / FUNCTIONS, places);
			if (function == 0)
				found += count == 1 && places[0] + 1 >= at &&
					 places[0] <= at + 1;
			else
				others += count;
		}
		wrong += others > 0;
	}
	printf("%zu histories: found within a run in %zu, false ones in %zu\n", histories,
	       found, wrong);
	assert_true(found * 100 >= histories * 95);
	assert_true(wrong * 100 <= histories * 5);
}

TEST(nothing_is_found_where_nothing_changed)
{
	size_t histories = history_count(60), wrong = 0;

	random_state = 7;
	for (size_t history = 0; history < histories; history++) {
		size_t places[RUNS], count = 0;
		double values[RUNS];

		for (size_t function = 0; function < FUNCTIONS; function++) {
			make(values, 0.05, history % 2);
			count += levels_find(values, RUNS, 0.05 / FUNCTIONS, places);
		}
		wrong += count > 0;
	}
	printf("%zu histories without a change: false ones in %zu\n", histories, wrong);
	assert_true(wrong * 100 <= histories * 5);
}

/* A level that lasts for a while, and one after the other. */
TEST(levels_in_between_are_found)
{
	double values[RUNS];
	size_t places[RUNS];

	random_state = 3;
	make(values, 0.01, false);
	for (size_t i = 20; i < 40; i++)
		values[i] *= 1.06;
	assert_int_equal(levels_find(values, RUNS, 1e-3, places), 2);
	assert_int_equal(places[0], 20);
	assert_int_equal(places[1], 40);
	assert_false(levels_drift(values, RUNS, places, 2));
	make(values, 0.01, false);
	for (size_t i = 0; i < RUNS; i++)
		values[i] *= 1 + 0.004 * (double)i;
	assert_true(levels_drift(values, RUNS, places,
				 levels_find(values, RUNS, 1e-3, places)));
}

/* By hand: the logarithms of {1, e, e^2} have mean 1 and deviation 1, so e^3 is 2 /
 * sqrt(4 / 3) away, with two degrees of freedom: 1 - t / sqrt(t^2 + 2) = 0.2254. */
TEST(one_more_value_is_judged)
{
	static const double zeros[] = {0, 1, 2, 3}, same[] = {2, 2, 2};
	double level[] = {1, exp(1), exp(2)};
	struct statistics_shift ratio;

	assert_float_equal(levels_next(level, 3, exp(3), &ratio), 1 - sqrt(3 / 5.0),
			   1e-9);
	assert_float_equal(ratio.estimate, exp(2), 1e-9);
	assert_float_equal(log(ratio.high / ratio.low), 2 * 4.3027 * sqrt(4 / 3.0), 1e-9);
	assert_float_equal(levels_next(level, 3, exp(1), &ratio), 1, 1e-9);
	assert_float_equal(levels_next(zeros, 4, 9, &ratio), 2 / 5.0, 1e-9);
	assert_true(isnan(ratio.low));
	assert_true(levels_next(same, 3, 2, &ratio) == 1);
	assert_true(levels_next(same, 3, 3, &ratio) == 0);
	/* two-sided 5 % of t with 1, 5 and 10 degrees: 12.706, 2.5706, 2.2281 */
	assert_float_equal(statistics_t_outside(12.7062, 1), 0.05, 1e-5);
	assert_float_equal(statistics_t_outside(-2.5706, 5), 0.05, 1e-5);
	assert_float_equal(statistics_t_outside(2.2281, 10), 0.05, 1e-5);
}

TEST(odd_courses_have_no_change)
{
	double values[RUNS] = {0};
	size_t places[RUNS];

	assert_int_equal(levels_find(values, 0, 0.05, places), 0);
	assert_int_equal(levels_find(values, 1, 0.05, places), 0);
	assert_int_equal(levels_find(values, RUNS, 0.05, places), 0);
	values[3] = NAN;
	assert_int_equal(levels_find(values, RUNS, 0.05, places), 0);
}
