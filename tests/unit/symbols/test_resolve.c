/* SPDX-License-Identifier: MIT */
/* What this is: which functions of a program of several source files the rules fit that
 * symbol tables do not tell. */
#include "collector/selection/selection.h"

#include "common/base/text.h"
#include "collector/symbols/symbols.h"

#include "lookup.h"
#include "tests/unit/tests.h"

static const char *const programs[] = {
	"shapes_gcc_O0",   "shapes_gcc_O2", "shapes_dwarf4", "shapes_clang_O0",
	"shapes_clang_O2", "shapes_split",  "shapes_lto",    "shapes_linked"};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the functions, each in a line, in the order of the alphabet. */
static char *names_of(const char *program, const struct resolved *resolved, uint64_t rule)
{
	struct segment_module module = module_of(program);
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_module *symbols = symbols_open(symbolizer, &module);
	const char **names = calloc(resolved->count + 1, sizeof(*names));
	struct strbuf text = {0};
	struct symbol symbol;
	size_t count = 0;

	for (size_t i = 0; i < resolved->count; i++) {
		assert_true(!i || resolved->fittings[i - 1].address <
					  resolved->fittings[i].address);
		assert_int_equal(
			symbols_function(symbols, resolved->fittings[i].address, &symbol),
			0);
		if (resolved->fittings[i].rules & rule)
			names[count++] = symbol.name;
	}
	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(names[i - 1], names[i]) != 0)
			strbuf_printf(&text, "%s\n", names[i]);
	free(names);
	symbols_free(symbolizer);
	return text.data ? text.data : strdup("");
}

static void resolve(const char *program, const char *rules, struct resolved *ret)
{
	struct segment_module module = module_of(program);
	struct selection selection;
	struct resolver *resolver;

	assert_null(selection_read(&selection, rules, NULL));
	assert_true(selection_sources(&selection));
	resolver = resolver_new(&selection);
	resolver_read(resolver, &module, ret);
	resolver_free(resolver);
}

static void check(const char *program, const char *rule, const char *wanted)
{
	struct resolved resolved;
	char *names;

	resolve(program, rule, &resolved);
	assert_null(resolved.trouble);
	names = names_of(program, &resolved, 1);
	if (strcmp(names, wanted) != 0)
		print_error("%s in %s:\n", rule, program);
	assert_string_equal(names, wanted);
	free(names);
	free(resolved.fittings);
}

#define OF_RING_CPP                                                                      \
	"shapes::(anonymous namespace)::hidden(int)\n"                                   \
	"shapes::measure(int)\n"                                                         \
	"shapes::measure(shapes::point const&)\n"                                        \
	"shapes::operator+(shapes::point const&, shapes::point const&)\n"                \
	"shapes::point::operator()(int) const\n"                                         \
	"shapes::point::operator==(shapes::point const&) const\n"
#define OF_RING_H                                                                        \
	"double shapes::ring<int>::as<double>(double)\n"                                 \
	"long shapes::ring<int>::as<long>(long)\n"                                       \
	"shapes::ring<double>::turn(double)\n"                                           \
	"shapes::ring<int>::turn(int)\n"
#define OF_INNER                                                                         \
	"double shapes::ring<int>::as<double>(double)\n"                                 \
	"long shapes::ring<int>::as<long>(long)\n" OF_RING_CPP                           \
	"shapes::ring<double>::turn(double)\n"                                           \
	"shapes::ring<int>::turn(int)\n"

