/* SPDX-License-Identifier: MIT */
/* What this is: the symbolizer on files that are sound but made to keep it busy. What
 * would not end is ended by alarm(). */
#include "collector/symbols/symbols.h"

#include <elf.h>
#include <unistd.h>

#include "lookup.h"
#include "tests/unit/tests.h"

/* A walk over its entries takes 2^N steps. */
TEST(test_sibling_inside)
{
	struct symbolizer *symbolizer = symbols_new();
	struct segment_module file = file_at(fixture("sibling"), NULL, 0);
	uint64_t main_address = address_of("sibling", "main");
	struct symbol_module *module = symbols_open(symbolizer, &file);
	struct symbol found;

	(void)alarm(110);
	assert_string_equal(symbols_source(module), "debug");
	assert_int_equal(symbols_function(module, main_address, &found), 0);
	assert_string_equal(found.name, "main");
	assert_int_equal(symbols_frames(module, main_address + 2, &found, 1), 1);
	assert_int_equal(symbols_why(module), SYMBOLS_LIMIT);
	(void)alarm(0);
	symbols_free(symbolizer);
}

/* Nobody writes into the fifo that they name. */
TEST(test_other_files)
{
	static const char *const names[] = {"shared", "split"};
	struct symbol found;

	(void)alarm(110);
	for (size_t i = 0; i < 2; i++) {
		struct symbolizer *symbolizer = symbols_new();
		struct segment_module file = file_at(fixture(names[i]), NULL, 0);
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

/* Whoever believes the header of a line table measures 32 MB a million times, or copies
 * 1 MB 200,000 times; whoever keeps all rows fills the memory. libdw does: its process is
 * ended, and the symbol table is what is left. */
TEST(test_line_tables)
{
	static const char *const names[] = {"lines_directories", "lines_files",
					    "lines_rows"};
	struct symbolizer *symbolizer = symbols_new();
	char *path = strdup(fixture("c_O2"));
	struct segment_module sound = file_at(path, NULL, 0);
	uint64_t leaf = address_of("c_O2", "leaf");
	struct symbol found;

	(void)alarm(110);
	for (size_t i = 0; i < 3; i++) {
		struct segment_module file = file_at(fixture(names[i]), NULL, 0);
		struct symbol_module *module = symbols_open(symbolizer, &file);
		uint64_t address = address_of(names[i], "main");

		assert_null(symbols_trouble(module));
		assert_string_equal(symbols_source(module), "debug");
		assert_int_equal(symbols_function(module, address, &found), 0);
		assert_string_equal(found.name, "main");
		assert_null(found.file);
		assert_int_equal(symbols_frames(module, address + 2, &found, 1), 1);
		assert_string_equal(found.name, "main");
		assert_int_equal(symbols_why(module), SYMBOLS_LIMIT);
	}
	/* the others have what is left */
	assert_int_equal(symbols_function(symbols_open(symbolizer, &sound), leaf, &found),
			 0);
	assert_string_equal(found.name, "leaf");
	assert_non_null(found.file);
	(void)alarm(0);
	free(path);
	symbols_free(symbolizer);
}

/* libelf would look for the end of each name in the whole table. */
TEST(test_names_without_end)
{
	char path[] = "/tmp/profshim-hostile-XXXXXX";
	struct symbolizer *symbolizer = symbols_new();
	struct segment_module file;
	Elf64_Ehdr header;
	Elf64_Shdr names;
	char command[4200];
	int fd = mkstemp(path);

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
	assert_int_equal(symbols_why(symbols_open(symbolizer, &file)),
			 SYMBOLS_UNREADABLE);
	symbols_free(symbolizer);
	assert_int_equal(close(fd) | unlink(path), 0);
}
