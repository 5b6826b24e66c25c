/* SPDX-License-Identifier: MIT */
/* A module of a reader: its files, and what was read of them. For reader.c only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/symbols/dwarf/dwarf.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/reader/table.h"
#include "collector/symbols/symbol.h"

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
	struct symbol_file wanted; /* borrowed: a request's, while the files are opened */
};

/* See reader_open(). */
struct reader_module *reader_module_new(struct strings *strings,
					const struct symbol_file *file,
					bool is_without_debug);

/* At the first question for a variable. */
void reader_module_read_variables(struct reader_module *module);

/* The DWARF index, made at the first question; NULL: there is none. Called at the start
 * of each question. */
struct debug_info *reader_module_info(struct reader_module *module);
