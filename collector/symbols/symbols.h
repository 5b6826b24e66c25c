/* SPDX-License-Identifier: MIT */
/*
 * Names and source lines for addresses of ELF files, offline. Must not ask a server
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

#include "collector/symbols/demangle.h"
#include "collector/symbols/wanted.h"

/*
 * A function, or a place in one. name: readable ("ns::f(int)"); linkage_name: as the
 * linker knows it ("_ZN2ns1fEi"), without "@VERSION"; file: absolute where the compiler
 * told its directory. A compiler-made copy ("f.constprop.0") goes by the name of its
 * function. identity: the same for the symbols that are one function: copies, the
 * variants of a constructor or destructor. Strings are borrowed until symbols_free();
 * equal strings have equal addresses. NULL and line 0: not known.
 */
struct symbol {
	const char *name, *linkage_name, *identity, *file;
	uint32_t line;
	enum demangle_variant variant;
	bool is_part; /* of symbols_frames(): what was split from it ("f.part.0") */
};

struct symbolizer;
struct symbol_module;

/* Unsets DEBUGINFOD_URLS in the process: nothing below it can reach for the network. */
struct symbolizer *symbols_new(void);
void symbols_free(struct symbolizer *symbolizer);

/* Closes all modules and forgets all strings. What may still be read is what was left,
 * but for memory. */
void symbols_forget(struct symbolizer *symbolizer);

/*
 * Opens the file and, where it lacks them, the separate files with its debug information
 * and symbols. The module belongs to the symbolizer; the same file gives the same module.
 * A module whose file is gone, damaged or another one resolves nothing, unless a debug
 * file of the wanted build-id is installed. The C library gets names, but no lines.
 *
 * What is read is bounded (budget.h), for each module and for all together: when
 * that is over, what has been read goes on giving names.
 */
struct symbol_module *symbols_open(struct symbolizer *symbolizer,
				   const struct symbol_file *file);

/* The best source of names that was found: "debug", "symtab", "dynsym" or "none". */
const char *symbols_source(const struct symbol_module *module);

/* A word of wanted.h, or NULL: all that the file has was read. */
const char *symbols_trouble(const struct symbol_module *module);

/* The name of the symbol nearest to an address that no symbol covers, when it is at most
 * `distance` bytes away: a hint, not the name of the function. 0 or -ENOENT. */
int symbols_near(struct symbol_module *module, uint64_t address, uint64_t distance,
		 struct symbol *ret);

/* The variable that covers this address, and how far into it that is. The file is not
 * told. 0, or -ENOENT. */
int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset);

/* The function whose entry is address; file and line are those of its definition. 0, or
 * -ENOENT: no function starts there, as far as is known. */
int symbols_function(struct symbol_module *module, uint64_t address, struct symbol *ret);

/*
 * What is asked about all functions: names, or the source files that a wish is about, or
 * both. may_fit: of which functions the name is asked for, by linkage names, with
 * versions and marks of copies; NULL: of all. look is shown those of the symbol table by
 * address, without lines, of whom a name or a file is asked for and known.
 */
struct symbol_question {
	bool has_names;
	bool (*may_fit)(void *context, const char *linkage_name, size_t size);
	bool (*wish)(void *context, const char *file); /* NULL: no file is asked for */
	bool is_wish_of_named; /* files are asked for of those that may_fit */
	void (*look)(void *context, uint64_t address, const struct symbol *symbol);
	void *context;
};

/* False: files were asked for, and there is debug information about none of those
 * functions. When the budget is over, what was not read is not shown (symbols_trouble()).
 * A module gets the same wish each time. */
bool symbols_each(struct symbol_module *module, const struct symbol_question *question);

/* Whether the file takes the function from another object. */
bool symbols_import(struct symbol_module *module, const char *linkage_name);

/*
 * The functions at a call, given its return address: [0] the innermost inlined one ...
 * [n-1] the physical function; file and line: the place of the call in each of them.
 * Returns n >= 1, or -ENOENT. When there are more than capacity, the innermost are left
 * out.
 */
int symbols_frames(struct symbol_module *module, uint64_t return_address,
		   struct symbol *ret, size_t capacity);
