/* SPDX-License-Identifier: MIT */
/*
 * The functions that an ELF symbol table names, sorted by address. Must not know DWARF,
 * demangle, or copy names.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name: as in the file, perhaps with "@VERSION"; borrowed from the Elf. [address, end):
 * its code or, when the file does not give its size, the rest of its section. rank: the
 * lower, the better the name among several of one address. */
struct symbol_entry {
	uint64_t address, end;
	const char *name;
	uint32_t rank;
	uint16_t length; /* of name */
	bool sized;
};

/* Once sorted: one entry per address, ascending. */
struct symbol_table {
	struct symbol_entry *entries;
	size_t count;
};

/* Adds the symbols of the ELF section of this type (SHT_SYMTAB or SHT_DYNSYM). Only
 * functions and labels with addresses in [low, high) are taken: those that the file
 * defines and those that it imports with an address of its own. The names stay borrowed
 * from elf. 0; -ENOENT: no such section or nothing usable in it. */
int symbol_table_add(struct symbol_table *table, Elf *elf, uint32_t type, uint64_t low,
		     uint64_t high);

/* Likewise for variables that the file defines, wherever they lie. */
int symbol_table_add_variables(struct symbol_table *table, Elf *elf, uint32_t type);

/* Call it once after the last addition and before the first look-up. */
void symbol_table_sort(struct symbol_table *table);

/* Does the file import a function of this name, in any version? */
bool symbol_table_imports(Elf *elf, const char *name);

/* The entry at exactly this address; NULL: none. */
const struct symbol_entry *symbol_table_at(const struct symbol_table *table,
					   uint64_t address);

/* The entry that this address belongs to; NULL: none. */
const struct symbol_entry *symbol_table_around(const struct symbol_table *table,
					       uint64_t address);

/* The entry that begins or ends nearest to this address, which no entry covers; NULL: the
 * table is empty. Only a guess at a neighbour. */
const struct symbol_entry *symbol_table_near(const struct symbol_table *table,
					     uint64_t address, uint64_t *ret_distance);
