/* SPDX-License-Identifier: MIT */
/* What this is: readable names, and the strings that hold them. */
#include "collector/symbols/symbol.h"

#include "collector/symbols/strings.h"
#include "tests/unit/tests.h"

static const struct {
	const char *name, *readable; /* NULL: not mangled */
} names[] = {
	{"main", NULL},
	{"", NULL},
	{"_start", NULL},
	{"_Z", NULL},
	{"_Zebra", NULL},
	{"_R", NULL},
	{"helper.constprop.0", NULL},
	{"_Z1fi", "f(int)"},
	{"_ZN2ns1fEi", "ns::f(int)"},
	{"_ZNK2ns1c1mEv", "ns::c::m() const"},
	{"_ZN2ns1fEi.constprop.0", "ns::f(int) [clone .constprop.0]"},
	{"_ZN2ns1fEi.isra.0.cold", "ns::f(int) [clone .isra.0] [clone .cold]"},
	{"_ZN12_GLOBAL__N_11gEv", "(anonymous namespace)::g()"},
	{"_ZNSt6vectorIiSaIiEE9push_backEOi",
	 "std::vector<int, std::allocator<int> >::push_back(int&&)"},
	/* Rust, legacy scheme: the hash is left out */
	{"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	 "core::fmt::Formatter::write_str"},
	{"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	 "3bar"
	 "17h930b740aa94f1d3aE",
	 "<Test + 'static as foo::Bar<Test>>::bar"},
	{"_ZN3app4main17h0123456789abcdefE.llvm.1234567890", "app::main"},
	/* gfortran's procedures of modules; others keep their names */
	{"__m_MOD_sq", "m::sq"},
	{"__linear_algebra_2_MOD_solve_all", "linear_algebra_2::solve_all"},
	{"__m_MOD_sq.constprop.0", "m::sq.constprop.0"},
	{"sq_", NULL},
	{"MAIN__", NULL},
	{"_MOD_sq", NULL},
	{"___MOD_", NULL},
	{"__m_MOD_", NULL},
	{"__lock_MOD_ELF", NULL},
	{"__LOCK_MOD_elf", NULL},
	/* D, without types */
	{"_D3app4main6decodeFAyaZv", "app.main.decode"},
	{"_D3std5stdio__T7writelnTAyaZQnFNfQjZv", "std.stdio.writeln.writeln"},
	{"_D3std5stdio16__T7writelnTAyaZ7writelnFNfAyaZv", "std.stdio.writeln.writeln"},
	{"_D3foo__T3BarTiZQh6methodMFZv", "foo.Bar.Bar.method"},
	{"_D3foo3barQeFZv", "foo.bar.bar"},
	{"_D3foo3barQzzFZv", NULL},
	{"_D99foo", NULL},
	{"_D3foo", NULL},
	{"_Dreams", NULL},
	/* Rust, v0 */
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
	{"_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"},
};

TEST(test_names)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *readable = demangle(names[i].name);

		if (names[i].readable) {
			assert_non_null(readable);
			assert_string_equal(readable, names[i].readable);
		} else {
			assert_null(readable);
		}
		free(readable);
	}
}

/* "_ZN", so many names of eight letters, "Ev". */
static char *long_name(size_t parts)
{
	char *name = malloc(parts * 9 + 8), *end = name;

	end += sprintf(end, "_ZN");
	while (parts--)
		end += sprintf(end, "8template");
	strcpy(end, "Ev");
	return name;
}

/* One as long as names of templates get, one that is only an attack. */
TEST(test_long_names)
{
	char *name = long_name(500), *readable = demangle(name);

	assert_non_null(readable);
	assert_int_equal(strlen(readable), 500 * 10);
	free(readable);
	free(name);
	name = long_name(10000);
	assert_null(demangle(name));
	free(name);
}

TEST(test_hostile_names)
{
	static const char *const units[] = {"P",  "I",	  "N",	"S_", "T_", "_Z", "1a",
					    "KP", "DTcl", "XL", "F",  "M",  "17h"};
	char name[8192];
	size_t i, used;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		used = (size_t)sprintf(name, "_Z1f");
		while (used + 8 < sizeof(name))
			used += (size_t)sprintf(name + used, "%s", units[i]);
		free(demangle(name));
		memcpy(name, "_RNv", 4);
		free(demangle(name));
	}
}

/* Each level stands twice for the one below: 60 of them for 2^60. */
TEST(test_exploding_names)
{
	char name[2048];
	size_t used = (size_t)sprintf(name, "_Z1f1pIiiE");
	int level;

	for (level = 0; level < 60; level++) {
		char digit = level < 10 ? (char)('0' + level)
					: (char)('A' + (level - 10) % 26);
		const char *high = level < 36 ? "" : "1";

		used += (size_t)sprintf(name + used, "S_IS%s%c_S%s%c_E", high, digit,
					high, digit);
	}
	assert_null(demangle(name));
	used = (size_t)sprintf(name, "_RINvC1a1bTpp");
	for (level = 0; level < 60; level++)
		used += (size_t)sprintf(name + used, "TB%xB%x_", 7 + level, 7 + level);
	sprintf(name + used, "EE");
	free(demangle(name));
}

TEST(test_strings)
{
	struct strings *strings = strings_new();
	const char *first, *again;
	char text[32];
	int i;

	assert_non_null(strings);
	first = strings_keep(strings, "_Z1fi and more", 5);
	assert_string_equal(first, "_Z1fi");
	for (i = 0; i < 5000; i++) {
		sprintf(text, "_Z2f%ci%d", 'a' + i % 26, i);
		assert_non_null(strings_keep(strings, text, strlen(text)));
	}
	assert_ptr_equal(strings_keep(strings, "_Z1fi", 5), first);
	again = strings_readable(strings, first);
	assert_string_equal(again, "f(int)");
	assert_ptr_equal(strings_readable(strings, first), again);
	assert_string_equal(strings_readable(strings, strings_keep(strings, "main", 4)),
			    "main");
	strings_free(strings);
	strings_free(NULL);
}

static const struct {
	const char *base, *directory, *name, *path;
} paths[] = {
	{NULL, NULL, "/src/a.c", "/src/a.c"},
	{"/build", "lib", "/src/a.c", "/src/a.c"},
	{"/build", NULL, "a.c", "/build/a.c"},
	{"/build", "", "a.c", "/build/a.c"},
	{"/build", "lib", "a.c", "/build/lib/a.c"},
	{"/build", "/src", "a.c", "/src/a.c"},
	{"/src/build", "..", "a.c", "/src/a.c"},
	{"/src/build", "./x/../../lib//", "a.c", "/src/lib/a.c"},
	{"/", NULL, "a.c", "/a.c"},
	{"/b", "../../..", "a.c", "/a.c"},
	{"/b", ".hidden/..a", "a.c", "/b/.hidden/..a/a.c"},
	{NULL, "..", "a.c", "../a.c"},
	{"build", "..", "a.c", "build/../a.c"},
	{NULL, NULL, "", ""},
};

TEST(test_paths)
{
	struct strings *strings = strings_new();
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_string_equal(strings_path(strings, paths[i].base,
						 paths[i].directory, paths[i].name),
				    paths[i].path);
	strings_free(strings);
}
