/* SPDX-License-Identifier: MIT */
/*
 * Names and source lines for addresses of ELF files, offline. Runs on: a confined child
 * only (confined.h), for libelf and libdw believe what a file says. Must not ask a server
 * (debuginfod), start a process, or print.
 *
 * Addresses here are those in the file: run-time address - bias (struct
 * segment_module). Nothing is read before it is asked for: opening a module reads its
 * symbol table, the first question reads the list of compile units, and a compile unit is
 * read when an address lies in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/table.h"
#include "collector/symbols/symbol.h"
#include "common/segment.h"

/*
 * file: the module itself; debug: its separate debug file; mini: its packed symbol table.
 * dwarf_elf: whichever of them has DWARF (borrowed), NULL: none. [low, high): its code.
 */
struct reader_module {
	struct strings *strings;
	struct elf_file file, debug, mini;
	struct symbol_table table;
	struct symbol_table variables; /* read at the first question */
	bool has_variables;
	Elf *dwarf_elf;
	struct debug_info *info; /* NULL until the first question */
	uint64_t low, high;
	enum symbols_source source;
	enum symbols_trouble trouble;
	struct segment_module wanted;
};

struct strings;

/*
 * Opens the file and, where it lacks them, the separate files with its debug information
 * and symbols. A module whose file is gone, damaged or another one resolves nothing,
 * unless a debug file of the wanted build-id is installed. The C library gets names, but
 * no lines. What it answers is kept in the strings. A module ends with its child.
 */
struct reader_module *reader_open(struct strings *strings,
				  const struct segment_module *file,
				  bool is_without_debug);

/* Whether the open file is the one that was mapped (symbols.h). */
bool reader_is_wanted(const struct segment_module *wanted, const struct elf_file *file);

/* The best source of names that was found, and why there is none or no better one, as far
 * as it was read. */
enum symbols_source reader_source(const struct reader_module *module);
enum symbols_trouble reader_trouble(const struct reader_module *module);

/* As of symbols.h. ret_distance: from the symbol. */
int reader_near(struct reader_module *module, uint64_t address, struct symbol *ret,
		uint64_t *ret_distance);
int reader_variable(struct reader_module *module, uint64_t address, struct symbol *ret,
		    uint64_t *ret_offset);
int reader_function(struct reader_module *module, uint64_t address, struct symbol *ret);
int reader_frames(struct reader_module *module, uint64_t return_address,
		  struct symbol *ret, size_t capacity);

/*
 * What is asked about all functions: names, or the source files that a wish is about, or
 * both. may_fit: of which functions the name is asked for, by linkage names, with
 * versions and marks of copies; NULL: of all. look is shown those of the symbol table by
 * address, without lines, of whom a name or a file is asked for and known.
 */
struct reader_question {
	bool has_names;
	bool (*may_fit)(void *context, const char *linkage_name, size_t size);
	bool (*wish)(void *context, const char *file); /* NULL: no file is asked for */
	bool is_wish_of_named; /* files are asked for of those that may_fit */
	void (*look)(void *context, uint64_t address, const struct symbol *symbol);
	void *context;
};

/* False: files were asked for, and there is debug information about none of those
 * functions. A module gets the same wish each time. */
bool reader_each(struct reader_module *module, const struct reader_question *question);

/* Whether the file takes the function from another object. */
bool reader_import(struct reader_module *module, const char *linkage_name);
