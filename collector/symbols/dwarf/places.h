/* SPDX-License-Identifier: MIT */
/*
 * Source files and lines, from attributes and from addresses. Must not read a line table
 * twice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "collector/symbols/budget.h"
#include "collector/symbols/dwarf/lines.h"
#include "collector/symbols/strings.h"
#include "collector/symbols/dwarf/text.h"

/* file is kept in the strings; NULL and 0: not known. */
struct place {
	const char *file;
	uint32_t line;
};

struct place_table {
	const Dwarf_CU *unit;
	struct line_table lines;
};

/* The line tables read so far, each with the unit it belongs to. last: the one that was
 * used last. */
struct places {
	struct strings *strings;
	struct debug_text *text;
	struct budget *budget;
	struct place_table *tables;
	size_t count, capacity, last;
};

/* strings, text and budget are borrowed. */
void places_open(struct places *places, struct strings *strings, struct debug_text *text,
		 struct budget *budget);
void places_close(struct places *places);

/* The directory a unit was compiled in, or NULL. */
const char *places_directory(struct places *places, Dwarf_Die *root);

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

/* The place of the instruction at address; root: of the unit with the line program. */
struct place places_at(struct places *places, Dwarf_Die *root, uint64_t address);
