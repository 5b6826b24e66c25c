/* SPDX-License-Identifier: MIT */
/*
 * What this is:  cmocka with the headers it needs, and the main() of a file of tests:
 *
 *		TEST(numbers_are_added)
 *		{
 *			assert_int_equal(add(1, 2), 3);
 *		}
 *
 *                TEST_WITH() names what is called before and after it, which have *state,
 *                as the test has, too; TEST_FIXTURE() has it as a struct fixture *f;
 *                TEST_GROUP() names what is called before the first and after the last.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef KEEPS_MEMORY
#include "common/base/command.h"

static jmp_buf unit_jump;
static char unit_sentence[1000];
static int unit_status;

static inline _Noreturn void unit_failed(int status, const char *text)
{
	snprintf(unit_sentence, sizeof(unit_sentence), "%s", text);
	unit_status = status;
	longjmp(unit_jump, 1);
}

#pragma GCC diagnostic ignored "-Wclobbered" /* what a failing test says last */
/* Whether the statement ends the command; unit_sentence then says why. */
#define FAILS(statement)                                                                 \
	(command_failed = unit_failed, setjmp(unit_jump) ? true : __extension__({        \
		 statement;                                                              \
		 false;                                                                  \
	 }))
#define assert_fails(statement, part)                                                    \
	do {                                                                             \
		assert_true(FAILS(statement));                                           \
		if (!strstr(unit_sentence, part))                                        \
			fail_msg("%s", unit_sentence);                                   \
	} while (0)
#endif

static struct {
	struct CMUnitTest all[64];
	size_t count;
	int (*set_up)(void **state), (*tear_down)(void **state);
} unit_tests;

static inline void unit_add(const struct CMUnitTest *test)
{
	if (unit_tests.count == sizeof(unit_tests.all) / sizeof(unit_tests.all[0]))
		abort();
	unit_tests.all[unit_tests.count++] = *test;
}

#define TEST_WITH(name, set_up, tear_down)                                               \
	static void name(void **state);                                                  \
	__attribute__((constructor)) static void add_##name(void)                        \
	{                                                                                \
		unit_add(&(struct CMUnitTest){#name, name, set_up, tear_down, NULL});    \
	}                                                                                \
	static void name(__attribute__((unused)) void **state)

#define TEST_FIXTURE(name, set_up, tear_down)                                            \
	static void name##_of(struct fixture *f);                                        \
	TEST_WITH(name, set_up, tear_down)                                               \
	{                                                                                \
		name##_of(*state);                                                       \
	}                                                                                \
	static void name##_of(struct fixture *f)

#define TEST(name) TEST_WITH(name, NULL, NULL)

#define TEST_GROUP(first, last)                                                          \
	__attribute__((constructor)) static void set_group(void)                         \
	{                                                                                \
		unit_tests.set_up = first;                                               \
		unit_tests.tear_down = last;                                             \
	}

int main(void)
{
#ifdef KEEPS_MEMORY /* what is tested is a command's, which only its end frees */
	command_keep_memory();
#endif
	return _cmocka_run_group_tests("tests", unit_tests.all, unit_tests.count,
				       unit_tests.set_up, unit_tests.tear_down);
}