static const struct {
	const char *rule, *wanted;
} cases[] = {
	{"file:ring.cpp", OF_RING_CPP},
	{"file:inner/ring.cpp", OF_RING_CPP},
	{"file:shapes/*/ring.cpp", OF_RING_CPP},
	{"file:*ring.h", OF_RING_H},
	{"file:ring.?", OF_RING_H},
	{"file:inner/", OF_INNER},
	{"file:shapes/inner/*", OF_INNER},
	{"file:symbols/*/inner/", OF_INNER},
	{"file:inner", ""},
	{"file:nner/ring.cpp", ""},
	{"file:ring", ""},
	{"shapes::ring<int>::turn", "shapes::ring<int>::turn(int)\n"},
	{"*ring<*>::turn",
	 "shapes::ring<double>::turn(double)\nshapes::ring<int>::turn(int)\n"},
	{"shapes::ring<int>::as", "double shapes::ring<int>::as<double>(double)\n"
				  "long shapes::ring<int>::as<long>(long)\n"},
	{"shapes::ring<int>::as<long>", "long shapes::ring<int>::as<long>(long)\n"},
	{"shapes::measure(int)", "shapes::measure(int)\n"},
	/* as reports print them */
	{"..::turn",
	 "shapes::ring<double>::turn(double)\nshapes::ring<int>::turn(int)\n"},
	{"..ape::turn", ""},
	{"..::ring<int>::turn", "shapes::ring<int>::turn(int)\n"},
	{"shapes::ring<..>::turn",
	 "shapes::ring<double>::turn(double)\nshapes::ring<int>::turn(int)\n"},
	{"shapes::measure(.. const&)", "shapes::measure(shapes::point const&)\n"},
	{"..::as<long>", "long shapes::ring<int>::as<long>(long)\n"},
	{"shapes::operator+(.., shapes::point const&)",
	 "shapes::operator+(shapes::point const&, shapes::point const&)\n"},
	{"shapes::operator+(shapes::point const&, shapes::point const&)",
	 "shapes::operator+(shapes::point const&, shapes::point const&)\n"},
	{"shapes::measure(int) [ring.cpp]", "shapes::measure(int)\n"},
	{"shapes::measure(int) [ring.cpp] [2]", "shapes::measure(int)\n"},
	{"shapes::measure(int) [main.cpp]", ""},
	{"*::operator==", "shapes::point::operator==(shapes::point const&) const\n"},
	{"shapes::point::operator()", "shapes::point::operator()(int) const\n"},
	{"shapes::operator+",
	 "shapes::operator+(shapes::point const&, shapes::point const&)\n"},
	{"*(anonymous namespace)::hidden",
	 "shapes::(anonymous namespace)::hidden(int)\n"},
	{"operator==", ""},
};

TEST(rules_fit_functions)
{
	for (size_t p = 0; p < sizeof(programs) / sizeof(programs[0]); p++) {
		if (!fixture_exists(programs[p]))
			continue;
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			check(programs[p], cases[i].rule, cases[i].wanted);
	}
}

/* The lambda is within main() in the debug information, too. */
TEST(functions_in_functions_are_found)
{
	struct resolved resolved;
	char *names;

	for (size_t p = 0; p < sizeof(programs) / sizeof(programs[0]); p++) {
		if (!fixture_exists(programs[p]))
			continue;
		resolve(programs[p], "file:main.cpp", &resolved);
		names = names_of(programs[p], &resolved, 1);
		assert_non_null(strstr(names, "main\n"));
		assert_non_null(strstr(names, "plain_c\n"));
		assert_true(strstr(names, "{lambda(int)#1}::operator()") ||
			    strstr(names, "main::$_0::operator()"));
		assert_null(strstr(names, "shapes::"));
		free(names);
		free(resolved.fittings);
	}
}

TEST(several_rules_are_told_apart)
{
	struct resolved resolved;
	char *names;

	resolve("shapes_gcc_O2", "main,file:ring.h,module:x,*ring<int>::turn", &resolved);
	names = names_of("shapes_gcc_O2", &resolved, 2);
	assert_string_equal(names, OF_RING_H);
	free(names);
	names = names_of("shapes_gcc_O2", &resolved, 8);
	assert_string_equal(names, "shapes::ring<int>::turn(int)\n");
	free(names);
	names = names_of("shapes_gcc_O2", &resolved, 5);
	assert_string_equal(names, "");
	free(names);
	free(resolved.fittings);
}

TEST(what_cannot_be_told_is_said)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct selection selection;
	struct resolver *resolver;
	struct resolved resolved;

	resolve("shapes_bare", "file:ring.cpp", &resolved);
	assert_int_equal(resolved.count, 0);
	assert_string_equal(resolved.trouble,
			    "no function has a source line: built without -g?");
	check("shapes_bare", "shapes::measure(int)", "shapes::measure(int)\n");
	check("shapes_no_hooks", "file:ring.cpp", "");
	assert_null(selection_read(&selection, "file:ring.cpp", NULL));
	resolver = resolver_new(&selection);
	module.mtime_ns++;
	resolver_read(resolver, &module, &resolved);
	assert_int_equal(resolved.count, 0);
	assert_string_equal(resolved.trouble, "its file is another one now");
	strcpy(module.path, "/nowhere");
	resolver_read(resolver, &module, &resolved);
	assert_string_equal(resolved.trouble, "its file is gone");
	resolver_free(resolver);
}
