/* SPDX-License-Identifier: MIT */
/* What this is: a function that a rule fits is never taken for one that it cannot fit. */
#include "collector/selection/selection.h"

#include "collector/symbols/symbol.h"
#include "common/base/text.h"
#include "common/names/name_set.h"
#include "tests/unit/tests.h"

static const struct {
	const char *rule, *word;
} words[] = {
	{"std::string::_M_construct<char*>", "_M_construct"},
	{"std::__new_allocator<std::_Hash_node<..>>::allocate", "allocate"},
	{"std::vector<std::string>::push_back(std::string const&)", "push_back"},
	{"f(int) const", "f"},
	{"A::operator==(A const&)", "A"},
	{"ns::json::operator[]<char const>", "json"},
	{"A<int>::operator[]", "A"},
	{"A::f(B::operator[])", "f"},
	{"A::operator*", "A"},
	{"std::vector<ns::a<int>>::vector()", "vector"},
	{"vector<..>::vector", "vector"},
	{"ns::ns", "ns"},
	{"other<int>::vector", "vector"},
	{"..ctor<int>::ctor", "ctor"},
	{"other_vector<int>::vector", "vector"},
	{"A::operator int", "A"},
	{"A::~A [base]", "A"},
	{"main::{lambda(int)#1}", "main"},
	{"helper [a.c] [liba.so] [2]", "helper"},
	{"(anonymous namespace)::hidden", "hidden"},
	{"*::turn", "turn"},
	{"*(anonymous namespace)::hidden", "hidden"},
	{"void (*f<int>(int))(char)", ""},
	{"__static_initialization_and_\xe2\x80\xa6n_0(..)", "n_0"},
	{"ring<\xe2\x80\xa6>::turn", "turn"},
	{"f<a..@k3f9x", "f"},
	/* pieces of what has no word of its own */
	{"std::string::string", ""},
	{"..ing::~..ing", ""},
	{"..ator==", ""},
	{"f..int>", ""},
	{"..mespace)::..", ""},
	{"*int*", ""},
	{"*turn", ""},
	{"*::operator==", ""},
	{"..bda#1}", ""},
	{"..bda..", ""},
	{"non-vi..f", ""},
	{"", ""},
	{">)]}", ""},
};

TEST(a_rule_has_a_word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct name_word word =
			name_word_find(words[i].rule, strlen(words[i].rule));

		if (word.size != strlen(words[i].word) ||
		    memcmp(word.text, words[i].word, word.size) != 0)
			fail_msg("%s: \"%.*s\"", words[i].rule, (int)word.size,
				 word.text);
	}
}

static const char *const linkage_names[] = {
	"_ZNSsC1Ev",
	"_ZNSolsEi",
	"_ZNSaIcED1Ev",
	"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev",
	"_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE6appendEPKw",
	"_ZNSt6vectorIN2ns4ItemESaIS1_EE9push_backERKS1_",
	"_ZZ4mainENKUliE_clEi",
	"_ZNK1AcviEv",
	"_ZNK1AcvN2ns4ItemEEv",
	"_ZN2ns4ItemcvNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEv",
	"_ZN12_GLOBAL__N_16hiddenEi",
	"_ZThn16_N1A1fEv",
	"_ZN1AptEv",
	"_ZN1A1AEv",
	"_ZN1A2v1ixEi",
	"_ZNSt6vectorIN2ns4ItemESaIS1_EEC2Ev",
	"_ZN1AIiEaSERKS0_",
	"_ZN1AIiEixEi",
	"_ZltRK1AS1_",
	"_Z1fIiEvT_",
	"_Z1fIiEPFvcET_",
	"_ZN4core3ptr17drop_in_place$LT$T$GT$17h0123456789abcdefE",
	"_RNvC6_123foo3bar",
	"__mod_MOD_solve",
	"plain_c",
};

/* However it was cut, or with a wildcard in place of any part. */
static void check(const char *linkage_name, const struct whole_function *function,
		  const char *text)
{
	struct selection selection;
	struct whole_name names;

	if (selection_read(&selection, text, NULL) ||
	    !selection_of_kind(&selection, SELECTION_WHOLE_NAME))
		return;
	whole_name_begin(&names, &selection);
	if (whole_name_fit(&names, function) &&
	    !whole_name_may_fit(&names, linkage_name, strlen(linkage_name)))
		fail_msg("\"%s\" fits %s", text, linkage_name);
	whole_name_done(&names);
}

static void check_cuts(const char *linkage_name, const struct whole_function *function,
		       const char *form)
{
	static const char *const marks[] = {"..", "*"};
	size_t size = strlen(form);
	struct strbuf text = {0};

	check(linkage_name, function, form);
	for (size_t from = 0; from < size; from++)
		for (size_t to = from + 1; to <= size; to++)
			for (size_t i = 0; i < 2; i++) {
				strbuf_reset(&text);
				strbuf_add(&text, form, from);
				strbuf_puts(&text, marks[i]);
				strbuf_puts(&text, form + to);
				check(linkage_name, function, strbuf_text(&text));
			}
	strbuf_free(&text);
}

TEST(what_fits_may_fit)
{
	for (size_t i = 0; i < sizeof(linkage_names) / sizeof(linkage_names[0]); i++) {
		char *name = demangle(linkage_names[i]);
		struct whole_function function = {name ? name : linkage_names[i],
						  "/src/a.cpp", "/bin/a"};
		struct named named = {.full = function.name, .file = function.file};
		struct strbuf form = {0};

		for (unsigned f = 0; f < NAME_SET_FORMS - 1; f++) {
			strbuf_reset(&form);
			name_set_put_form(&form, &named, f);
			if (form.size < 100)
				check_cuts(linkage_names[i], &function,
					   strbuf_text(&form));
		}
		strbuf_free(&form);
		free(name);
	}
}
