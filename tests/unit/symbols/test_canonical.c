/* SPDX-License-Identifier: MIT */
/* What this is: what people read functions as, from the names of compilers. */
#include "common/names/cxx_canonical.h"

#include "collector/symbols/symbol.h"
#include "common/names/name_set.h"
#include "tests/unit/tests.h"

/* Of g++ 12 with libstdc++, clang 14 with libstdc++ and libc++, rustc, gfortran, gdc. */
static const struct {
	const char *linkage, *name, *parameters; /* NULL: the same */
} names[] = {
	{"_ZN4shop6basketC1Ei", "shop::basket::basket", "shop::basket::basket(int)"},
	{"_ZNK4shop6basket5countEPKc", "shop::basket::count",
	 "shop::basket::count(char const*) const"},
	{"_ZN4shop12_GLOBAL__N_16secretEi", "shop::(anonymous namespace)::secret",
	 "shop::(anonymous namespace)::secret(int)"},
	{"_Z3addIiET_S0_S0_", "add<int>", "add<int>(int, int)"},
	/* what nobody wrote */
	{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int>::push_back",
	 "std::vector<int>::push_back(int&&)"},
	{"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc",
	 "std::string::append", "std::string::append(char const*)"},
	{"_ZNSt7__cxx114listIiSaIiEE4sortEv", "std::list<int>::sort",
	 "std::list<int>::sort()"},
	{"_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS5_"
	 "SaIS5"
	 "_EESt4lessIS5_ESaISt4pairIKS5_S8_EEEixEOS5_",
	 "std::map<std::string, std::vector<std::string>>::operator[]",
	 "std::map<std::string, std::vector<std::string>>::operator[](std::string&&)"},
	{"_ZNSt13unordered_mapINSt7__cxx1112basic_stringIcSt11char_"
	 "traitsIcESaIcEEEiSt4has"
	 "hIS5_ESt8equal_toIS5_ESaISt4pairIKS5_iEEEixEOS5_",
	 "std::unordered_map<std::string, int>::operator[]",
	 "std::unordered_map<std::string, int>::operator[](std::string&&)"},
	/* not the default order */
	{"_ZNSt3setIiSt7greaterIiESaIiEE6insertEOi",
	 "std::set<int, std::greater<int>>::insert",
	 "std::set<int, std::greater<int>>::insert(int&&)"},
	{"_ZNSt10unique_ptrI3FooSt14default_deleteIS0_EE5resetEPS0_",
	 "std::unique_ptr<Foo>::reset", "std::unique_ptr<Foo>::reset(Foo*)"},
	{"_ZNSt12__shared_ptrI3FooLN9__gnu_cxx12_Lock_policyE2EED2Ev",
	 "std::__shared_ptr<Foo>::~__shared_ptr",
	 "std::__shared_ptr<Foo>::~__shared_ptr()"},
	{"_Z6to_strB5cxx11i", "to_str", "to_str(int)"},
	{"_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backEOi",
	 "std::vector<int>::push_back", "std::vector<int>::push_back(int&&)"},
	{"_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPKc",
	 "std::string::append", "std::string::append(char const*)"},
	{"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	 "std::operator<< <std::char_traits<char>>",
	 "std::operator<< <std::char_traits<char>>(std::ostream&, char const*)"},
	/* one function, made several of */
	{"_ZN2ns1fEi.constprop.0", "ns::f", "ns::f(int)"},
	{"_ZN2ns1fEi.isra.0.cold", "ns::f", "ns::f(int)"},
	{"_ZN2CiD0Ev", "Ci::~Ci", "Ci::~Ci()"},
	/* lambdas are not their parents, and those in templates are theirs */
	{"_ZZ4mainENKUliE_clEi", "main::{lambda#1}", "main::{lambda(int)#1}"},
	{"_ZZ4mainENKUlvE0_clEv", "main::{lambda#2}", "main::{lambda()#2}"},
	{"_ZZNK4Virt1gEvENKUliE_clEi", "Virt::g::{lambda#1}",
	 "Virt::g() const::{lambda(int)#1}"},
	{"_ZZZ1fiENKUlvE_clEvENKUlcE_clEc", "f::{lambda#1}::{lambda#1}",
	 "f(int)::{lambda()#1}::{lambda(char)#1}"},
	{"_ZZ1fIiEvT_ENKUlvE_clEv", "f<int>::{lambda#1}", "f<int>(int)::{lambda()#1}"},
	{"_ZSt7forwardIZ4mainEUlvE0_EOT_RNSt16remove_referenceIS1_E4typeE",
	 "std::forward<main::{lambda#2}>",
	 "std::forward<main::{lambda()#2}>("
	 "std::remove_reference<main::{lambda()#2}>::type&)"},
	{"_ZSt11__addressofIKZNK4Virt1gEvEUliE_EPT_RS3_",
	 "std::__addressof<Virt::g::{lambda#1} const>",
	 "std::__addressof<Virt::g() const::{lambda(int)#1} const>("
	 "Virt::g() const::{lambda(int)#1} const&)"},
	{"_ZNSt17_Function_handlerIFvvEZ4mainEUlvE1_E9_M_invokeERKSt9_Any_data",
	 "std::_Function_handler<void (), main::{lambda#3}>::_M_invoke",
	 "std::_Function_handler<void (), main::{lambda()#3}>::_M_invoke("
	 "std::_Any_data const&)"},
	/* clang's */
	{"_ZZ4mainENK3$_0clEi", "main::{lambda#1}", NULL},
	{"_ZNSt8functionIFvvEEC2IRZ4mainE3$_2vEEOT_",
	 "std::function<void ()>::function<main::{lambda#3}&, void>",
	 "std::function<void ()>::function<main::{lambda#3}&, void>(main::{lambda#3}&)"},
	/* signs are no brackets */
	{"_ZN9__gnu_cxxeqIPcSt6vectorIcSaIcEEEEbRKNS_17__normal_iteratorIT_T0_EESA_",
	 "__gnu_cxx::operator==<char*, std::vector<char>>",
	 "__gnu_cxx::operator==<char*, std::vector<char>>("
	 "__gnu_cxx::__normal_iterator<char*, std::vector<char>> const&, "
	 "__gnu_cxx::__normal_iterator<char*, std::vector<char>> const&)"},
	{"_ZN2nsltIiEEbRKT_RKNS_3BoxIS1_EE", "ns::operator< <int>",
	 "ns::operator< <int>(int const&, ns::Box<int> const&)"},
	{"_ZNK2ns3BoxIiEltERKS1_", "ns::Box<int>::operator<",
	 "ns::Box<int>::operator<(ns::Box<int> const&) const"},
	{"_ZNK2ns3BoxIiEcvSt6vectorIiSaIiEEEv", "ns::Box<int>::operator std::vector<int>",
	 "ns::Box<int>::operator std::vector<int>() const"},
	{"_ZNK1AclEi", "A::operator()", "A::operator()(int) const"},
	{"_ZN1AptEv", "A::operator->", "A::operator->()"},
	{"_ZThn8_N1A1fEv", "non-virtual thunk to A::f", "non-virtual thunk to A::f()"},
	/* modules */
	{"_ZW3mod3addii", "add@mod", "add@mod(int, int)"},
	/* Rust, Fortran, D */
	{"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	 "core::fmt::Formatter::write_str", NULL},
	{"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	 "3bar17h930b740aa94f1d3aE",
	 "<Test + 'static as foo::Bar<Test>>::bar", NULL},
	{"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", NULL},
	{"__linear_algebra_2_MOD_solve_all", "linear_algebra_2::solve_all", NULL},
	{"_D3app4main6decodeFAyaZv", "app.main.decode", NULL},
	{"main", "main", NULL},
};

static void assert_canonical(const char *full, enum cxx_detail detail,
			     const char *expected)
{
	struct strbuf text = {0};

	cxx_canonical(&text, full, detail);
	assert_string_equal(strbuf_text(&text), expected);
	strbuf_free(&text);
}

TEST(test_names)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *full = demangle(names[i].linkage);

		if (!full)
			full = strdup(names[i].linkage);
		assert_canonical(full, CXX_NAME, names[i].name);
		assert_canonical(full, CXX_PARAMETERS,
				 names[i].parameters ? names[i].parameters
						     : names[i].name);
		/* and what is canonical stays so */
		assert_canonical(names[i].name, CXX_NAME, names[i].name);
		free(full);
	}
}

