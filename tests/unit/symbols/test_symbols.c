/* SPDX-License-Identifier: MIT */
/* What this is: the symbolizer on programs of which every name and line is known. */
#include "collector/symbols/symbols.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "tests/unit/tests.h"

static struct symbolizer *symbolizer;

static int set_up(void **state)
{
	(void)state;
	symbolizer = symbols_new();
	return symbolizer ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	symbols_free(symbolizer);
	return 0;
}

static struct symbol_module *open_with_id(const char *name, const uint8_t *id,
					  size_t size)
{
	struct segment_module file = file_at(fixture(name), id, size);
	struct symbol_module *module = symbols_open(symbolizer, &file);

	assert_non_null(module);
	return module;
}

static struct symbol_module *open_fixture(const char *name)
{
	return open_with_id(name, NULL, 0);
}

static void assert_place(const struct symbol *symbol, const char *source,
			 const char *mark)
{
	char ending[256];
	size_t length, wanted;

	snprintf(ending, sizeof(ending), "/tests/unit/symbols/%s", source);
	wanted = strlen(ending);
	assert_non_null(symbol->file);
	length = strlen(symbol->file);
	assert_true(symbol->file[0] == '/' && !strstr(symbol->file, "/../"));
	assert_true(length > wanted);
	assert_string_equal(symbol->file + length - wanted, ending);
	assert_int_equal(symbol->line, line_of(source, mark));
}

/* The function that `symbol` names in `full` is found in `name` too. */
static void check_function(const char *name, const char *full, const char *symbol,
			   const char *readable, const char *source, const char *mark)
{
	struct symbol found;

	assert_int_equal(
		symbols_function(open_fixture(name), address_of(full, symbol), &found),
		0);
	assert_non_null(found.linkage_name);
	assert_string_equal(found.name, readable);
	if (mark)
		assert_place(&found, source, mark);
	else
		assert_null(found.file);
}

static void check_c_program(const char *name, const char *full)
{
	check_function(name, full, "leaf", "leaf", "fixture.c", "leaf");
	check_function(name, full, "outer", "outer", "fixture.c", "outer");
	check_function(name, full, "strong", "strong", "fixture.c", "strong");
}

/* inner and middle are inlined into outer, at -O0 too. */
static void check_inlined(const char *name, const char *full)
{
	struct symbol frames[8];
	uint64_t address = return_address_of(full, "outer", "leaf");
	struct symbol_module *module = open_fixture(name);

	assert_int_equal(symbols_frames(module, address, frames, 8), 3);
	assert_string_equal(frames[0].name, "inner");
	assert_place(&frames[0], "fixture.c", "call of leaf");
	assert_string_equal(frames[1].name, "middle");
	assert_place(&frames[1], "fixture.c", "call of inner");
	assert_string_equal(frames[2].name, "outer");
	assert_place(&frames[2], "fixture.c", "call of middle");
	/* without room for all, the outer ones are given */
	assert_int_equal(symbols_frames(module, address, frames, 2), 2);
	assert_string_equal(frames[0].name, "middle");
	assert_string_equal(frames[1].name, "outer");
	assert_int_equal(symbols_frames(module, address, frames, 0), -ENOENT);
}

TEST_WITH(test_c, set_up, tear_down)
{
	static const char *const programs[] = {"c_O0",	  "c_O2",	  "c_dwarf4",
					       "c_clang", "c_compressed", "c_split",
					       "c_no_id"};
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!fixture_exists(programs[i]))
			continue;
		assert_string_equal(symbols_source(open_fixture(programs[i])), "debug");
		check_c_program(programs[i], programs[i]);
		check_inlined(programs[i], programs[i]);
	}
}

/* Of a function that the linker dropped, but whose lines lie among those of others: those
 * have names, and no line rather than a wrong one. */
TEST_WITH(test_dropped, set_up, tear_down)
{
	struct symbol frames[8];
	uint64_t address = return_address_of("c_dropped", "outer", "leaf");

	check_c_program("c_dropped", "c_dropped");
	assert_int_equal(symbols_frames(open_fixture("c_dropped"), address, frames, 8),
			 3);
	assert_string_equal(frames[0].name, "inner");
	assert_null(frames[0].file);
	assert_place(&frames[1], "fixture.c", "call of inner");
	assert_place(&frames[2], "fixture.c", "call of middle");
}

TEST_WITH(test_static_and_clones, set_up, tear_down)
{
	struct symbol frames[4];

	check_function("c_O0", "c_O0", "hidden", "hidden", "fixture.c", "hidden");
	/* a copy made by the compiler goes by the name of its function */
	check_function("c_O2", "c_O2", "hidden", "hidden", "fixture.c", "hidden");
	assert_int_equal(symbols_frames(open_fixture("c_O2"),
					return_address_of("c_O2", "hidden", "leaf"),
					frames, 4),
			 1);
	assert_place(&frames[0], "fixture.c", "call in hidden");
}

