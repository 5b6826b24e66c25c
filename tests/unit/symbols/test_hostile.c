/* SPDX-License-Identifier: MIT */
/* What this is: the symbolizer on files that are sound but made to keep it busy, and its
 * budget. What would not end is ended by alarm(). */
#include "collector/symbols/symbols.h"
#include "collector/symbols/budget.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lookup.h"

static void test_sibling_inside(void **state)
{
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_file file = file_at(fixture("sibling"), NULL, 0);
	uint64_t main_address = address_of("sibling", "main");
	struct symbol_module *module = symbols_open(symbolizer, &file);
	struct symbol found;

	(void)state;
	(void)alarm(20);
	assert_string_equal(symbols_source(module), "debug");
	assert_int_equal(symbols_function(module, main_address, &found), 0);
	assert_string_equal(found.name, "main");
	assert_int_equal(symbols_frames(module, main_address + 2, &found, 1), 1);
	assert_null(symbols_trouble(module));
	(void)alarm(0);
	symbols_free(symbolizer);
}

/* Nobody writes into the fifo that they name. */
static void test_other_files(void **state)
{
	static const char *const names[] = {"shared", "split"};
	struct symbol found;

	(void)state;
	(void)alarm(20);
	for (size_t i = 0; i < 2; i++) {
		struct symbolizer *symbolizer = symbols_new();
		struct symbol_file file = file_at(fixture(names[i]), NULL, 0);
		struct symbol_module *module = symbols_open(symbolizer, &file);
		uint64_t address = address_of(names[i], "main");

		assert_int_equal(symbols_function(module, address, &found), 0);
		assert_string_equal(found.name, "main");
		assert_int_equal(symbols_frames(module, address + 2, &found, 1), 1);
		assert_null(symbols_trouble(module));
		symbols_free(symbolizer);
	}
	(void)alarm(0);
}

static bool wish_nothing(void *context, const char *file)
{
	(void)file;
	++*(size_t *)context;
	return false;
}

static void count_function(void *context, uint64_t address, const struct symbol *symbol)
{
	(void)address;
	assert_null(symbol->file);
	assert_non_null(symbol->name);
	++*(size_t *)context;
}

/* Questions about all functions look at all files of all units. */
static void test_all_functions(void **state)
{
	static const char *const names[] = {
		"lines_directories", "lines_files", "lines_rows",
		"sibling",	     "shared",	    "split"};
	size_t count;
	struct symbol_question question = {.has_names = true,
					   .wish = wish_nothing,
					   .look = count_function,
					   .context = &count};

	(void)state;
	(void)alarm(20);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct symbolizer *symbolizer = symbols_new();
		struct symbol_file file = file_at(fixture(names[i]), NULL, 0);

		count = 0;
		(void)symbols_each(symbols_open(symbolizer, &file), &question);
		assert_true(count > 0);
		symbols_forget(symbolizer);
		(void)symbols_each(symbols_open(symbolizer, &file), &question);
		symbols_free(symbolizer);
	}
	(void)alarm(0);
}

/* Whoever believes the header of a line table measures 32 MB a million times, or copies
 * 1 MB 200,000 times; whoever keeps all rows fills the memory. */
static void test_line_tables(void **state)
{
	static const struct {
		const char *name, *trouble;
	} cases[] = {
		{"lines_directories", NULL},
		{"lines_files", NULL},
		{"lines_rows", SYMBOLS_LIMIT},
	};
	struct symbol found;

	(void)state;
	(void)alarm(20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbolizer *symbolizer = symbols_new();
		struct symbol_file file = file_at(fixture(cases[i].name), NULL, 0);
		struct symbol_module *module = symbols_open(symbolizer, &file);
		uint64_t address = address_of(cases[i].name, "main");

		assert_int_equal(symbols_function(module, address, &found), 0);
		assert_string_equal(found.name, "main");
		assert_string_equal(found.file + strlen(found.file) - 1, "n");
		assert_int_equal(symbols_frames(module, address + 2, &found, 1), 1);
		assert_string_equal(found.name, "main");
		if (cases[i].trouble)
			assert_string_equal(symbols_trouble(module), cases[i].trouble);
		else
			assert_null(symbols_trouble(module));
		symbols_free(symbolizer);
	}
	(void)alarm(0);
}

/* libelf would look for the end of each name in the whole table. */
static void test_names_without_end(void **state)
{
	char path[] = "/tmp/profshim-hostile-XXXXXX";
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_file file;
	Elf64_Ehdr header;
	Elf64_Shdr names;
	char command[4200];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	snprintf(command, sizeof(command), "cp '%s' '%s'", fixture("c_symtab"), path);
	assert_int_equal(system(command), 0);
	file = file_at(path, NULL, 0);
	assert_string_equal(symbols_source(symbols_open(symbolizer, &file)), "symtab");
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(
		pread(fd, &names, sizeof(names),
		      (off_t)(header.e_shoff + header.e_shstrndx * sizeof(names))),
		sizeof(names));
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(names.sh_offset + names.sh_size - 1)),
			 1);
	symbols_free(symbolizer); /* which knows the file as it was */
	symbolizer = symbols_new();
	file = file_at(path, NULL, 0);
	assert_string_equal(symbols_trouble(symbols_open(symbolizer, &file)),
			    SYMBOLS_UNREADABLE);
	symbols_free(symbolizer);
	assert_int_equal(close(fd) | unlink(path), 0);
}

static void test_entries(void **state)
{
	struct budget run = BUDGET_RUN, one = BUDGET_MODULE, other = BUDGET_MODULE;
	int64_t taken = 0;

	(void)state;
	one.whole = other.whole = &run;
	one.entries = 100000;
	budget_begin(&one);
	while (budget_take(&one, 10))
		taken += 10;
	assert_in_range(taken, 100000 - 10, 100000 + BUDGET_LOOK_ENTRIES);
	assert_false(budget_take(&one, 1));
	/* the others go on, until all together have taken too much */
	assert_true(budget_take(&other, 1));
	run.entries = 10;
	assert_false(budget_take(&other, BUDGET_LOOK_ENTRIES));
	assert_true(run.is_over);
}

static void test_memory(void **state)
{
	struct budget run = BUDGET_RUN, one = BUDGET_MODULE;

	(void)state;
	one.whole = &run;
	assert_true(budget_take_memory(&one, (uint64_t)one.memory_bytes));
	assert_false(budget_take_memory(&one, 1));
	assert_false(run.is_over);
	one = BUDGET_MODULE;
	one.whole = &run;
	assert_false(budget_take_memory(&one, UINT64_MAX));
	assert_true(run.is_over);
}

/* Time counts from the first look of a question on. */
static void test_time(void **state)
{
	struct budget one = BUDGET_MODULE;
	volatile uint64_t sum = 0;

	(void)state;
	one.cpu_ns = 1000000;
	budget_begin(&one);
	assert_true(budget_look(&one));
	for (uint64_t i = 0; i < 100000000 && one.cpu_ns >= 0; i++) {
		sum += i;
		if (i % 4096 == 0)
			(void)budget_look(&one);
	}
	(void)sum;
	assert_true(one.is_over);
	assert_false(budget_take(&one, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sibling_inside),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_line_tables),
		cmocka_unit_test(test_all_functions),
		cmocka_unit_test(test_names_without_end),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
