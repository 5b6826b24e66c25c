/* SPDX-License-Identifier: MIT */
/* What this is:  tests of sums by numbers. */
#include "analyzer/rundb/sums.h"

#include "common/quantities.h"
#include "tests/unit/tests.h"

TEST(test_adds_by_all_numbers)
{
	struct sums sums = {.count = 0};
	bool is_new;

	for (int64_t i = 0; i < 3000; i++)
		sums_add(&sums, i % 3, i % 5, -(i % 2), i);
	assert_int_equal(sums.count, 30);
	assert_int_equal(sums.all[7].key[0], 1);
	assert_int_equal(sums.all[7].key[1], 2);
	assert_int_equal(sums.all[7].key[2], -1);
	/* 7, 37 to 2977 */
	assert_int_equal(sums.all[7].value, 100 * (7 + 2977) / 2);
	assert_int_equal(*sums_of(&sums, 1, 2, -1, &is_new), sums.all[7].value);
	assert_false(is_new);
	assert_int_equal(*sums_of(&sums, 1, 2, 1, &is_new), 0);
	assert_true(is_new);
	sums_done(&sums);
	assert_int_equal(sums.count, 0);
}

TEST(test_stays_at_the_ends)
{
	struct sums sums = {.count = 0};

	for (int i = 0; i < 2; i++) {
		sums_add(&sums, 1, 0, 0, INT64_MAX - 1);
		sums_add(&sums, 2, 0, 0, INT64_MIN + 1);
	}
	assert_int_equal(sums.all[0].value, QUANTITY_BELIEVED);
	assert_int_equal(sums.all[1].value, -QUANTITY_BELIEVED);
	sums_done(&sums);
}
