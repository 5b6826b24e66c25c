/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions from DWARF, read as far as asked for. Must not
 * demangle, or know ELF symbol tables.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/symbols/places.h"

struct debug_info;

/* name: the linkage name when the function has one, else its name in the source;
 * source_name: that; both borrowed from the file, NULL: not known. */
struct debug_scope {
	const char *name, *source_name;
	struct source_place place;
};

/* Reads the list of compile units, nothing else. [low, high): the module's code; ranges
 * outside (of functions that the linker dropped) are ignored. elf and strings are
 * borrowed and must stay. NULL: no usable debug information. */
struct debug_info *debug_info_open(Elf *elf, uint64_t low, uint64_t high,
				   struct strings *strings);
/* Whether some of it could not be read so far. */
bool debug_info_is_cut(const struct debug_info *info);

/* The function that starts at address; place: of its definition. 0 or -ENOENT. */
int debug_info_function(struct debug_info *info, uint64_t address,
			struct debug_scope *ret);

/* The source file of the function that starts at address, when it is one of a unit with a
 * file that is wished for; else NULL. The wish must be the same each time. ret_is_known:
 * whether there is debug information about the address. */
const char *debug_info_file(struct debug_info *info, uint64_t address,
			    const struct source_wish *wish, bool *ret_is_known);

/* The functions at this instruction: [0] the innermost inlined one ... [n-1] the physical
 * function, whose name may be unknown; place: where each of them is at that moment. When
 * there are more than capacity, the innermost are left out. Returns n >= 1, or -ENOENT.
 */
int debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *ret,
		      size_t capacity);
