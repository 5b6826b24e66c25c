/* SPDX-License-Identifier: MIT */
/*
 * A module of a symbolizer: its files, what was read of them, and what it may still cost.
 * For symbols.c only; one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/symbols/budget.h"
#include "collector/symbols/dwarf/dwarf.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/table.h"
#include "collector/symbols/wanted.h"

#define BUILD_ID_MAX 64

/*
 * file: the module itself; debug: its separate debug file; mini: its packed symbol table.
 * dwarf_elf: whichever of them has DWARF (borrowed), NULL: none. [low, high): its code.
 */
struct symbol_module {
	struct symbol_module *next;
	struct symbolizer *symbolizer;
	struct elf_file file, debug, mini;
	struct symbol_table table;
	struct symbol_table variables; /* read at the first question */
	bool has_variables;
	Elf *dwarf_elf;
	struct debug_info *info; /* NULL until the first question */
	uint64_t low, high;
	const char *source, *trouble;
	struct budget budget;
	struct symbol_file wanted; /* its pointers lead into this module */
	uint8_t build_id[BUILD_ID_MAX];
	char path[];
};

struct symbolizer {
	struct strings *strings;
	struct budget budget;
	struct symbol_module *modules;
};

/* A module that has not been read; symbol_module_free() ends it. */
struct symbol_module *symbol_module_new(struct symbolizer *symbolizer,
					const struct symbol_file *wanted);
void symbol_module_free(struct symbol_module *module);

/* Opens its files and reads the table of its functions. What keeps it from that is in
 * module->trouble. */
void symbol_module_read(struct symbol_module *module);

/* At the first question for a variable. */
void symbol_module_read_variables(struct symbol_module *module);

/* The DWARF index, made at the first question; NULL: there is none. Called at the start
 * of each question. */
struct debug_info *symbol_module_info(struct symbol_module *module);
