/* SPDX-License-Identifier: MIT */
/* What this is: how live bytes that develop in known ways are classed. */
#include "analyzer/statistics/leak_class.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <math.h>

#define MOST 40

/* The class of values one second apart. */
static enum leak_class class_of(const double *y, size_t count, double freed)
{
	struct leak_verdict verdict;
	double x[MOST];

	for (size_t i = 0; i < count; i++)
		x[i] = (double)i + 1;
	assert_int_equal(leak_classify(x, y, count, freed, &verdict), 0);
	return verdict.class;
}

#define CLASS(freed, ...)                                                                \
	class_of((const double[]){__VA_ARGS__},                                          \
		 sizeof((const double[]){__VA_ARGS__}) / sizeof(double), freed)

TEST(growing)
{
	struct leak_verdict verdict;
	const double x[] = {1, 2, 4, 8, 16}, y[] = {10, 20, 40, 80, 160};

	assert_int_equal(CLASS(0, 1, 2, 3, 4, 5), LEAK_GROWING);
	assert_int_equal(CLASS(0, 0, 10, 8, 18, 16, 26, 24, 34, 32, 42), LEAK_GROWING);
	/* Late, but for good. */
	assert_int_equal(CLASS(0, 0, 0, 0, 0, 10, 20, 30, 40, 50, 60), LEAK_GROWING);
	assert_int_equal(leak_classify(x, y, 5, 0, &verdict), 0);
	assert_int_equal(verdict.class, LEAK_GROWING);
	assert_true(fabs(verdict.slope - 10) < 1e-12);
	assert_true(fabs(verdict.p - 2.0 / 120) < 1e-12);
}

TEST(a_step_with_a_slow_leak_behind_it_grows)
{
	assert_int_equal(CLASS(0, 0, 1000, 1001, 1002, 1003, 1004, 1005, 1006),
			 LEAK_GROWING);
}

TEST(saturating)
{
	double y[MOST];

	assert_int_equal(CLASS(0, 10, 20, 30, 40, 50, 50, 50, 50, 50, 50),
			 LEAK_SATURATING);
	assert_int_equal(CLASS(0, 10, 40, 60, 70, 76, 76, 75, 77, 76, 76),
			 LEAK_SATURATING);
	/* The second half still rises by more than a tenth of the first. */
	assert_int_equal(CLASS(0, 0, 10, 20, 30, 40, 42, 44, 46, 48, 50), LEAK_GROWING);
	/* Less, but without doubt. */
	for (size_t i = 0; i < MOST; i++)
		y[i] = i < MOST / 2 ? 100.0 * (double)i : 2000 + (double)i;
	assert_int_equal(class_of(y, MOST, 0), LEAK_GROWING);
}

TEST(one_off)
{
	assert_int_equal(CLASS(0, 0, 0, 0, 100, 100, 100), LEAK_ONE_OFF);
	assert_int_equal(CLASS(0, 0, 0, 0, 0, 100), LEAK_ONE_OFF);
	assert_int_equal(CLASS(0, 5, 105, 105, 104, 105), LEAK_ONE_OFF);
	/* A wobble is no step, nor is what went again. */
	assert_int_equal(CLASS(0, 105, 100, 120, 90, 106), LEAK_NO_TREND);
	assert_int_equal(CLASS(0, 0, 0, 100, 0, 0), LEAK_NO_TREND);
}

TEST(freed_at_end)
{
	assert_int_equal(CLASS(50, 10, 20, 30, 40, 50), LEAK_FREED_AT_END);
	assert_int_equal(CLASS(49, 10, 20, 30, 40, 50), LEAK_FREED_AT_END);
	assert_int_equal(CLASS(48, 10, 20, 30, 40, 50), LEAK_GROWING);
	assert_int_equal(CLASS(100, 0, 0, 0, 100, 100), LEAK_FREED_AT_END);
	/* Between the last two snapshots. */
	assert_int_equal(CLASS(0, 10, 20, 30, 40, 50, 0), LEAK_FREED_AT_END);
	assert_int_equal(CLASS(0, 0, 0, 0, 100, 100, 1), LEAK_FREED_AT_END);
	/* Earlier: an ordinary coming and going. */
	assert_int_equal(CLASS(0, 10, 20, 30, 40, 50, 0, 0), LEAK_NO_TREND);
	/* What never grew was freed, too. */
	assert_int_equal(CLASS(10, 10, 10, 10, 10, 10), LEAK_NO_TREND);
}

TEST(steady_and_falling)
{
	assert_int_equal(CLASS(0, 7, 7, 7, 7, 7), LEAK_NO_TREND);
	assert_int_equal(CLASS(0, 0, 0, 0, 0, 0), LEAK_NO_TREND);
	assert_int_equal(CLASS(0, 50, 40, 30, 20, 10), LEAK_NO_TREND);
	assert_int_equal(CLASS(0, 3, 1, 4, 1, 5), LEAK_NO_TREND);
}

TEST(what_cannot_be_judged)
{
	const double x[] = {1, 2, 3, 4, 5}, same[] = {1, 1, 1, 1, 1};
	const double y[] = {1, 2, 3, 4, 5}, odd[] = {1, 2, NAN, 4, 5};
	struct leak_verdict verdict;

	assert_int_equal(leak_classify(x, y, 4, 0, &verdict), -EINVAL);
	assert_int_equal(leak_classify(same, y, 5, 0, &verdict), -EDOM);
	assert_int_equal(leak_classify(x, odd, 5, 0, &verdict), -EDOM);
	for (int class = 0; class <= LEAK_NO_TREND; class ++)
		assert_non_null(leak_class_name((enum leak_class) class));
}
