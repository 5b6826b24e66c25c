/* SPDX-License-Identifier: MIT */
/*
 * Strings of DWARF attributes that are sure to end: libdw checks where a string starts,
 * but a damaged section may hold none of its ends. Must not copy.
 */
#pragma once

#include <stdbool.h>

#include <elfutils/libdw.h>

/* The last file asked about; all zero at first. */
struct debug_text {
	Dwarf *dwarf;
	const char *start, *end; /* its .debug_info */
	bool usable;		 /* its string sections end with a NUL */
};

/* Whether all strings of the file's string sections end. */
bool debug_text_fits(Elf *elf);

/* The attribute's string, borrowed from its Dwarf, or NULL. */
const char *debug_text_get(struct debug_text *text, Dwarf_Attribute *attribute);
