/* SPDX-License-Identifier: MIT */
/* What this is: the arithmetic between two moments. */
#include "analyzer/model/delta.h"
#include "tests/unit/analyzer/cmocka_all.h"

/* A: blocks 1 and 2 of 10 bytes. Between A and B: 1 is freed, 3, 4 and 5 are born and 5
 * is freed again. Between B and C: 3 is freed. */
static const struct delta_entry story = {
	.a = {.live_count = 2, .live_bytes = 20, .alloc_count = 2, .alloc_bytes = 20},
	.b = {.live_count = 3, .live_bytes = 30, .alloc_count = 5, .alloc_bytes = 50},
	.old_freed_count = 1,
	.old_freed_bytes = 10,
	.young_freed_count = 1,
	.young_freed_bytes = 10,
};

static void numbers_follow_the_blocks(void **state)
{
	struct delta_result result = delta_of(&story);

	(void)state;
	assert_int_equal(result.live_delta_count, 1);
	assert_int_equal(result.live_delta_bytes, 10);
	assert_int_equal(result.alloc_count, 3);
	assert_int_equal(result.free_count, 2);
	assert_int_equal(result.free_bytes, 20);
	assert_int_equal(result.survived_count, 1); /* block 4 */
	assert_int_equal(result.survived_bytes, 10);
	assert_false(delta_is_odd(&result));
}

static void sums_are_the_sums_of_results(void **state)
{
	struct delta_entry sum = story, grown = {.b = {.live_count = 7,
						       .live_bytes = 70,
						       .alloc_count = 7,
						       .alloc_bytes = 70}};
	struct delta_result result;

	(void)state;
	delta_add(&sum, &grown);
	result = delta_of(&sum);
	assert_int_equal(result.live_delta_bytes, 80);
	assert_int_equal(result.alloc_bytes, 100);
	assert_int_equal(result.live_delta_bytes, result.alloc_bytes - result.free_bytes);
	assert_int_equal(result.survived_count, 8);
}

static void impossible_numbers_are_told(void **state)
{
	struct delta_entry entry = story;
	struct delta_result result;

	(void)state;
	entry.young_freed_count = 3; /* more than were born */
	result = delta_of(&entry);
	assert_true(delta_is_odd(&result));
	entry = story;
	entry.b.alloc_count = 1; /* fewer than before */
	result = delta_of(&entry);
	assert_true(delta_is_odd(&result));
}

static void senseless_numbers_wrap(void **state)
{
	struct delta_entry entry = {.a = {.live_bytes = INT64_MIN},
				    .b = {.live_bytes = INT64_MAX}};
	struct delta_result result = delta_of(&entry);

	(void)state;
	assert_int_equal(result.live_delta_bytes, -1);
	delta_add(&entry, &entry);
	assert_int_equal(delta_plus(INT64_MAX, 1), INT64_MIN);
}

static void largest_change_comes_first(void **state)
{
	struct delta_result up = {.live_delta_bytes = 10};
	struct delta_result down = {.live_delta_bytes = -20};
	struct delta_result lowest = {.live_delta_bytes = INT64_MIN};
	struct delta_result busy = {.live_delta_bytes = 10, .alloc_bytes = 5};

	(void)state;
	assert_true(delta_compare(&down, &up) < 0);
	assert_true(delta_compare(&up, &down) > 0);
	assert_true(delta_compare(&lowest, &down) < 0);
	assert_true(delta_compare(&busy, &up) < 0);
	assert_int_equal(delta_compare(&up, &up), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_the_blocks),
		cmocka_unit_test(sums_are_the_sums_of_results),
		cmocka_unit_test(impossible_numbers_are_told),
		cmocka_unit_test(senseless_numbers_wrap),
		cmocka_unit_test(largest_change_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
