/* SPDX-License-Identifier: MIT */
/* What having a function counted takes, and whether its hooks have cost thirteen
 * twentieths of that. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "shim/budget/counting.h"
#include "shim/core/clock.h"

static void test_paid(void **state)
{
	(void)state;
	assert_true(price_is_paid(0)); /* none is known */
	price_note(20000);
	assert_false(price_is_paid(12999));
	assert_true(price_is_paid(13001));
}

/* One that was interrupted says little, many that take longer say so. */
static void test_rises(void **state)
{
	(void)state;
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
static void test_bounded(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
		price_note(UINT64_MAX);
	assert_true(price_is_paid((double)(clock_tenth_of_second() >> 12)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paid),
		cmocka_unit_test(test_rises),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
