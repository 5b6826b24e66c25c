/* SPDX-License-Identifier: MIT */
/* What this is: many functions in little room, none like another, each found again. */
#include "common/base/map.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/names/short_name.h"
#include "analyzer/model/meant.h"
#include "analyzer/names/name_pool.h"
#include "tests/unit/tests.h"

static struct strbuf buffer;

static struct name_pool *pool_of(const char *const *names, size_t count)
{
	struct name_pool *pool = name_pool_new();

	for (size_t i = 0; i < count; i++)
		name_pool_add(pool, names[i]);
	return pool;
}

static const char *shortened(struct name_pool *pool, const char *name, size_t width)
{
	strbuf_reset(&buffer);
	name_pool_shorten(pool, &buffer, name, width, "..");
	return strbuf_text(&buffer);
}

/* Every name in this room: fits it, is found by what was printed, and by nothing else. */
static void check_all(const char *const *names, size_t count, size_t width)
{
	struct name_pool *pool = pool_of(names, count);
	struct intern texts = {0};

	for (size_t i = 0; i < count; i++) {
		char *text = xstrdup(shortened(pool, names[i], width));

		assert_true(utf8_width(text) <= width);
		assert_int_equal(intern_find(&texts, text), INTERN_NONE);
		(void)intern_text(&texts, text, NULL);
		/* of many some: each is compared with all */
		for (size_t j = 0; j < count && i % (1 + count / 50) == 0; j++) {
			enum meant fit = meant_judge(text, names[j], NULL, NULL);

			if ((fit <= MEANT_SHORTENED) != (i == j))
				fail_msg("'%s' of '%s' and '%s'", text, names[i],
					 names[j]);
		}
		free(text);
	}
	intern_free(&texts);
	name_pool_free(pool);
}

TEST(parameters_go_unless_overloads_collide)
{
	static const char *const names[] = {
		"shop::basket::add(shop::article const&, int)",
		"shop::basket::add(shop::article const&, char)",
		"shop::basket::take(shop::article const&, char)",
	};
	struct name_pool *pool = pool_of(names, 3);

	assert_string_equal(shortened(pool, names[2], 24), "shop::basket::take(..)");
	assert_string_equal(shortened(pool, names[0], 30), "shop::basket::add(.., int)");
	assert_string_equal(shortened(pool, names[1], 30), "shop::basket::add(.., char)");
	name_pool_free(pool);
}

TEST(arguments_go_from_the_inside_out)
{
	static const char *const names[] = {
		"table<row<cell<int, plain>, 1>, 2>::find",
		"table<row<cell<int, plain>, 1>, 3>::find",
		"other<row<cell<int, plain>, 1>, 3>::find",
	};
	struct name_pool *pool = pool_of(names, 3);

	assert_string_equal(shortened(pool, names[2], 38),
			    "other<row<cell<..>, 1>, 3>::find");
	assert_string_equal(shortened(pool, names[2], 30), "other<row<..>, 3>::find");
	assert_string_equal(shortened(pool, names[2], 20), "other<..>::find");
	assert_string_equal(shortened(pool, names[0], 20), "table<.., 2>::find");
	assert_string_equal(shortened(pool, names[1], 20), "table<.., 3>::find");
	name_pool_free(pool);
}

TEST(identifiers_are_cut_last)
{
	static const char *const names[] = {
		"network::protocol::decoder::read_header_of_message",
		"network::protocol::decoder::read_footer_of_message",
		"storage::read_header",
	};
	struct name_pool *pool = pool_of(names, 3);

	assert_string_equal(shortened(pool, names[0], 40),
			    "..::decoder::read_header_of_message");
	assert_string_equal(shortened(pool, names[0], 26), "..::read_header_of_message");
	assert_string_equal(shortened(pool, names[0], 20), "..read_header_of_..");
	assert_string_equal(shortened(pool, names[1], 20), "..read_footer_of_..");
	name_pool_free(pool);
}

/* A parameter that the other has not; one name the beginning of another. */
TEST(what_is_missing_tells)
{
	static const char *const names[] = {
		"a_long_enough_name()",
		"a_long_enough_name(one_parameter)",
		"a_long_enough_name(one_parameter, two)",
		"a_long_enough_name(one_parameter, two) [a.c]",
		"a_long_enough_name(one_parameter, two) [b.c]",
		"a_long_enough_name(one_parameter, ...)",
		"a_long_enough_name",
	};

	for (size_t width = 16; width < 50; width++)
		check_all(names, sizeof(names) / sizeof(names[0]), width);
}

#define COUNT 1000u

