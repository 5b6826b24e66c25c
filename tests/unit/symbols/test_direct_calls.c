/* SPDX-License-Identifier: MIT */
/* What this is: which functions call each other, and whose addresses somebody has, in
 * programs and a library made of one source in different ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/symbols/calls/direct_calls.h"
#include "collector/symbols/elf.h"
#include "lookup.h"

/* One built file. */
struct built {
	const char *name;
	struct symbolizer *symbolizer;
	struct symbol_module *module;
	const struct direct_calls *calls;
};

static struct built open_built(const char *name)
{
	struct built built = {.name = name, .symbolizer = symbols_new()};
	struct symbol_file file = file_at(fixture(name), NULL, 0);

	built.module = symbols_open(built.symbolizer, &file);
	built.calls = symbols_calls(built.module);
	assert_ptr_equal(symbols_calls(built.module), built.calls);
	return built;
}

static uint32_t number_of(const struct built *built, const char *function)
{
	uint64_t address = address_of(built->name, function);

	for (size_t i = 0; i < symbols_entry_count(built->module); i++)
		if (symbols_entry(built->module, i) == address)
			return (uint32_t)i;
	fail_msg("%s has no %s", built->name, function);
	return 0;
}

/* Jumps of two bytes apart, which may be there or not. from: NULL, nobody known. */
static void assert_used(const struct built *built, const char *to, const char *from,
			enum direct_kind kind)
{
	uint32_t wanted = from ? number_of(built, from) : DIRECT_CALLS_NOBODY;
	size_t count, found = 0;
	const struct direct_use *uses =
		direct_calls_of(built->calls, number_of(built, to), &count);

	for (size_t i = 0; i < count; i++) {
		if (uses[i].kind == DIRECT_SHORT)
			continue;
		assert_int_equal(uses[i].from, wanted);
		assert_int_equal(uses[i].kind, kind);
		found++;
	}
	assert_int_equal(found, 1);
}

static void assert_calls(const char *name, int is_library)
{
	struct built built;

	if (!fixture_exists(name))
		return;
	built = open_built(name);
	assert_used(&built, "leaf", "middle", DIRECT_CALL);
	assert_used(&built, "middle", "outer", DIRECT_CALL);
	assert_used(&built, "taken", "outer", DIRECT_HELD);
	assert_used(&built, "held", NULL, DIRECT_HELD);
	if (is_library)
		assert_used(&built, "shown", NULL, DIRECT_HELD);
	else
		assert_used(&built, "shown", "outer", DIRECT_CALL);
	symbols_free(built.symbolizer);
}

static void test_programs(void **state)
{
	(void)state;
	assert_true(fixture_exists("callers_gcc_O2"));
	assert_calls("callers_gcc_O0", 0);
	assert_calls("callers_gcc_O2", 0);
	assert_calls("callers_fixed", 0);
	assert_calls("callers_clang", 0);
}

/* What a library shows may be called by others, and is called as if it were theirs. */
static void test_library(void **state)
{
	(void)state;
	assert_calls("callers_library", 1);
}

/* The hooks are given the address of the function that they are in. */
static void test_hooks(void **state)
{
	(void)state;
	assert_calls("callers_hooked", 0);
}

/* Nothing is known of a file without names, and of one that is gone. */
static void test_nothing(void **state)
{
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_file bare = file_at(fixture("c_bare"), NULL, 0), gone = bare;
	size_t count = 1;

	(void)state;
	gone.path = "/nowhere/program";
	assert_int_equal(symbols_calls(symbols_open(symbolizer, &gone))->count, 0);
	direct_calls_of(symbols_calls(symbols_open(symbolizer, &gone)), 3, &count);
	assert_int_equal(count, 0);
	symbols_free(symbolizer);
}

/* Where there is not enough budget for all of the code, nothing may be concluded. */
static void test_budget(void **state)
{
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_file file = file_at(fixture("callers_gcc_O2"), NULL, 0);
	struct symbol_table table = {NULL, 0};
	struct direct_calls calls;
	struct elf_file elf;

	(void)state;
	assert_int_equal(elf_file_open(file.path, &elf), 0);
	for (int64_t entries = 0; entries < 4; entries++) {
		struct budget whole = BUDGET_MODULE, little = BUDGET_MODULE;

		assert_int_equal(symbol_table_add(&table, elf.elf, SHT_SYMTAB, 0,
						  UINT64_MAX, &whole),
				 0);
		symbol_table_sort(&table);
		little.entries = entries;
		direct_calls_find(elf.elf, &table, &little, &calls);
		assert_int_equal(calls.count, 0);
		assert_null(calls.uses);
		symbol_table_done(&table);
	}
	elf_file_close(&elf);
	symbols_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs), cmocka_unit_test(test_library),
		cmocka_unit_test(test_hooks),	 cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
