/* SPDX-License-Identifier: MIT */
/* What this is: names, places and chains in little room. */
#include "common/base/text.h"
#include "analyzer/model/shorten.h"
#include "tests/unit/tests.h"

static struct strbuf buffer;

static const char *name(const char *text, size_t width)
{
	strbuf_reset(&buffer);
	shorten_name(&buffer, text, width, &shorten_ascii);
	return strbuf_text(&buffer);
}

static const char *location(const char *file, unsigned line, size_t width)
{
	strbuf_reset(&buffer);
	shorten_location(&buffer, file, line, width, &shorten_ascii);
	return strbuf_text(&buffer);
}

static const char *chain(const char *text, size_t width, size_t lines)
{
	strbuf_reset(&buffer);
	shorten_chain(&buffer, text, width, lines, &shorten_ascii);
	return strbuf_text(&buffer);
}

TEST(short_names_stay)
{
	assert_string_equal(name("main", 4), "main");
	assert_string_equal(name("", 4), "");
	assert_string_equal(name("f(int)", 6), "f(int)");
}

TEST(arguments_go_first)
{
	assert_string_equal(name("ns::f<int>(std::string const&)", 20), "ns::f<int>(..)");
	assert_string_equal(name("void g<std::vector<int> >(int, int)", 20),
			    "void g<..>(..)");
	assert_string_equal(name("f(void (*)(int), int) const", 14), "f(..) const");
	assert_string_equal(name("veryverylongname()", 10), "veryvery..");
}

TEST(the_last_part_stays)
{
	const char *text = "std::_Rb_tree<std::basic_string<char, A<B> > >::find(int)";

	assert_string_equal(name(text, 60),
			    "std::_Rb_tree<std::basic_string<char, A<B> > >::find(int)");
	assert_string_equal(name(text, 30), "std::_Rb_tree<..>::find(..)");
	assert_string_equal(name(text, 20), "std::..::find(..)");
	assert_string_equal(name(text, 9), "..find..");
	assert_string_equal(name("std::__cxx11::list<int>::push(int)", 27),
			    "..::list<int>::push(..)");
}

TEST(operators_are_no_brackets)
{
	assert_string_equal(name("A::operator()(int, int, int)", 20),
			    "A::operator()(..)");
	assert_string_equal(name("operator<(Long const&, Long const&)", 16),
			    "operator<(..)");
	assert_string_equal(name("operator<< <char>(std::ostream&, int)", 22),
			    "operator<< <char>(..)");
	assert_string_equal(name("A<int>::operator->(int, int)", 24),
			    "A<int>::operator->(..)");
	assert_string_equal(name("(anonymous namespace)::f(int, int, int)", 30),
			    "(anonymous namespace)::f(..)");
}

TEST(nothing_is_ever_wider)
{
	static const char *const names[] = {
		"std::_Rb_tree<std::string, std::pair<int, A<B<C<D<E> > > > >::f(int) "
		"const",
		"a<b<c",
		")))>>>",
		"operator",
		"operator<",
		"f(",
		"f<",
		"((((((((((",
		"<<<<<<<<",
		"gr\xc3\xb6\xc3\x9f"
		"e_berechnen<\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e>(int)",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t width = 4; width < 90; width++)
			assert_true(utf8_width(name(names[i], width)) <= width);
}

TEST(places_lose_directories)
{
	assert_string_equal(location("/home/user/src/a.c", 12, 30),
			    "/home/user/src/a.c:12");
	assert_string_equal(location("/home/user/src/a.c", 12, 18), "user/src/a.c:12");
	assert_string_equal(location("/home/user/src/a.c", 12, 6), "a.c:12");
	assert_string_equal(location("/home/user/src/a.c", 0, 3), "a.c");
	assert_string_equal(location("../../lib/a.c", 1, 30), "lib/a.c:1");
	assert_string_equal(location("a.c/", 0, 30), "a.c/");
	assert_string_equal(location("", 0, 30), "");
	assert_true(utf8_width(location("averylongfilename.c", 7, 10)) <= 10);
}

TEST(chains_fold_repetition)
{
	assert_string_equal(chain("a", 40, 1), "a");
	assert_string_equal(chain("", 40, 1), "");
	assert_string_equal(chain("a\x1f"
				  "b\x1f"
				  "b\x1f"
				  "b",
				  40, 1),
			    "a -> b x3");
}

TEST(chains_keep_both_ends)
{
	const char *text = "main\x1f"
			   "aaaaaaaaaaaa\x1f"
			   "bbbbbbbbbbbb\x1f"
			   "cccccccccccc\x1f"
			   "leaf";

	assert_string_equal(chain(text, 40, 1),
			    "main -> (2 more) -> cccccccccccc -> leaf");
	assert_string_equal(chain(text, 30, 1), "main -> (3 more) -> leaf");
	assert_string_equal(
		chain(text, 40, 2),
		"main -> aaaaaaaaaaaa -> bbbbbbbbbbbb\n-> cccccccccccc -> leaf");
	assert_string_equal(chain(text, 4, 0), "main\n-> aaaaaaaaaaaa\n-> bbbbbbbbbbbb\n"
					       "-> cccccccccccc\n-> leaf");
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&buffer);
	return 0;
}

TEST_GROUP(NULL, clean_up)
