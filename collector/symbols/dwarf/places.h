/* SPDX-License-Identifier: MIT */
/* Source files and lines, from attributes and from addresses, as libdw tells them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "collector/symbols/dwarf/ranges.h"
#include "collector/symbols/strings.h"

/* file is kept in the strings; NULL and 0: not known. */
struct place {
	const char *file;
	uint32_t line;
};

/* Whose places. is_cut: a line table could not be read, for it is damaged, or too large
 * for the memory that there is. */
struct places {
	struct strings *strings;
	bool is_cut;
};

/* The directory a unit was compiled in, or NULL. */
const char *places_directory(Dwarf_Die *root);

/* The place that two attributes tell. The number of the file counts in the unit that the
 * attribute stands in, which may be another one than its function's. directory: where
 * that unit was compiled, should it not say. */
struct place places_told(struct places *places, Dwarf_Attribute *file,
			 Dwarf_Attribute *line, const char *directory);

/* Which source files matter to somebody. */
struct place_wish {
	bool (*has)(void *context, const char *file);
	void *context;
};

/* Whether one of the files of a unit, whose root this is, is wished for. */
bool places_have(struct places *places, Dwarf_Die *root, const struct place_wish *wish);

/*
 * The end of what the linker dropped, as the line table of this unit has it; 0: nothing.
 * Dropped functions stay in the table, at addresses from 0 on, and libdw sorts all rows
 * into one list: below this address they lie among those of functions that stayed. low:
 * where code begins; code: of all units, sorted.
 */
uint64_t places_dropped_end(struct places *places, Dwarf_Die *root, uint64_t low,
			    const struct ranges *code);

/* The place of the instruction at address; root: of the unit with the line table. */
struct place places_at(struct places *places, Dwarf_Die *root, uint64_t address);