TEST_WITH(test_nested_function, set_up, tear_down)
{
	check_function("c_O0", "c_O0", "nested", "nested.0", "fixture.c", "nested");
	check_function("c_O2", "c_O2", "nested", "nested.0", "fixture.c", "nested");
}

static void check_cxx(const char *name)
{
	struct symbol frames[4];
	uint64_t call;

	check_function(name, name, "_ZN4shop6basketC1Ei", "shop::basket::basket(int)",
		       "fixture.cpp", "constructor");
	check_function(name, name, "_ZNK4shop6basket5countEPKc",
		       "shop::basket::count(char const*) const", "fixture.cpp", "method");
	check_function(name, name, "_ZN4shop12_GLOBAL__N_16secretEi",
		       "shop::(anonymous namespace)::secret(int)", "fixture.cpp",
		       "secret");
	call = return_address_of(name, "_ZN4shop12_GLOBAL__N_16secretEi", "leaf");
	assert_int_equal(symbols_frames(open_fixture(name), call, frames, 4), 2);
	assert_non_null(strstr(frames[0].name, "twice<int>"));
	assert_place(&frames[0], "fixture.cpp", "call of leaf");
	assert_place(&frames[1], "fixture.cpp", "call of twice");
}

TEST_WITH(test_cxx, set_up, tear_down)
{
	struct symbol found;

	check_cxx("cxx_O2");
	assert_int_equal(symbols_function(open_fixture("cxx_O2"),
					  address_of("cxx_O2", "_ZZ4mainENKUliE_clEi"),
					  &found),
			 0);
	assert_non_null(
		strstr(found.name, "main::{lambda(int)#1}::operator()(int) const"));
	if (fixture_exists("cxx_clang"))
		check_cxx("cxx_clang");
}

/* As it is written in the source. Without debug information nothing tells outside_ from a
 * function of C. */
TEST_WITH(test_fortran, set_up, tear_down)
{
	struct symbol found;

	if (!fixture_exists("fortran"))
		skip();
	assert_int_equal(symbols_function(open_fixture("fortran"),
					  address_of("fortran", "__m_MOD_sq"), &found),
			 0);
	assert_string_equal(found.name, "m::sq");
	assert_string_equal(found.linkage_name, "__m_MOD_sq");
	assert_int_equal(symbols_function(open_fixture("fortran"),
					  address_of("fortran", "outside_"), &found),
			 0);
	assert_string_equal(found.name, "outside");
	assert_string_equal(found.linkage_name, "outside_");
}

TEST_WITH(test_separate_debug_file, set_up, tear_down)
{
	static const char *const stripped[] = {"linked", "linked_below"};
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_string_equal(symbols_source(open_fixture(stripped[i])), "debug");
		check_c_program(stripped[i], "c_O2");
		check_inlined(stripped[i], "c_O2");
	}
	check_c_program("linked_by_checksum", "c_no_id");
	assert_string_equal(symbols_source(open_fixture("linked_wrongly")), "none");
}

TEST_WITH(test_without_debug_information, set_up, tear_down)
{
	struct symbol found[2];
	uint64_t call = return_address_of("c_symtab", "outer", "leaf");

	assert_string_equal(symbols_source(open_fixture("c_symtab")), "symtab");
	check_function("c_symtab", "c_symtab", "hidden", "hidden", NULL, NULL);
	assert_int_equal(symbols_frames(open_fixture("c_symtab"), call, found, 2), 1);
	assert_string_equal(found[0].name, "outer");
	assert_null(found[0].file);
	assert_int_equal(found[0].line, 0);
}

TEST_WITH(test_exports_only, set_up, tear_down)
{
	struct symbol_module *module = open_fixture("c_exports");
	uint64_t hidden = address_of("c_dynamic", "hidden");
	struct symbol found;

	assert_string_equal(symbols_source(module), "dynsym");
	check_function("c_exports", "c_dynamic", "outer", "outer", NULL, NULL);
	/* no neighbour's name for a function that has none */
	assert_int_equal(symbols_function(module, hidden, &found), -ENOENT);
	assert_int_equal(symbols_frames(module, hidden + 2, &found, 1), -ENOENT);
}

TEST_WITH(test_packed_symbols, set_up, tear_down)
{
	assert_string_equal(symbols_source(open_fixture("c_mini")), "symtab");
}

TEST_WITH(test_no_symbols, set_up, tear_down)
{
	struct symbol_module *module = open_fixture("c_bare");
	struct symbol found;

	assert_string_equal(symbols_source(module), "none");
	assert_int_equal(symbols_function(module, address_of("c_O2", "leaf"), &found),
			 -ENOENT);
}

TEST_WITH(test_build_id, set_up, tear_down)
{
	uint8_t id[64];
	size_t size = build_id_of("c_O2", id, sizeof(id));
	uint64_t leaf = address_of("c_O2", "leaf");
	struct symbol_module *module;
	struct symbol found;

	module = open_with_id("c_O2", id, size);
	assert_string_equal(symbols_source(module), "debug");
	assert_int_equal(symbols_function(module, leaf, &found), 0);
	assert_ptr_equal(module, open_with_id("c_O2", id, size));
	id[0] ^= 1;
	module = open_with_id("c_O2", id, size);
	assert_string_equal(symbols_source(module), "none");
	assert_int_equal(symbols_function(module, leaf, &found), -ENOENT);
	assert_int_equal(symbols_frames(module, leaf + 1, &found, 1), -ENOENT);
	module = open_with_id("c_no_id", id, size);
	assert_string_equal(symbols_source(module), "none");
}

