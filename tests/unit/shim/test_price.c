/* SPDX-License-Identifier: MIT */
/* What having a function counted takes, and whether its hooks have cost thirteen
 * twentieths of that. */

#include "shim/budget/counting.h"
#include "shim/core/clock.h"
#include "tests/unit/tests.h"

TEST(test_paid)
{
	assert_true(price_is_paid(0)); /* none is known */
	price_note(20000);
	assert_false(price_is_paid(12999));
	assert_true(price_is_paid(13001));
}

/* One that was interrupted says little, many that take longer say so. */
TEST(test_rises)
{
	price_note(10000);
	price_note(100000000);
	assert_false(price_is_paid(6500));
	assert_true(price_is_paid(7200));
	for (int i = 0; i < 20; i++)
		price_note(15000);
	assert_false(price_is_paid(9749));
	assert_true(price_is_paid(9751));
}

/* However long: a function that is called all the time pays for it soon. */
TEST(test_bounded)
{
	for (int i = 0; i < 1000; i++)
		price_note(UINT64_MAX);
	assert_true(price_is_paid((double)(clock_tenth_of_second() >> 12)));
}
