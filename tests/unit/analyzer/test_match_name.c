/* SPDX-License-Identifier: MIT */
/* What this is: what stays of a function's name when its program is built again. */
#include "analyzer/statistics/match/match_name.h"
#include "tests/unit/analyzer/cmocka_all.h"

static struct strbuf key;

static const char *stripped(const char *name)
{
	strbuf_reset(&key);
	match_add_stripped(&key, name);
	return strbuf_text(&key);
}

static const char *family(const char *name, bool has_variants)
{
	strbuf_reset(&key);
	assert_int_equal(match_add_family(&key, name), has_variants);
	return strbuf_text(&key);
}

static const char *canonical(const char *name)
{
	strbuf_reset(&key);
	match_add_canonical(&key, name, "/src/deep/file.cc");
	return strbuf_text(&key);
}

static const char *qualified(const char *name)
{
	strbuf_reset(&key);
	match_add_qualified(&key, name, "/src/deep/file.cc");
	return strbuf_text(&key);
}

static const char *last(const char *name)
{
	strbuf_reset(&key);
	match_add_last(&key, name);
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

static void variants(void **state)
{
	(void)state;
	assert_string_equal(family("_ZN1AD0Ev", true), "_ZN1AD*Ev");
	assert_string_equal(family("_ZN1AC1Ei", true), "_ZN1AC*Ei");
	assert_string_equal(family("_ZN1ACI2E1Bi", true), "_ZN1ACI*E1Bi");
	assert_string_equal(family("_ZN3BoxIiED2Ev", true), "_ZN3BoxIiED*Ev");
	assert_string_equal(family("_ZN1AC4IdEET_", true), "_ZN1AC*IdEET_");
	assert_string_equal(family("_Z3addii", false), "_Z3addii");
	assert_string_equal(family("AD0E", false), "AD0E");
	assert_string_equal(family("_ZD", false), "_ZD");
	assert_true(match_calls_variant("_ZN1AD0Ev", "_ZN1AD1Ev"));
	assert_true(match_calls_variant("_ZN1AD0Ev", "_ZN1AD2Ev"));
	assert_true(match_calls_variant("_ZN1AD1Ev", "_ZN1AD4Ev"));
	assert_true(match_calls_variant("_ZN1AC3Ev", "_ZN1AC1Ev"));
	assert_true(match_calls_variant("_ZN1ACI1E1Bi", "_ZN1ACI2E1Bi"));
	assert_false(match_calls_variant("_ZN1AD1Ev", "_ZN1AD0Ev"));
	assert_false(match_calls_variant("_ZN1AD1Ev", "_ZN1AD1Ev"));
	assert_false(match_calls_variant("_ZN1AD1Ev", "_ZN1AD2Ei"));
	assert_false(match_calls_variant("_ZN1AD1Ev", "_ZN1AD"));
	assert_false(match_calls_variant("f1", "f2"));
	assert_false(match_calls_variant("", "1"));
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
			    "f(std::string const&)");
	assert_string_equal(canonical("std::__1::vector<int>::push_back(int&&)"),
			    "std::vector<int>::push_back(int&&)");
	assert_string_equal(canonical("my__1::f()"), "my__1::f()");
	assert_string_equal(canonical("(anonymous namespace)::f(int)"),
			    "{file.cc}::f(int)");
	assert_string_equal(canonical("main::'lambda'(int)::operator()(int) const"),
			    "main::{lambda(int)#1}");
	assert_string_equal(canonical("main::'lambda1'(int)::operator()(int) const"),
			    "main::{lambda(int)#3}");
	assert_string_equal(canonical("f(int)::{lambda()#2}::operator()() const"),
			    "f(int)::{lambda()#2}");
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

static void names_without_what_changes(void **state)
{
	(void)state;
	assert_string_equal(qualified("int ns::f<int>(int)"), "ns::f");
	assert_string_equal(qualified("v<a<b>, c>::push(a<b>)"), "v::push");
	assert_string_equal(qualified("f(std::vector<int>)"), "f");
	assert_string_equal(qualified("operator<<(std::ostream&, int)"), "operator<<");
	assert_string_equal(qualified("a<int>::operator<<(int)"), "a::operator<<");
	assert_string_equal(qualified("(anonymous namespace)::f(int)"), "{file.cc}::f");
	assert_string_equal(qualified("main::'lambda1'(int)::operator()(int) const"),
			    "main::{lambda#3}");
	assert_string_equal(
		qualified("void g<int>(int)::{lambda(int)#2}::operator()(int) "
			  "const"),
		"g::{lambda#2}");
	assert_string_equal(qualified("main"), "main");
	assert_string_equal(qualified(""), "");
	assert_string_equal(qualified("broken<(("), "broken");
}

static void last_parts(void **state)
{
	(void)state;
	assert_string_equal(last("ns::A<int>::f<x::y>(z::w)"), "f");
	assert_string_equal(last("n::f(int)::{lambda()#2}::operator()() const"),
			    "f::{lambda#2}");
	assert_string_equal(last("main"), "main");
	assert_string_equal(last("a::operator<<(int)"), "operator<<");
	assert_string_equal(last("A<int>::operator int()"), "operator int");
	assert_string_equal(last("{lambda()#1}::operator()() const"), "{lambda#1}");
}

static void words(void **state)
{
	(void)state;
	assert_true(match_share_word("parse_line", "readLine"));
	assert_true(match_share_word("foo", "foo2"));
	assert_true(match_share_word("HTTPServer_run", "run_all"));
	assert_false(match_share_word("parse", "sparse"));
	assert_false(match_share_word("to_it", "it_to")); /* too short */
	assert_false(match_share_word("", ""));
	assert_false(match_share_word("alpha", "beta"));
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
		cmocka_unit_test(modules),
		cmocka_unit_test(variants),
		cmocka_unit_test(clones),
		cmocka_unit_test(spellings),
		cmocka_unit_test(names_without_what_changes),
		cmocka_unit_test(last_parts),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, clean_up);
}
