/* SPDX-License-Identifier: MIT */
/* Source files and lines from libdw, by attribute and by address. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libelf.h>

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

/* Call it after the last addition and before the first look-up. */
void ranges_sort(struct ranges *ranges);

/* The innermost range around address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

/* file is owned by the strings; NULL and 0: not known. */
struct source_place {
	const char *file;
	uint32_t line;
};

/* is_cut: a line table could not be read: it is damaged or too large for the memory. */
struct places {
	struct strings *strings;
	bool is_cut;
};

/* The directory a unit was compiled in, or NULL. */
const char *places_directory(Dwarf_Die *root);

/* The place that two attributes give. The file's number is relative to the unit that the
 * attribute is in, which may differ from the function's. directory: compilation directory
 * of that unit, should it not say. */
struct source_place places_told(struct places *places, Dwarf_Attribute *file,
				Dwarf_Attribute *line, const char *directory);

/* Which source files the caller is interested in. */
struct source_wish {
	bool (*has)(void *context, const char *file);
	void *context;
};

/* Does the unit with this root have a file that is wished for? */
bool places_have(struct places *places, Dwarf_Die *root, const struct source_wish *wish);

/*
 * Where code that the linker dropped ends, by the unit's line table; 0: none was dropped.
 * Dropped functions stay in the table at addresses from 0 on, and libdw sorts all rows
 * into one list: below this address they mix with those of functions that stayed. low:
 * where code begins; code: ranges of all units, sorted.
 */
uint64_t places_dropped_end(struct places *places, Dwarf_Die *root, uint64_t low,
			    const struct ranges *code);

/* The place of the instruction at address. root: of the unit with the line table. */
struct source_place places_at(struct places *places, Dwarf_Die *root, uint64_t address);

/* Finds the shared file of a Dwarf by build-id, only below /usr/lib/debug, and hands it
 * to libdw, which then does not search. If there is none, libdw gets an empty file. */
void linked_shared_find(Dwarf *dwarf);

/* May libdw open the .dwo file that the unit's root names? It must be a plain file below
 * directories in which nobody but root and this user can exchange it. */
bool linked_split_fits(Dwarf_Die *root);

struct debug_info;

/* name: the linkage name if there is one, else source_name, the name in the source. Both
 * are borrowed from the file; NULL: not known. */
struct debug_scope {
	const char *name, *source_name;
	struct source_place place;
	const char *own_file; /* where the function is defined; NULL: not known */
};

/* Reads only the list of compile units. [low, high): the module's code; ranges outside
 * (of functions that the linker dropped) are ignored. elf and strings are borrowed and
 * must stay. NULL: no usable debug information. */
struct debug_info *debug_info_open(Elf *elf, uint64_t low, uint64_t high,
				   struct strings *strings);
/* Was some of it unreadable so far? */
bool debug_info_is_cut(const struct debug_info *info);

/* The function that starts at address, with the place of its definition. 0 or -ENOENT. */
int debug_info_function(struct debug_info *info, uint64_t address,
			struct debug_scope *ret);

/* The source file of the function that starts at address, if its unit has a file that is
 * wished for; else NULL. The wish must be the same each time. ret_is_known: is there
 * debug information about the address? */
const char *debug_info_file(struct debug_info *info, uint64_t address,
			    const struct source_wish *wish, bool *ret_is_known);

/* The functions at this instruction: [0] the innermost inlined one ... [n-1] the physical
 * function, whose name may be unknown; place: where the instruction is in each. More than
 * capacity: the innermost are left out. Returns n >= 1, or -ENOENT. */
int debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *ret,
		      size_t capacity);
