/* SPDX-License-Identifier: MIT */
/*
 * What this is:  tests of the rules that select functions, and of the names they fit.
 */

#include "common/selection.h"
#include "shim/image/image.h"
#include "tests/unit/tests.h"

static uint64_t fit(const char *rules, enum selection_kind kind, const char *name)
{
	struct selection selection;

	assert_null(selection_read(&selection, rules, NULL));
	return selection_fit(&selection, kind, name);
}

TEST(reads_lists)
{
	struct selection selection;
	char text[SEGMENT_RULES_MAX + 2];

	assert_null(selection_read(&selection, "", NULL));
	assert_int_equal(selection.count, 0);
	assert_null(
		selection_read(&selection, "a,b::c,namespace::d", "module:x,module:y/*"));
	assert_int_equal(selection.count, 5);
	assert_int_equal(selection.only_count, 3);
	assert_int_equal(selection.rules[2].kind, SELECTION_FUNCTION);
	assert_int_equal(selection.rules[3].kind, SELECTION_MODULE);
	assert_int_equal(selection_fit(&selection, SELECTION_MODULE, "/y/z"), 16);
	assert_non_null(selection_read(&selection, "a,,b", NULL));
	assert_non_null(selection_read(&selection, NULL, "a,"));
	assert_non_null(selection_read(&selection, "module:", NULL));
	assert_non_null(selection_read(&selection, "files:x", NULL));
	assert_int_equal(selection.count, 0);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_non_null(selection_read(&selection, text, NULL));
	text[SEGMENT_RULES_MAX - 1] = '\0';
	assert_null(selection_read(&selection, text, NULL));
}

TEST(reads_rules_of_the_source)
{
	struct selection selection;

	assert_null(selection_read(&selection, "file:src/parse.c,f(int)", "f"));
	assert_int_equal(selection_of_kind(&selection, SELECTION_FILE), 1);
	assert_int_equal(selection_of_kind(&selection, SELECTION_WHOLE_NAME), 2);
	assert_int_equal(selection_of_kind(&selection, SELECTION_FUNCTION), 4);
	assert_int_equal(selection_fit(&selection, SELECTION_FILE, "/home/x/src/parse.c"),
			 1);
	assert_int_equal(selection_fit(&selection, SELECTION_FILE, "src/parse.c"), 1);
	assert_int_equal(selection_fit(&selection, SELECTION_FILE, "/lib/parse.c"), 0);
	assert_int_equal(selection_fit(&selection, SELECTION_FUNCTION, "network"), 0);
}

TEST(fits_patterns)
{
	assert_int_equal(fit("main", SELECTION_FUNCTION, "main"), 1);
	assert_int_equal(fit("main", SELECTION_FUNCTION, "domain"), 0);
	assert_int_equal(fit("main", SELECTION_FUNCTION, "mainly"), 0);
	assert_int_equal(fit("x,a*b*c,*", SELECTION_FUNCTION, "aXbYbZc"), 6);
	assert_int_equal(fit("a*b*c", SELECTION_FUNCTION, "aXbYbZcd"), 0);
	assert_int_equal(fit("a?c", SELECTION_FUNCTION, "abc"), 1);
	assert_int_equal(fit("a?c", SELECTION_FUNCTION, "ac"), 0);
	assert_int_equal(fit("a**", SELECTION_FUNCTION, "a"), 1);
	assert_int_equal(fit("module:a", SELECTION_FUNCTION, "a"), 0);
}

TEST(fits_places)
{
	assert_int_equal(fit("namespace:a::b", SELECTION_NAMESPACE, "a::b::c"), 1);
	assert_int_equal(fit("namespace:a", SELECTION_NAMESPACE, "a::b::c"), 1);
	assert_int_equal(fit("namespace:a::b", SELECTION_NAMESPACE, "a::bc::d"), 0);
	assert_int_equal(fit("namespace:b", SELECTION_NAMESPACE, "a::b::c"), 0);
	assert_int_equal(fit("namespace:*b", SELECTION_NAMESPACE, "a::b::c"), 1);
	assert_int_equal(fit("namespace:b", SELECTION_NAMESPACE, "f(b::c)"), 0);
	assert_int_equal(fit("module:lib*.so", SELECTION_MODULE, "/usr/lib/libx.so"), 1);
	assert_int_equal(fit("module:lib*.so", SELECTION_MODULE, "/usr/lib/libx.so.1"),
			 0);
	assert_int_equal(fit("module:src/a*", SELECTION_MODULE, "/home/src/a/b.c"), 1);
	assert_int_equal(fit("module:src/a*", SELECTION_MODULE, "/home/mysrc/a/b.c"), 0);
	assert_int_equal(fit("module:/home/*", SELECTION_MODULE, "/home/src/a/b.c"), 1);
	assert_int_equal(fit("module:b.c", SELECTION_MODULE, "b.c"), 1);
}

