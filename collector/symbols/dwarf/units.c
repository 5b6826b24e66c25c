/* SPDX-License-Identifier: MIT */
/* Counting units and abbreviations. Must not read further into a unit than its header. */
#include "collector/symbols/dwarf/units.h"

#include <dwarf.h>
#include <stdint.h>

#include "collector/symbols/dwarf/cursor.h"
#include "collector/symbols/elf.h"

/* A browser has some 50,000 units; a unit some hundred abbreviations of some ten
 * attributes. */
#define UNIT_LIMIT (1u << 18)
#define ABBREVIATION_LIMIT (1u << 16)
#define ATTRIBUTE_LIMIT 1024u

/* libdw's own, for each unit. */
#define UNIT_BYTES 1024u

/* The attributes of one abbreviation. false: too many. */
static bool skip_attributes(struct cursor *table)
{
	unsigned int count;
	uint64_t name, form;

	for (count = 0; count < ATTRIBUTE_LIMIT; count++) {
		name = cursor_uleb(table);
		form = cursor_uleb(table);
		if (form == DW_FORM_implicit_const)
			(void)cursor_sleb(table);
		if ((!name && !form) || table->failed)
			return true;
	}
	return false;
}

/* The table that starts there ends before there are too many. */
static bool table_fits(struct cursor table, struct budget *budget)
{
	unsigned int count;

	for (count = 0; count < ABBREVIATION_LIMIT; count++) {
		if (!cursor_uleb(&table) || table.failed)
			return true;
		(void)cursor_uleb(&table); /* tag */
		cursor_skip(&table, 1);	   /* has children */
		if (!skip_attributes(&table) || !budget_take(budget, 1))
			return false;
	}
	return false;
}

static struct cursor abbreviations(Dwarf *dwarf)
{
	static const char *const names[] = {".debug_abbrev", ".debug_abbrev.dwo",
					    ".zdebug_abbrev"};
	static const uint8_t nothing[1];
	Elf *elf = dwarf_getelf(dwarf);
	const Elf_Data *data = NULL;
	Elf64_Shdr header;
	Elf_Scn *section;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !data; i++) {
		section = elf_file_section(elf, 0, names[i], &header);
		data = section ? elf_file_data(section) : NULL;
	}
	if (!data)
		return (struct cursor){nothing, nothing, false};
	return (struct cursor){data->d_buf, (const uint8_t *)data->d_buf + data->d_size,
			       false};
}

/* The units of .debug_info or, with is_types, of .debug_types. */
static bool section_fits(Dwarf *dwarf, struct cursor all, bool is_types,
			 struct budget *budget)
{
	Dwarf_Off offset = 0, next, table_offset, last = (Dwarf_Off)-1, type;
	uint64_t signature;
	unsigned int count = 0;
	struct cursor table;
	uint8_t sizes[2];
	size_t header_size;

	while (dwarf_next_unit(dwarf, offset, &next, &header_size, NULL, &table_offset,
			       &sizes[0], &sizes[1], is_types ? &signature : NULL,
			       is_types ? &type : NULL) == 0 &&
	       next > offset) {
		offset = next;
		if (++count > UNIT_LIMIT || !budget_take_memory(budget, UNIT_BYTES))
			return false;
		table = all;
		cursor_skip(&table, table_offset);
		if (table_offset != last && !table_fits(table, budget))
			return false;
		last = table_offset;
	}
	return budget_look(budget);
}

bool units_fit(Dwarf *dwarf, struct budget *budget)
{
	struct cursor all = abbreviations(dwarf);

	return section_fits(dwarf, all, false, budget) &&
	       section_fits(dwarf, all, true, budget);
}