/* The names of the issue: 1,000 templates, alike but for a little anywhere. */
TEST(a_thousand_templates_are_told_apart)
{
	static const char *const forms[] = {
		"std::vector<std::pair<acme::record<%u>, std::string>>::emplace_back",
		"acme::pipeline::stage<acme::filter<int, %u>, acme::sink<%u>>::run(int)",
		"acme::pipeline::stage<acme::filter<int, %u>, acme::sink<%u>>::run(char)",
		"a_name_that_nobody_would_write_%u_but_a_generator_of_code_would_do_it",
		"deep<deep<deep<deep<deep<deep<deep<leaf<%u>, 1>, 2>, 3>, 4>, 5>>>::f",
		"outer::handle(std::map<int, acme::record<%u>>&)::{lambda#1}",
		"outer::handle(std::map<int, acme::record<%u>>&)::{lambda#2}",
		"operator<< <acme::record<%u>>",
		"acme::record<%u>::~record",
		"acme::record<%u>::record(acme::record<%u> const&)",
	};
	char **names = xcalloc(COUNT, sizeof(*names));

	for (unsigned i = 0; i < COUNT; i++) {
		strbuf_reset(&buffer);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		strbuf_printf(&buffer, forms[i % 10], 100 + i / 10, 500 - i / 10);
#pragma GCC diagnostic pop
		names[i] = xstrdup(strbuf_text(&buffer));
	}
	check_all((const char *const *)names, COUNT, 60);
	check_all((const char *const *)names, COUNT, 30);
	for (unsigned i = 0; i < COUNT; i++)
		free(names[i]);
	free(names);
}

TEST(nothing_is_ever_wider)
{
	static const char *const names[] = {
		"a<b<c<d<e<f<g<h",
		")))>>>)))>>>)))>>>",
		"operator operator operator",
		"operator<operator<operator<",
		"((((((((((((((((((((",
		"<<<<<<<<<<<<<<<",
		"a..b..c..d..e..f..g..h",
		"f(a, ...)::g(b, ...)::h(c, ...)",
		("gr\xc3\xb6\xc3\x9f"
		 "e_berechnen<\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e>(int)::operator+"),
		"{lambda(int)#1}::{lambda(int)#2}::{lambda(int)#3}",
	};
	size_t count = sizeof(names) / sizeof(names[0]);
	struct name_pool *pool = pool_of(names, count);

	for (size_t width = 4; width < 40; width++)
		for (size_t i = 0; i < count; i++)
			assert_true(utf8_width(shortened(pool, names[i], width)) <=
				    width);
	name_pool_free(pool);
	check_all(names, count, 14);
}

TEST(marks_close_no_bracket)
{
	static const struct {
		const char *text, *name;
		bool fits;
	} cases[] = {
		{"f<..>", "f<int>", true},
		{"f<..>", "f<>", false},
		{"f<..>", "f<int>::g<char>", false},
		{"f<..>::g<..>", "f<int>::g<char>", true},
		{"f<..>::g(..)", "f<a<b>, (c)2>::g(int (*)(int))", true},
		{"f<.., int>", "f<char, int>", true},
		{"f<.., int>", "f<g<char, int>>", false},
		{"..::g", "a::b<c>::g", true},
		{"..::g", "a::g::h", false},
		{"a\xe2\x80\xa6g", "abcg", true},
		{"operator<..", "operator<(int)", true},
		{"a::operator->..", "a::operator->(int)", true},
		{"f(int, ...)", "f(int, ...)", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct short_name *text = short_name_new(cases[i].text);

		assert_non_null(text);
		if (short_name_fits(text, cases[i].name, NULL) != cases[i].fits)
			fail_msg("'%s' and '%s'", cases[i].text, cases[i].name);
		short_name_free(text);
	}
	assert_null(short_name_new("f<int>"));
	assert_null(short_name_new(""));
}

/* Texts and names of any length: limits, not hours. */
TEST(long_ones_end)
{
	struct name_pool *pool = name_pool_new();
	struct strbuf one = {0}, other = {0}, text = {0};

	for (size_t i = 0; i < 10000; i++) {
		strbuf_puts(&one, i & 1 ? "ab::<(" : "cd::");
		strbuf_puts(&other, i & 1 ? "ab::<(" : "cd::");
		strbuf_puts(&text, "..a");
	}
	strbuf_puts(&one, "1");
	strbuf_puts(&other, "2");
	name_pool_add(pool, strbuf_text(&one));
	name_pool_add(pool, strbuf_text(&other));
	assert_null(short_name_new(strbuf_text(&text)));
	name_pool_shorten(pool, &buffer, strbuf_text(&one), 60, "..");
	strbuf_reset(&text);
	name_pool_shorten(pool, &text, strbuf_text(&other), 60, "..");
	assert_string_not_equal(strbuf_text(&buffer), strbuf_text(&text));
	assert_int_equal(meant_judge(strbuf_text(&text), strbuf_text(&other), NULL, NULL),
			 MEANT_SHORTENED);
	assert_int_equal(meant_judge(strbuf_text(&text), strbuf_text(&one), NULL, NULL),
			 MEANT_NOT);
	strbuf_free(&one);
	strbuf_free(&other);
	strbuf_free(&text);
	name_pool_free(pool);
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&buffer);
	return 0;
}

TEST_GROUP(NULL, clean_up)
