/* SPDX-License-Identifier: MIT */
/* What this is: the statistics at their edges, and against what R 4.2 prints.
 * statistics_oracles.py compares them with scipy on random inputs. */
#include "analyzer/statistics/statistics.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double before[] = {6.11,  6.07,  6.153, 6.092, 6.171,
				6.138, 6.083, 6.124, 6.22,  6.101};
static const double after[] = {6.292, 6.371, 6.24,  6.335, 6.401,
			       6.193, 6.288, 6.415, 6.306, 6.353};

static void assert_close(double found, double right)
{
	if (!(fabs(found - right) <= 1e-9 * fabs(right)))
		fail_msg("%.17g is not %.17g", found, right);
}

/* wilcox.test(after, before)$p.value */
TEST(rank_test_is_that_of_r)
{
	static const double few[] = {1, 2, 2, 3, 5, 5, 6, 7};
	static const double more[] = {2, 4, 5, 5, 5, 8, 9, 9, 9};
	double a[8 * COUNT(few)], b[7 * COUNT(more)];

	assert_close(statistics_mann_whitney(before, 10, after, 10),
		     2.1650176448938059e-05);
	assert_close(statistics_mann_whitney(after, 10, before, 10),
		     2.1650176448938059e-05);
	assert_close(statistics_mann_whitney(before, 7, after, 4), 0.0060606060606060606);
	/* Too many ties to count out: rep(few, 8), rep(more, 7), exact = FALSE. */
	for (size_t i = 0; i < COUNT(a); i++)
		a[i] = few[i % COUNT(few)];
	for (size_t i = 0; i < COUNT(b); i++)
		b[i] = more[i % COUNT(more)];
	assert_close(statistics_mann_whitney(a, COUNT(a), b, COUNT(b)),
		     2.9521078304804395e-06);
}

/* By hand: the ranks are 1, 2.5, 2.5, 4, 5, 6, and the sums of 3 of them 10.5 in the mean
 * of all 20 choices. */
TEST(ties_are_counted_out)
{
	static const double low[] = {1, 2, 2}, high[] = {3, 4, 5}, mixed[] = {1, 2, 3};
	static const double rest[] = {2, 4, 5}, same[] = {7, 7, 7};

	/* 1 + 2.5 + 2.5 = 6 and its mirror 15 are 4.5 away, no other choice is. */
	assert_close(statistics_mann_whitney(low, 3, high, 3), 2 / 20.0);
	/* 1 + 2.5 + 4 = 7.5 and its mirror 13.5 are 3 away, both twice. */
	assert_close(statistics_mann_whitney(mixed, 3, rest, 3), 6 / 20.0);
	assert_close(statistics_mann_whitney(same, 3, same, 3), 1);
	assert_close(statistics_mann_whitney(same, 1, same, 1), 1);
}

TEST(fewest_runs_have_these_p_values)
{
	static const double low[] = {1, 2, 3, 4, 5, 6}, high[] = {7, 8, 9, 10, 11, 12};
	static const double best[] = {1,	2 / 6.0,   2 / 20.0,
				      2 / 70.0, 2 / 252.0, 2 / 924.0};

	for (size_t n = 1; n <= COUNT(best); n++)
		assert_close(statistics_mann_whitney(low, n, high, n), best[n - 1]);
}