/* As programs of Debian are built: the directory is relative, so nothing tells where it
 * is, but it is named once. */
TEST_WITH(test_relative_directory, set_up, tear_down)
{
	static const char *const names[] = {"c_mapped4", "c_mapped5"};
	struct symbol found;
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(symbols_function(open_fixture(names[i]),
						  address_of(names[i], "leaf"), &found),
				 0);
		assert_string_equal(found.file, "made/up/copy.c");
	}
}

TEST_WITH(test_missing_files, set_up, tear_down)
{
	static const struct {
		const char *path;
		enum symbols_trouble trouble;
	} cases[] = {
		{"", SYMBOLS_UNKNOWN},
		{"[vdso]", SYMBOLS_UNKNOWN},
		{"plugin.so", SYMBOLS_UNKNOWN},
		{"/nowhere/app", SYMBOLS_GONE},
		{SOURCE_DIR "/fixture.c/app", SYMBOLS_GONE},
		{"/", SYMBOLS_UNREADABLE},
		{"/dev/null", SYMBOLS_UNREADABLE},
		{"/dev/zero", SYMBOLS_UNREADABLE},
		{SOURCE_DIR "/fixture.c", SYMBOLS_UNREADABLE},
	};
	struct symbol found;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct segment_module file = file_at(cases[i].path, NULL, 0);
		struct symbol_module *module;

		file.inode = 1;
		module = symbols_open(symbolizer, &file);

		assert_int_equal(symbols_why(module), cases[i].trouble);
		assert_non_null(symbols_trouble(module));
		assert_string_equal(symbols_source(module), "none");
		assert_int_equal(symbols_function(module, 0x1000, &found), -ENOENT);
		assert_int_equal(symbols_frames(module, 0x1000, &found, 1), -ENOENT);
		assert_int_equal(symbols_frames(module, 0, &found, 1), -ENOENT);
	}
}

/* Without a build-id nothing is believed that is not the very file. */
TEST_WITH(test_file_without_build_id, set_up, tear_down)
{
	struct segment_module file = file_at(fixture("c_no_id"), NULL, 0), other;
	size_t i;

	assert_null(symbols_trouble(symbols_open(symbolizer, &file)));
	for (i = 0; i < 4; i++) {
		other = file;
		other.device += i == 0;
		other.inode += i == 1;
		other.size_bytes += i == 2;
		other.mtime_ns += i == 3;
		assert_int_equal(symbols_why(symbols_open(symbolizer, &other)),
				 SYMBOLS_CHANGED);
	}
	other = file;
	other.inode = 0;
	assert_int_equal(symbols_why(symbols_open(symbolizer, &other)), SYMBOLS_UNKNOWN);
}

/* Nobody writes into the fifo: to open it would be to wait. */
TEST_WITH(test_fifo, set_up, tear_down)
{
	char path[] = "/tmp/profshim-fifo-XXXXXX";
	struct segment_module file;

	assert_non_null(mkdtemp(path));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	file = file_at(path, NULL, 0);
	assert_int_equal(symbols_why(symbols_open(symbolizer, &file)),
			 SYMBOLS_UNREADABLE);
	assert_int_equal(unlink(path), 0);
}

TEST_WITH(test_neighbours, set_up, tear_down)
{
	struct symbol_module *module = open_fixture("c_exports");
	uint64_t hidden = address_of("c_dynamic", "hidden");
	uint64_t outer = address_of("c_dynamic", "outer");
	struct symbol found;

	assert_int_equal(symbols_near(module, hidden, 4096, &found), 0);
	assert_non_null(found.name);
	assert_int_equal(symbols_near(module, outer + 1, 0, &found), 0);
	assert_string_equal(found.name, "outer");
	assert_int_equal(symbols_near(module, hidden, 0, &found), -ENOENT);
	assert_int_equal(symbols_near(open_fixture("c_bare"), hidden, 4096, &found),
			 -ENOENT);
}

TEST_WITH(test_addresses_between, set_up, tear_down)
{
	struct symbol_module *module = open_fixture("c_O2");
	uint64_t leaf = address_of("c_O2", "leaf");
	struct symbol found;

	assert_int_equal(symbols_function(module, leaf + 1, &found), -ENOENT);
	assert_int_equal(symbols_function(module, 0, &found), -ENOENT);
	assert_int_equal(symbols_function(module, UINT64_MAX, &found), -ENOENT);
	assert_int_equal(symbols_frames(module, 0, &found, 1), -ENOENT);
	assert_int_equal(symbols_frames(module, leaf + 2, &found, 1), 1);
	assert_string_equal(found.name, "leaf");
}