TEST(test_known_libraries)
{
	assert_canonical("nlohmann::json_abi_v3_11_2::basic_json<std::map, std::vector, "
			 "std::__cxx11::basic_string<char, std::char_traits<char>, "
			 "std::allocator<char> >, bool, long, unsigned long, double, "
			 "std::allocator, nlohmann::json_abi_v3_11_2::adl_serializer, "
			 "std::vector<unsigned char, std::allocator<unsigned char> > "
			 ">::parse(int)",
			 CXX_NAME, "nlohmann::json::parse");
	assert_canonical("fmt::v9::format(int)", CXX_NAME, "fmt::format");
	assert_canonical("my::v9::format(int)", CXX_NAME, "my::v9::format");
	assert_canonical("my__1::f()", CXX_NAME, "my__1::f");
	assert_canonical("std::pair<int, std::less<int> >::pair()", CXX_NAME,
			 "std::pair<int, std::less<int>>::pair");
}

TEST(test_texts)
{
	static const char *const same[] = {
		"",
		"helper",
		"0x1234 (libfoo.so)",
		"[near malloc in libc.so.6]",
		"((((<<<<",
		">>>>))))",
		"<b>&amp;</b>",
		"{lambda(",
		"operator",
		"::",
		"a<b",
		"[abi:",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_canonical(same[i], CXX_NAME, same[i]);
		assert_canonical(same[i], CXX_PARAMETERS, same[i]);
	}
}

