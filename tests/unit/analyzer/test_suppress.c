/* SPDX-License-Identifier: MIT */
/* What this is: leak suppressions in LeakSanitizer's format. */
#include "analyzer/findings/suppress.h"
#include "tests/unit/tests.h"

#include <stdbool.h>

static struct suppressions list;

static void parse(const char *text, size_t size)
{
	list = (struct suppressions){0};
	suppressions_parse(&list, text, size, "my.supp");
}

static bool matches(const char *pattern, const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "leak:%s", pattern);
	parse(line, strlen(line));
	return suppressions_find(&list, text) == 0;
}

TEST(patterns_are_looked_for_anywhere)
{
	assert_true(matches("init", "cache_init_all"));
	assert_true(matches("init", "init"));
	assert_false(matches("init", "ini"));
	assert_false(matches("init", ""));
	assert_true(matches("a*c", "xxabbcyy"));
	assert_false(matches("a*c", "cba"));
	assert_true(matches("*", ""));
	assert_true(matches("a*b*c", "a1b2b3c"));
	assert_true(matches("ab", "aab"));
	assert_true(matches("*.so*", "/usr/lib/libfoo.so.1"));
	assert_true(
		matches("std::map<int, *>::insert", "std::map<int, long>::insert(int)"));
}

TEST(ends_can_be_held)
{
	assert_true(matches("^main$", "main"));
	assert_false(matches("^main$", "main2"));
	assert_false(matches("^main$", "domain"));
	assert_true(matches("^main", "main2"));
	assert_false(matches("^main", "domain"));
	assert_true(matches("main$", "domain"));
	assert_false(matches("main$", "main2"));
	assert_true(matches("^a*z$", "abcz"));
	assert_true(matches("^a*z$", "azaz"));
	assert_false(matches("^a*z$", "azb"));
	assert_true(matches("^", "anything"));
	assert_true(matches("$", "anything"));
	/* In the middle they are themselves. */
	assert_true(matches("a$b", "xa$by"));
	assert_true(matches("a^b", "xa^by"));
}

TEST(many_stars_take_no_time)
{
	char text[4096];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(matches("a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

TEST(files_have_comments_and_space)
{
	static const char text[] = "# x\n\n  leak:one \t\r\nleak:two\n\t#y\nleak:a b";

	parse(text, sizeof(text) - 1);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.list[0].pattern, "one");
	assert_string_equal(list.list[2].pattern, "a b");
	assert_int_equal(suppressions_find(&list, "two"), 1);
	assert_true(suppressions_find(&list, "three") == SUPPRESS_NONE);
	assert_true(suppressions_find(&list, NULL) == SUPPRESS_NONE);
	parse("", 0);
	assert_true(suppressions_find(&list, "x") == SUPPRESS_NONE);
}

TEST(mistakes_are_told_with_their_line)
{
	assert_fails(parse("leak:a\nmain\n", 12), "my.supp:2: is not a suppression");
	assert_fails(parse("race:a", 6), "my.supp:1: suppresses something else");
	assert_fails(parse("leak: ", 6), "no pattern");
	assert_fails(parse("leak:a\0b", 8), "not text");
}
