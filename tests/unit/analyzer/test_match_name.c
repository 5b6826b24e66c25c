/* SPDX-License-Identifier: MIT */
/* What this is: what stays of a function's name when its program is built again. */
#include "analyzer/model/match_name.h"
#include "tests/unit/analyzer/cmocka_all.h"

static struct strbuf key;

static const char *stripped(const char *name)
{
	strbuf_reset(&key);
	match_add_stripped(&key, name);
	return strbuf_text(&key);
}

static const char *canonical(const char *name)
{
	strbuf_reset(&key);
	match_add_canonical(&key, name, "/src/deep/file.cc");
	return strbuf_text(&key);
}

static const char *family(const char *name)
{
	strbuf_reset(&key);
	return match_add_family(&key, name) ? strbuf_text(&key) : NULL;
}

static const char *unqualified(const char *name)
{
	strbuf_reset(&key);
	match_add_unqualified(&key, name);
	return strbuf_text(&key);
}

static void modules(void **state)
{
	(void)state;
	strbuf_reset(&key);
	match_add_base(&key, "/usr/lib/libz.so.1.2.13");
	assert_string_equal(strbuf_text(&key), "libz.so");
	strbuf_reset(&key);
	match_add_base(&key, "app");
	match_add_base(&key, NULL);
	assert_string_equal(strbuf_text(&key), "app");
}

static void clones(void **state)
{
	(void)state;
	assert_string_equal(stripped("parse.constprop.0.isra.1"), "parse");
	assert_string_equal(stripped("_Z5parsev.part.2"), "_Z5parsev");
	assert_string_equal(stripped("parse.cold"), "parse");
	assert_string_equal(stripped("parse.lto_priv.3"), "parse");
	assert_string_equal(stripped("parse.localalias"), "parse");
	assert_string_equal(stripped("parse.llvm.1234567"), "parse");
	assert_string_equal(stripped("parse.__uniq.8901"), "parse");
	assert_string_equal(stripped("memcpy@@GLIBC_2.14"), "memcpy");
	/* No clone: a function of its own. */
	assert_string_equal(stripped("parse.avx2"), "parse.avx2");
	assert_string_equal(stripped(".part.0"), ".part.0");
	assert_string_equal(stripped("main"), "main");
}

static void spellings(void **state)
{
	(void)state;
	assert_string_equal(canonical("int f<int>(int)"), "f<int>(int)");
	assert_string_equal(canonical("std::map<a, b> ns::f<x>(y, z) const"),
			    "ns::f<x>(y, z) const");
	assert_string_equal(canonical("name[abi:cxx11](int)"), "name(int)");
	assert_string_equal(canonical("f(std::__cxx11::basic_string<char> const&)"),
			    "f(std::basic_string<char> const&)");
	assert_string_equal(canonical("std::__1::vector<int>::push_back(int&&)"),
			    "std::vector<int>::push_back(int&&)");
	assert_string_equal(canonical("my__1::f()"), "my__1::f()");
	assert_string_equal(canonical("(anonymous namespace)::f(int)"),
			    "{file.cc}::f(int)");
	assert_string_equal(canonical("main::'lambda'(int)::operator()(int) const"),
			    "main::{lambda(int)#1}::operator()(int) const");
	assert_string_equal(canonical("main::'lambda1'(int)::operator()(int) const"),
			    "main::{lambda(int)#3}::operator()(int) const");
	assert_string_equal(canonical("f(int)::{lambda()#2}::operator()() const"),
			    "f(int)::{lambda()#2}::operator()() const");
	assert_string_equal(canonical("bool operator< <int>(a<int>, a<int>)"),
			    "operator< <int>(a<int>, a<int>)");
	assert_string_equal(canonical("A::operator new[](unsigned long)"),
			    "A::operator new[](unsigned long)");
	assert_string_equal(canonical("A::operator int()"), "A::operator int()");
	assert_string_equal(canonical("0x1234 (libmystery.so)"),
			    "0x1234 (libmystery.so)");
	assert_string_equal(canonical("main"), "main");
	assert_string_equal(canonical(""), "");
	assert_string_equal(canonical("broken<(("), "broken<((");
}

static void families(void **state)
{
	(void)state;
	assert_string_equal(family("ns::f<int>(int)"), "ns::f<>");
	assert_string_equal(family("v<a<b>, c>::push(a<b>)"), "v<>::push");
	assert_null(family("f(std::vector<int>)"));
	assert_null(family("operator<<(std::ostream&, int)"));
	assert_null(family("main"));
	assert_string_equal(family("a<int>::operator<<(int)"), "a<>::operator<<");
}

static void last_parts(void **state)
{
	(void)state;
	assert_string_equal(unqualified("ns::A<int>::f<x::y>(z::w)"), "f");
	assert_string_equal(unqualified("f(int)::{lambda()#2}::operator()() const"),
			    "operator()");
	assert_string_equal(unqualified("main"), "main");
	assert_string_equal(unqualified("a::operator<<(int)"), "operator<<");
}

static int clean_up(void **state)
{
	(void)state;
	strbuf_free(&key);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules),    cmocka_unit_test(clones),
		cmocka_unit_test(spellings),  cmocka_unit_test(families),
		cmocka_unit_test(last_parts),
	};

	return cmocka_run_group_tests(tests, NULL, clean_up);
}
