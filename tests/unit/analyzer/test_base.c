/* SPDX-License-Identifier: MIT */
/* What this is: strings, UTF-8 and spelling. */
#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/plain_text.h"
#include "tests/unit/tests.h"

TEST(strbuf_grows)
{
	struct strbuf buffer = {0};

	assert_string_equal(strbuf_text(&buffer), "");
	for (int i = 0; i < 1000; i++)
		strbuf_printf(&buffer, "%d,", i % 10);
	assert_int_equal(buffer.size, 2000);
	assert_int_equal(strlen(buffer.data), 2000);
	strbuf_truncate(&buffer, 4);
	strbuf_truncate(&buffer, 100);
	assert_string_equal(strbuf_text(&buffer), "0,1,");
	strbuf_repeat(&buffer, '-', 3);
	assert_string_equal(strbuf_text(&buffer), "0,1,---");
	strbuf_reset(&buffer);
	assert_string_equal(strbuf_text(&buffer), "");
	strbuf_free(&buffer);
	strbuf_free(&buffer);
}

TEST(arena_keeps_strings)
{
	struct arena arena = {0};
	const char *first = arena_copy(&arena, "first", 5), *large;
	char *text = xmalloc(200000);

	memset(text, 'x', 199999);
	text[199999] = '\0';
	large = arena_copy(&arena, text, 199999);
	for (int i = 0; i < 10000; i++)
		arena_copy(&arena, "many small ones", 15);
	assert_string_equal(first, "first");
	assert_string_equal(large, text);
	free(text);
	arena_free(&arena);
	arena_free(&arena);
}

