/* SPDX-License-Identifier: MIT */
/* Source files and lines, from attributes and from addresses, as libdw tells them. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [low, high) belongs to item. */
struct range {
	uint64_t low, high;
	uint32_t item;
};

/* All zero: empty. */
struct ranges {
	struct range *entries;
	size_t count;
};

void ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t item);

/* To be called after the last addition and before the first look-up. */
void ranges_sort(struct ranges *ranges);

/* The innermost range around address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

/* file is kept in the strings; NULL and 0: not known. */
struct source_place {
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
struct source_place places_told(struct places *places, Dwarf_Attribute *file,
				Dwarf_Attribute *line, const char *directory);

/* Which source files matter to somebody. */
struct source_wish {
	bool (*has)(void *context, const char *file);
	void *context;
};

/* Whether one of the files of a unit, whose root this is, is wished for. */
bool places_have(struct places *places, Dwarf_Die *root, const struct source_wish *wish);

/*
 * The end of what the linker dropped, as the line table of this unit has it; 0: nothing.
 * Dropped functions stay in the table, at addresses from 0 on, and libdw sorts all rows
 * into one list: below this address they lie among those of functions that stayed. low:
 * where code begins; code: of all units, sorted.
 */
uint64_t places_dropped_end(struct places *places, Dwarf_Die *root, uint64_t low,
			    const struct ranges *code);

/* The place of the instruction at address; root: of the unit with the line table. */
struct source_place places_at(struct places *places, Dwarf_Die *root, uint64_t address);

/* Finds the shared file of a Dwarf by its build-id, below /usr/lib/debug only, and tells
 * libdw, which then looks for none itself. When there is none, it is an empty one. */
void linked_shared_find(Dwarf *dwarf);

/* Whether libdw may open the .dwo file that the unit's root names: a plain file, below
 * directories in which nobody but root and this user can exchange it. */
bool linked_split_fits(Dwarf_Die *root);
