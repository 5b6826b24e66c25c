/* SPDX-License-Identifier: MIT */
/*
 * What this is:  splitting a command into words as sh does.
 * Runs on:       tests.
 * See also:      record/words.h
 */
#include <errno.h>

#include "record/words.h"
#include "tests/unit/tests.h"

/* Words, each in brackets; or the sentence. */
static void expect_words(const char *text, const char *expected)
{
	char error[256] = "", joined[1024] = "";
	char **words;
	int result = record_words(text, &words, error, sizeof(error)), i;

	if (result < 0) {
		assert_null(words);
		assert_string_equal(error, expected);
		return;
	}
	for (i = 0; words[i]; i++)
		sprintf(joined + strlen(joined), "[%s]", words[i]);
	free(words);
	assert_string_equal(joined, expected);
}

/* What sh -c 'printf "[%s]" ...' of Debian 12 prints for the same text. */
TEST(test_like_sh)
{
	expect_words("a", "[a]");
	expect_words("  ./a  b\tc\n ", "[./a][b][c]");
	expect_words("a 'b c' \"d e\"", "[a][b c][d e]");
	expect_words("a b' 'c\" \"d", "[a][b c d]");
	expect_words("a '' \"\"", "[a][][]");
	expect_words("a b\\ c \\' \\\"", "[a][b c]['][\"]");
	expect_words("a 'b\\' \"c\\d\\\"\\\\\\$\"", "[a][b\\][c\\d\"\\$]");
	expect_words("a b\\\nc \"d\\\ne\"", "[a][bc][de]");
	expect_words("a '|$*#' \"|*~\" b#c d~", "[a][|$*#][|*~][b#c][d~]");
	expect_words("a b=c --x=y", "[a][b=c][--x=y]");
	expect_words("\xc3\xa4 b", "[\xc3\xa4][b]");
	expect_words("a {b,c} !", "[a][{b,c}][!]");
}

/* The most words that fit into a text of each length. */
TEST(test_many_words)
{
	char text[512], error[256];
	size_t length, i;
	char **words;

	for (length = 1; length < sizeof(text); length++) {
		for (i = 0; i < length; i++)
			text[i] = i % 2 ? ' ' : 'x';
		text[length] = '\0';
		assert_int_equal(record_words(text, &words, error, sizeof(error)), 0);
		for (i = 0; words[i]; i++)
			assert_string_equal(words[i], "x");
		assert_int_equal(i, (length + 1) / 2);
		free(words);
	}
}

TEST(test_refused)
{
	static const char shell_only[] = "|&;<>()$`*?[";
	char text[16], expected[256];
	size_t i;

	for (i = 0; shell_only[i]; i++) {
		sprintf(text, "a b%cc", shell_only[i]);
		sprintf(expected,
			"'%c' is for a shell: quote it, or give sh -c '...' on both "
			"sides",
			shell_only[i]);
		expect_words(text, expected);
	}
	expect_words("a \"$b\"",
		     "'$' is for a shell: quote it, or give sh -c '...' on both sides");
	expect_words("~/a",
		     "'~' is for a shell: quote it, or give sh -c '...' on both sides");
	expect_words("a 'b", "it ends inside a quotation");
	expect_words("a \"b\\\"", "it ends inside a quotation");
	expect_words("a \"b\\", "it ends inside a quotation");
	expect_words("a \\", "it ends with a backslash");
	expect_words("", "it names no program");
	expect_words(" \n", "it names no program");
	expect_words("'' a", "it names no program");
	expect_words("A_1=b c", "'A_1=b' sets a variable, which is for a shell: give env "
				"A_1=b ... on both sides");
}