TEST(utf8_width_counts_columns)
{
	assert_int_equal(utf8_width(""), 0);
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("gr\xc3\xb6\xc3\x9f"
				    "e"),
			 5);
	assert_int_equal(utf8_width("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two wide */
	assert_int_equal(utf8_width("e\xcc\x81"), 1);		     /* combining */
	assert_int_equal(utf8_width("\xe0\xa4\x95\xe0\xa5\x87"), 1); /* a vowel's sign */
	assert_int_equal(utf8_width("\xf0\x9f\x9a\x80"), 2);	     /* a picture */
	assert_int_equal(utf8_width("a\tb"), 3);		     /* shown as '?' */
	assert_int_equal(utf8_width("\xff\xc3"), 2);		     /* two bad bytes */
}

TEST(utf8_cuts_between_characters)
{
	const char *text = "a\xe6\x97\xa5"
			   "b"; /* columns 1 2 1 */

	assert_int_equal(utf8_prefix(text, 0), 0);
	assert_int_equal(utf8_prefix(text, 1), 1);
	assert_int_equal(utf8_prefix(text, 2), 1);
	assert_int_equal(utf8_prefix(text, 3), 4);
	assert_int_equal(utf8_prefix(text, 99), 5);
	assert_int_equal(utf8_suffix(text, 1), 1);
	assert_int_equal(utf8_suffix(text, 2), 1);
	assert_int_equal(utf8_suffix(text, 3), 4);
	assert_int_equal(utf8_suffix(text, 4), 5);
}

TEST(utf8_refuses_what_is_not)
{
	static const char *const bad[] = {
		"\x80",
		"\xc3",
		"\xc0\x80",
		"\xe0\x80\x80",
		"\xed\xa0\x80",
		"\xf4\x90\x80\x80",
		"\xf8\x88\x80\x80",
		"\xe6\x97",
		"\xe6\x97\x41\x41",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t character = 0;

		assert_int_equal(plain_text_next(bad[i], strlen(bad[i]), &character), 1);
		assert_int_equal(character, 0xfffd);
	}
}

TEST(utf8_clean_stops_controls)
{
	struct strbuf buffer = {0};

	utf8_clean(&buffer, "a\033[31mb\n\x7f\xc2\x9b \xe2\x80\xae!\xff");
	assert_string_equal(strbuf_text(&buffer), "a?[31mb??? ?!\xef\xbf\xbd");
	strbuf_reset(&buffer);
	utf8_repair(&buffer, "a\nb\xff");
	assert_string_equal(strbuf_text(&buffer), "a\nb\xef\xbf\xbd");
	strbuf_free(&buffer);
}

TEST(plain_text_shows_all_it_copies)
{
	char text[12];

	assert_string_equal(plain_text_copy(text, 12, "a\nb\xd8\x9c\xff"),
			    "a?b?\xef\xbf\xbd");
	assert_string_equal(plain_text_copy(text, 12, "12345678901"), "12345678901");
	assert_string_equal(plain_text_copy(text, 12, "123456789012"), "12345678...");
	/* cut between characters */
	assert_string_equal(plain_text_copy(text, 8, "abc\xc3\xa9\xc3\xa9\xc3\xa9"),
			    "abc...");
	assert_string_equal(plain_text_copy(text, 4, "\xff\xff"), "...");
	assert_string_equal(plain_text_copy(text, 4, ""), "");
}

TEST(plain_text_knows_a_class)
{
	static const uint32_t hidden[] = {0,	  0x1f,	  0x7f,	  0x80,	   0x9f,   0xad,
					  0x61c,  0x200b, 0x200e, 0x202e,  0x2028, 0x2066,
					  0x2069, 0xfe0f, 0xfeff, 0xe0020, 0xe0fff};
	static const uint32_t shown[] = {
		' ',	'~',	0xa0,	0xac,	0xe9,	0x61b,	 0x2010,  0x3042,
		0xfdff, 0xfe10, 0xfffc, 0xfffd, 0xe000, 0x1f600, 0xdffff, 0x10ffff};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		assert_true(plain_text_is_hidden(hidden[i]));
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		assert_false(plain_text_is_hidden(shown[i]));
}

TEST(numbers_of_options_have_bounds)
{
	static const char *const none[] = {
		"",    "-",   "3x", "x", "0x3",
		"3.5", "1e2", "0",  "9", "99999999999999999999"};
	long number;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(options_number(none[i], 1, 8, &number));
	assert_true(options_number("1", 1, 8, &number));
	assert_int_equal(number, 1);
	assert_true(options_number("8", 1, 8, &number));
	assert_true(options_number("-2", -2, 8, &number));
	assert_int_equal(number, -2);
}

TEST(nearest_knows_typing_mistakes)
{
	static const char *const words[] = {"functions", "tree", "callers"};
	char longest[300];

	assert_int_equal(nearest_distance("", ""), 0);
	assert_int_equal(nearest_distance("abc", ""), 3);
	assert_int_equal(nearest_distance("fucntions", "functions"), 1);
	assert_int_equal(nearest_distance("TREE", "tree"), 0);
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(nearest_distance(longest, longest), 0);
	assert_string_equal(nearest_word("caller", words, 3), "callers");
	assert_string_equal(nearest_word("tre", words, 3), "tree");
	assert_null(nearest_word("banana", words, 3));
}

TEST(xml_holds_any_name)
{
	struct strbuf text = {0};

	xml_escape(&text, "a<b> & \"c\" \x01\x1b\n");
	assert_string_equal(strbuf_text(&text), "a&lt;b&gt; &amp; &quot;c&quot; ???");
	strbuf_reset(&text);
	/* U+FFFF is UTF-8, but no character of XML; 0xff is neither. */
	xml_escape(&text, "\xef\xbf\xbf\xef\xbf\xbe\xffgr\xc3\xb6\xc3\x9f"
			  "e]]>");
	assert_string_equal(strbuf_text(&text),
			    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdgr\xc3\xb6\xc3\x9f"
			    "e]]&gt;");
	strbuf_free(&text);
}

TEST(pattern_refuses_what_unrolls)
{
	char longest[1002];

	memset(longest, 'a', 1001);
	longest[1001] = '\0';
	assert_null(pattern_refuse("^(acme::)?v[0-9]+\\.[0-9]{1,3}<.*>(const)?$"));
	assert_null(pattern_refuse("a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p{x{,{}"));
	assert_null(pattern_refuse("a{2000}"));
	assert_null(pattern_refuse(longest + 1));
	assert_non_null(pattern_refuse(longest));
	assert_non_null(pattern_refuse("a{2001}"));
	assert_non_null(pattern_refuse("((a{99}){1,99}){99}"));
	assert_non_null(pattern_refuse("a{18446744073709551615}{2}"));
	assert_non_null(pattern_refuse("((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+"));
	assert_non_null(pattern_refuse("(a*)\\1"));
	/* Each of these took glibc 2.36 more than 20 s. */
	assert_non_null(pattern_refuse("((((((((((^)+)+)+)+)+)+)+)+)+)+"));
	assert_non_null(pattern_refuse("(((^a?$){0,40}){0,40})"));
	assert_null(pattern_refuse("(^|::)(get|set)_[a-z0-9_]{1,40}(_v[0-9]+)*$"));
	assert_null(pattern_refuse("(^acme::)?[^][(+{]+"));
}