/* Time grows with the length: this ends at once, or not within the time of the test. */
TEST(test_long_names)
{
	static const char *const units[] = {"std::less<",
					    "f<",
					    "(",
					    "f(int)::",
					    "> >",
					    ", ",
					    "void f<void ",
					    "{lambda(",
					    "std::vector<std::vector<",
					    "operator<",
					    "std::__1::",
					    "[abi:x]",
					    "_",
					    ")::{lambda()#1}::",
					    "}",
					    "decltype("};
	char *text = malloc(65536 + 64);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
			struct strbuf out = {0};
			size_t used = 0;

			while (used < 65000) {
				const char *unit = units[used < 32500 ? i : j];

				memcpy(text + used, unit, strlen(unit) + 1);
				used += strlen(unit);
			}
			cxx_canonical(&out, text, CXX_NAME);
			assert_true(out.size <= used);
			cxx_canonical(&out, text, CXX_PARAMETERS);
			strbuf_free(&out);
		}
	memset(text, 'x', 65536 + 63);
	text[65536 + 63] = '\0';
	assert_canonical(text, CXX_NAME, text);
	free(text);
}

static void check_set(const struct named *wanted, size_t count)
{
	struct named *all = calloc(count, sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		all[i] = wanted[i];
		all[i].name = NULL;
	}
	name_set_tell_apart(all, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(all[i].name, wanted[i].name);
	name_set_done(all, count);
}

TEST(test_sets)
{
	static char f[] = "f", f_int[] = "f(int)", f_char[] = "f(char)", g[] = "g",
		    a_c[] = "helper [a.c]", b_c[] = "helper [b.c]", tail[] = "A::~A",
		    lib[] = "x [x.h] [liba.so]", other[] = "x [x.h] [libb.so]",
		    two[] = "y [y.c] [liba.so] [2]", one[] = "y [y.c] [liba.so]",
		    old[] = "h(std::basic_string<char>)",
		    cxx11[] = "h(std::__cxx11::"
			      "basic_string<char>)";
	static char libc[] = "/lib/x86_64-linux-gnu/libc.so.6", memcpy_name[] = "memcpy",
		    strtol_name[] = "strtol_l", scanf_name[] = "sscanf",
		    only_mark[] = "__evex", own[] = "__strlen_avx2";
	const struct named alone[] = {{"f(int)", NULL, NULL, f}};
	const struct named plain[] = {
		{"__memcpy_avx512_unaligned_erms", NULL, libc, memcpy_name},
		{"__GI_____strtol_l_internal", NULL, libc, strtol_name},
		{"__isoc99_sscanf", NULL, libc, scanf_name},
		{only_mark, NULL, libc, only_mark},
		{own, NULL, "app", own},
	};
	const struct named many[] = {
		{"f(int)", NULL, NULL, f_int},
		{"f(char)", NULL, NULL, f_char},
		{"g(char)", NULL, NULL, g},
		{"helper", "/src/a.c", NULL, a_c},
		{"helper", "/src/b.c", NULL, b_c},
		{"A::~A()", "a.h", NULL, tail},
		{"x", "x.h", "/lib/liba.so", lib},
		{"x", "x.h", "/lib/libb.so", other},
		{"y", "y.c", "/lib/liba.so", one},
		{"y", "y.c", "/lib/liba.so", two},
		{"h(std::basic_string<char>)", NULL, NULL, old},
		{"h(std::__cxx11::basic_string<char>)", NULL, NULL, cxx11},
	};

	check_set(plain, sizeof(plain) / sizeof(*plain));
	check_set(alone, 1);
	check_set(many, sizeof(many) / sizeof(many[0]));
	check_set(NULL, 0);
}
