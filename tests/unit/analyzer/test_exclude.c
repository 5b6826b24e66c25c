/* SPDX-License-Identifier: MIT */
/* What this is: names of functions as gcc looks at them, and the words for its list. */
#include "analyzer/reports/exclude/parts.h"
#include "tests/unit/tests.h"

static struct strbuf buffer;

static const char *visible(const char *name)
{
	strbuf_reset(&buffer);
	exclude_visible(&buffer, name);
	return strbuf_text(&buffer);
}

static const char *word(const char *name)
{
	static struct strbuf first;

	strbuf_reset(&first);
	exclude_visible(&first, name);
	strbuf_reset(&buffer);
	exclude_word(&buffer, strbuf_text(&first));
	return strbuf_text(&buffer);
}

TEST(names_have_no_types)
{
	assert_string_equal(visible("get_slot"), "get_slot");
	assert_string_equal(visible("hash.constprop.0"), "hash");
	assert_string_equal(visible("ns::f(int) [clone .part.0]"), "ns::f");
	assert_string_equal(visible("long ns::Slice::as<long>() const"),
			    "ns::Slice::as<long>");
	assert_string_equal(visible("std::map<int, long> const& ns::f<int>(int)"),
			    "ns::f<int>");
	assert_string_equal(visible("ns::(anonymous namespace)::Inner::f()"),
			    "ns::{anonymous}::Inner::f");
	assert_string_equal(visible("ns::Slice::operator()(int)"),
			    "ns::Slice::operator()");
	assert_string_equal(visible("ns::Slice::operator unsigned long() const"),
			    "ns::Slice::operator unsigned long");
	assert_string_equal(visible("ns::operator<<(ns::A, ns::B)"), "ns::operator<<");
	assert_string_equal(visible("ns::cooperator(int)"), "ns::cooperator");
	assert_string_equal(visible("operator new(unsigned long)"), "operator new");
}

TEST(words_are_what_every_way_to_write_has)
{
	assert_string_equal(word("get_slot"), "get_slot");
	assert_string_equal(word("int ns::twice<int>(int)"), "ns::twice");
	assert_string_equal(word("ns::Box<int, 3>::get() const"), ">::get");
	assert_string_equal(word("ns::Box<int>::Inner::get()"), ">::Inner::get");
	assert_string_equal(word("long ns::Box<int, 3>::conv<long>(long)"), ">::conv");
	assert_string_equal(word("ns::text[abi:cxx11](int)"), "ns::text");
	assert_string_equal(word("(anonymous namespace)::f()"), "{anonymous}::f");
	assert_string_equal(word("ns::Slice::~Slice()"), "ns::Slice::~Slice");
	assert_string_equal(word("ns::operator+(ns::A const&)"), "ns::operator+");
	assert_string_equal(word("größe(int)"), "größe");
}

TEST(what_cannot_stand_in_a_flag_is_none)
{
	assert_string_equal(word("main::{lambda(int)#1}::operator()(int) const"), "");
	/* not the function around it */
	assert_string_equal(word("parse(int)::{lambda(int)#1}::operator()(int) const"),
			    "");
	assert_string_equal(word("A::get() const::{lambda()#2}::operator()() const"), "");
	assert_string_equal(word("parse(int)::Local::get(int)"),
			    "parse(int)::Local::get");
	assert_string_equal(word(""), "");
	assert_string_equal(word("a'b"), "");
	assert_string_equal(word("ns::operator,(ns::A)"), "");
	assert_string_equal(word("it\nis"), "");
	assert_string_equal(word("decltype (x) f<int>(int)"), "");
	/* any text */
	word("<<<>>>((((");
	word("operator");
	word("::");
	word(">::");
	word("(anonymous namespace)");
	word("f<");
	word("ns::operator<");
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&buffer);
	return 0;
}

TEST_GROUP(NULL, clean_up)