TEST(fits_files)
{
	assert_int_equal(fit("file:parse*.c", SELECTION_FILE, "/src/parser.c"), 1);
	assert_int_equal(fit("file:parse*.c", SELECTION_FILE, "/src/parse/a.c"), 0);
	assert_int_equal(fit("file:src/parser.c", SELECTION_FILE, "/a/src/parser.c"), 1);
	assert_int_equal(fit("file:rc/parser.c", SELECTION_FILE, "/a/src/parser.c"), 0);
	assert_int_equal(fit("file:src/", SELECTION_FILE, "/a/src/parser.c"), 1);
	assert_int_equal(fit("file:src/", SELECTION_FILE, "/a/src/b/c/parser.c"), 1);
	assert_int_equal(fit("file:src/", SELECTION_FILE, "/a/mysrc/parser.c"), 0);
	assert_int_equal(fit("file:src/", SELECTION_FILE, "/a/src"), 0);
	assert_int_equal(fit("file:s*/b/", SELECTION_FILE, "/a/src/x/b/parser.c"), 1);
	assert_int_equal(fit("file:/a/", SELECTION_FILE, "/a/src/parser.c"), 1);
	assert_int_equal(fit("file:/src/", SELECTION_FILE, "/a/src/parser.c"), 1);
	assert_int_equal(fit("file:a.c", SELECTION_FILE, "a.c"), 1);
}

static enum selection_kind kind_of(const char *rule)
{
	struct selection selection;

	assert_null(selection_read(&selection, rule, NULL));
	assert_int_equal(selection_sources(&selection),
			 selection.rules[0].kind >= SELECTION_FILE);
	return selection.rules[0].kind;
}

/* What was printed is pasted: commas inside of brackets do not end it. */
TEST(names_have_commas)
{
	static const struct {
		const char *rules;
		uint32_t count;
	} cases[] = {
		{"f(int, char),g", 2},
		{"a<b<c, d>, e>::f(int, g<h, i>),j,k", 3},
		{"twice<*,operator<,a<b, c>::d", 3},
		{"operator,,f", 2},
		{"operator<<,operator()(int, int),operator->,f", 4},
		{"main::{lambda(int, int)#1},f", 2},
		{"f(a,b", 2},
	};
	struct selection selection;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(selection_read(&selection, cases[i].rules, NULL));
		assert_int_equal(selection.count, cases[i].count);
	}
}

/* What the shim can tell by itself stays its own. */
TEST(knows_whole_names)
{
	static const char *const whole[] = {
		"Parser<int>::next", "f(int)",
		"operator==",	     "a::operator new",
		"*operator*",	     "twice<int>",
		"twice<*>",	     "*<*::next",
		"a::operator()",     "(anonymous namespace)::f",
		"a::..::f",	     "helper [a.c]",
		"main::{lambda#1}",  "std::string::append"};
	static const char *const plain[] = {"twice<*", "my_operators", "operators::f",
					    "*::~a",   "a::operator_", "a"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		assert_int_equal(kind_of(whole[i]), SELECTION_WHOLE_NAME);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_int_equal(kind_of(plain[i]), SELECTION_FUNCTION);
	assert_int_equal(kind_of("file:f(x).c"), SELECTION_FILE);
	assert_int_equal(kind_of("module:a<b>"), SELECTION_MODULE);
}

TEST(skips_after_only)
{
	struct selection selection;

	assert_null(selection_read(&selection, "a", "b"));
	assert_true(selection_is_off(&selection, 0));
	assert_false(selection_is_off(&selection, 1));
	assert_true(selection_is_off(&selection, 2));
	assert_true(selection_is_off(&selection, 3));
	assert_null(selection_read(&selection, NULL, "b"));
	assert_false(selection_is_off(&selection, 0));
	assert_true(selection_is_off(&selection, 1));
}

static void check_name(const char *linkage_name, const char *expected)
{
	char name[64] = "";

	assert_int_equal(plain_name(linkage_name, name, sizeof(name)), expected != NULL);
	if (expected)
		assert_string_equal(name, expected);
}

TEST(reads_plain_names)
{
	check_name("_ZN6Parser4nextEv", "Parser::next");
	check_name("_ZNK6Parser4nextEv", "Parser::next");
	check_name("_ZL4worki", "work");
	check_name("_Z4workIiEvT_", "work<");
	check_name("_ZN6ParserC2Ei", "Parser::Parser");
	check_name("_ZN1a6ParserD0Ev", "a::Parser::~Parser");
	check_name("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<");
	check_name("_ZSt4sortv", "std::sort");
	check_name("_ZNK4Node4pathB5cxx11Ev", "Node::path");
	check_name("_ZN1aB1x1fB9999", NULL);
	check_name("_ZN1aB", "a::");
	check_name("_ZN1aplEi", "a::");
	check_name("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f");
	check_name("main", NULL);
	check_name("_Z", NULL);
	check_name("_ZN", NULL);
	check_name("_ZN99abcE", NULL);
	check_name("_ZN99999999999999999999abcE", NULL);
	check_name("_ZN70aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		   "aaaa"
		   "aaE",
		   NULL);
}