TEST(useless_sides_give_no_answer)
{
	static const double good[] = {1, 2}, unknown[] = {1, NAN},
			    endless[] = {INFINITY, 1};
	static const double zero[] = {0, 1};
	struct statistics_shift shift;

	assert_true(isnan(statistics_mann_whitney(good, 0, good, 2)));
	assert_true(isnan(statistics_mann_whitney(good, 2, good, 0)));
	assert_true(isnan(statistics_mann_whitney(good, 2, unknown, 2)));
	assert_true(isnan(statistics_mann_whitney(endless, 2, good, 2)));
	assert_int_equal(statistics_shift(good, 0, good, 2, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_shift(good, 2, good, 0, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_shift(good, 2, unknown, 2, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_shift(good, 2, good, 2, 1, &shift), -EINVAL);
	assert_int_equal(statistics_shift(good, 2, good, 2, NAN, &shift), -EINVAL);
	assert_int_equal(statistics_ratio(good, 2, zero, 2, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_ratio(unknown, 2, good, 2, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_ratio(endless, 2, good, 2, 0.95, &shift), -EDOM);
	assert_int_equal(statistics_ratio(good, 0, good, 2, 0.95, &shift), -EDOM);
}

static void assert_shift(const struct statistics_shift *shift, double estimate,
			 double low, double high, double confidence)
{
	assert_close(shift->estimate, estimate);
	assert_close(shift->low, low);
	assert_close(shift->high, high);
	assert_close(shift->confidence, confidence);
}

/* wilcox.test(after, before, conf.int = TRUE), and exp() of it on logarithms. */
TEST(interval_is_that_of_r)
{
	struct statistics_shift shift;

	assert_int_equal(statistics_shift(before, 10, after, 10, 0.95, &shift), 0);
	assert_shift(&shift, 0.19850000000000012, 0.13499999999999979,
		     0.26100000000000012, 0.95674294745502175);
	assert_int_equal(statistics_shift(before, 7, after, 4, 0.9, &shift), 0);
	assert_shift(&shift, 0.19850000000000012, 0.12999999999999989,
		     0.26100000000000012, 0.92727272727272725);
	assert_int_equal(statistics_ratio(before, 10, after, 10, 0.95, &shift), 0);
	assert_shift(&shift, 1.0322914933207545, 1.0218765192027224, 1.0425808548675444,
		     0.95674294745502175);
}

/* With 3 v 3 all differences together hold the shift in 18 of 20 cases only. */
TEST(interval_says_what_it_reaches)
{
	static const double a[] = {1, 2, 3}, b[] = {11, 12, 14};
	struct statistics_shift shift;

	assert_int_equal(statistics_shift(a, 3, b, 3, 0.95, &shift), 0);
	assert_shift(&shift, 10, 8, 13, 0.9);
	assert_int_equal(statistics_shift(a, 1, b, 1, 0.95, &shift), 0);
	assert_shift(&shift, 10, 10, 10, 0);
}

/* p.adjust(p, "BH") */
TEST(adjustment_is_that_of_r)
{
	double p[] = {0.001, 0.04, NAN, 0.03, 0.002, 0.8, 0.04}, nothing = NAN;
	static const double right[] = {0.006, 0.048, NAN, 0.048, 0.006, 0.8, 0.048};

	statistics_adjust(p, COUNT(p));
	for (size_t i = 0; i < COUNT(p); i++)
		if (i != 2)
			assert_close(p[i], right[i]);
	assert_true(isnan(p[2]));
	statistics_adjust(&nothing, 1);
	assert_true(isnan(nothing));
	statistics_adjust(NULL, 0);
}

TEST(medians)
{
	double values[] = {3.1, 4.4, 2.2, 9.7, 5.0}, even[] = {4, 1, 3, 2};

	assert_close(statistics_median(values, 5), 4.4);
	assert_close(statistics_median_deviation(values, 5), 1.3000000000000003);
	assert_close(statistics_median(even, 4), 2.5);
	assert_close(statistics_median_deviation(even, 4), 1);
	assert_close(statistics_median_deviation(even, 1), 0);
	assert_true(isnan(statistics_median(even, 0)));
	assert_true(isnan(statistics_median_deviation(even, 0)));
}

TEST(enough_runs_to_see_it)
{
	/* 2.0944 * ((1.96 + 0.8416) * 3 / 2)^2 = 36.99 */
	assert_int_equal(statistics_runs_needed(0.02, 0.03, 0.95, 0.8), 37);
	/* scipy: ceil(2 * pi / 3 * ((norm.ppf(0.975) + norm.ppf(0.8)) * 1e4) ** 2) */
	assert_int_equal(statistics_runs_needed(1e-4, 1, 0.95, 0.8), 1643865528);
	/* However clear the effect: 2 / (8 over 4) is the first below 0.05. */
	assert_int_equal(statistics_runs_needed(10, 0, 0.95, 0.8), 4);
	assert_int_equal(statistics_runs_needed(10, 0.01, 0.9, 0.8), 3);
	assert_int_equal(statistics_runs_needed(10, 0.01, 0.99, 0.8), 5);
	assert_int_equal(statistics_runs_needed(0.02, 0.03, 0.1, 0.01), 2);
	assert_int_equal(statistics_runs_needed(1e-9, 1, 0.95, 0.8), UINT_MAX);
	assert_int_equal(statistics_runs_needed(0, 0.03, 0.95, 0.8), 0);
	assert_int_equal(statistics_runs_needed(0.02, -1, 0.95, 0.8), 0);
	assert_int_equal(statistics_runs_needed(0.02, NAN, 0.95, 0.8), 0);
	assert_int_equal(statistics_runs_needed(0.02, 0.03, 1, 0.8), 0);
	assert_int_equal(statistics_runs_needed(0.02, 0.03, 0.95, 0), 0);
}

/* cor.test(method = "kendall"): exact; with ties exact = FALSE, continuity = TRUE. */
TEST(trend_is_that_of_r)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const double tied_x[] = {1, 1, 2, 3, 3, 3, 4, 5};
	static const double y[] = {10, 14, 13, 19, 22, 21, 30, 28};
	static const double tied_y[] = {10, 14, 14, 19, 22, 22, 22, 28};
	double slope, p;

	assert_int_equal(statistics_trend(x, y, 8, &slope, &p), 0);
	assert_close(p, 0.0055059523809524169);
	assert_int_equal(statistics_trend(x, tied_y, 8, &slope, &p), 0);
	assert_close(p, 0.0031477598557005798);
	assert_int_equal(statistics_trend(tied_x, tied_y, 8, &slope, &p), 0);
	assert_close(p, 0.0078419411924771955);
}

TEST(trends_at_their_edges)
{
	static const double x[] = {1, 2, 4, 5, 7}, same[] = {3, 3, 3, 3, 3};
	static const double line[] = {5, 3, -1, -3, -7}, spike[] = {1, 2, 400, 5, 7};
	static const double unknown[] = {1, 2, NAN, 4, 5};
	double slope, p;

	assert_int_equal(statistics_trend(x, line, 5, &slope, &p), 0);
	assert_close(slope, -2);
	assert_close(p, 2 / 120.0);
	assert_int_equal(statistics_trend(x, same, 5, &slope, &p), 0);
	assert_close(slope, 0);
	assert_close(p, 1);
	/* One outlier does not move the median of ten slopes. */
	assert_int_equal(statistics_trend(x, spike, 5, &slope, &p), 0);
	assert_close(slope, 1);
	assert_int_equal(statistics_trend(x, line, 2, &slope, &p), 0);
	assert_close(p, 1);
	assert_int_equal(statistics_trend(x, line, 1, &slope, &p), -EDOM);
	assert_int_equal(statistics_trend(x, line, 0, &slope, &p), -EDOM);
	assert_int_equal(statistics_trend(same, x, 5, &slope, &p), -EDOM);
	assert_int_equal(statistics_trend(x, unknown, 5, &slope, &p), -EDOM);
}
