/* SPDX-License-Identifier: MIT */
/*
 * What this is:  median, deviation and first outlier of small series.
 * Runs on:       tests.
 * See also:      record/spread.h
 */

#include "record/spread.h"
#include "tests/unit/tests.h"

#define COUNT(values) (sizeof(values) / sizeof((values)[0]))
#define NEAR(a, b) assert_true((a) - (b) < 1e-12 && (b) - (a) < 1e-12)

static struct record_spread spread_of(const int64_t *values, size_t count)
{
	return record_spread(values, count);
}

TEST(test_numbers)
{
	static const int64_t one[] = {500}, two[] = {100, 300}, odd[] = {120, 90, 100},
			     even[] = {130, 100, 110, 90}, zero[] = {0, 0, 0, 0};
	struct record_spread spread = spread_of(one, COUNT(one));

	NEAR(spread.median_ns, 500);
	NEAR(spread.deviation, 0);
	assert_false(spread.is_first_outlier);
	spread = spread_of(two, COUNT(two));
	NEAR(spread.median_ns, 200);
	NEAR(spread.deviation, 0.5);
	spread = spread_of(odd, COUNT(odd));
	NEAR(spread.median_ns, 100);
	NEAR(spread.lowest_ns, 90);
	NEAR(spread.highest_ns, 120);
	NEAR(spread.deviation, 0.1); /* of 0, 10, 20 */
	spread = spread_of(even, COUNT(even));
	NEAR(spread.median_ns, 105);
	NEAR(spread.deviation, 10. / 105); /* of 5, 5, 15, 25 */
	NEAR(spread.first_excess, 0.3);
	spread = spread_of(zero, COUNT(zero));
	NEAR(spread.deviation, 0);
	assert_false(spread.is_first_outlier);
}

TEST(test_first)
{
	static const int64_t cold[] = {150, 100, 101, 99, 100}, few[] = {150, 100, 101},
			     late[] = {100, 150, 101, 99, 100},
			     wide[] = {150, 100, 120, 80, 145, 90},
			     slight[] = {104, 100, 100, 100, 100},
			     fast[] = {50, 100, 101, 99, 100};
	struct record_spread spread = spread_of(cold, COUNT(cold));

	assert_true(spread.is_first_outlier);
	NEAR(spread.first_excess, 0.5);
	assert_false(spread_of(few, COUNT(few)).is_first_outlier);
	assert_false(spread_of(late, COUNT(late)).is_first_outlier);
	assert_false(spread_of(wide, COUNT(wide)).is_first_outlier);
	assert_false(spread_of(slight, COUNT(slight)).is_first_outlier);
	assert_false(spread_of(fast, COUNT(fast)).is_first_outlier);
}
