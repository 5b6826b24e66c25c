/* SPDX-License-Identifier: MIT */
/* What this is: the table of limits of each rule: none is told twice, none contradicts
 * another, and those that are compared exist. */
#include "analyzer/rules/rule.h"
#include "tests/unit/analyzer/cmocka_all.h"

static struct rule_limits limits;

static int declare(void **state)
{
	(void)state;
	for (size_t i = 0; i < rule_registry_count; i++)
		rule_limits_declare(&limits, rule_registry[i]->id, rule_registry[i]->slug,
				    rule_registry[i]->limits);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	rule_limits_free(&limits);
	return 0;
}

static void defaults_fit_together(void **state)
{
	struct rule_limits_conflict conflict;

	(void)state;
	assert_true(limits.value_count > 100);
	assert_false(rule_limits_conflict(&limits, &conflict));
}

static void limits_are_told_once_and_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < limits.value_count; i++) {
		const struct rule_limit_value *value = &limits.values[i];

		assert_ptr_equal(
			rule_limits_find(&limits, value->rule, value->limit->name),
			value);
		assert_non_null(value->limit->unit);
		assert_non_null(value->limit->meaning);
		assert_true(value->value >= 0);
	}
}

static void compared_limits_exist(void **state)
{
	char rule[8], name[64];

	(void)state;
	for (size_t i = 0; i < limits.value_count; i++) {
		const char *other = limits.values[i].limit->not_above;

		if (!other)
			continue;
		if (sscanf(other, "%7[^.].%63s", rule, name) != 2) {
			snprintf(rule, sizeof(rule), "%s", limits.values[i].rule);
			snprintf(name, sizeof(name), "%s", other);
		}
		assert_non_null(rule_limits_find(&limits, rule, name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_fit_together),
		cmocka_unit_test(limits_are_told_once_and_whole),
		cmocka_unit_test(compared_limits_exist),
	};

	return cmocka_run_group_tests(tests, declare, clean_up);
}
