/* SPDX-License-Identifier: MIT */
/*
 * The roots of units, through libdw. Must not read further into a unit, or open another
 * file: of split units the one that stayed has a producer, too.
 */
#include "collector/symbols/build/producers.h"

#include <dwarf.h>

#include <elfutils/libdw.h>

#include "collector/symbols/dwarf/text.h"
#include "collector/symbols/dwarf/units.h"
#include "collector/symbols/elf.h"

#define UNIT_ENTRIES 64 /* of the budget, for a root's abbreviation and attributes */

static size_t visit_units(Dwarf *dwarf, struct budget *budget, producers_visitor *visit,
			  void *context)
{
	struct debug_text text = {.dwarf = NULL};
	Dwarf_Attribute attribute;
	Dwarf_CU *cu = NULL;
	const char *producer;
	size_t count = 0;
	Dwarf_Die die;
	uint8_t type;

	while (budget_take(budget, UNIT_ENTRIES) &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (!dwarf_attr(&die, DW_AT_producer, &attribute))
			continue;
		/* that of the shared debug file is not looked for */
		if (dwarf_whatform(&attribute) == DW_FORM_GNU_strp_alt ||
		    dwarf_whatform(&attribute) == DW_FORM_strp_sup)
			continue;
		producer = debug_text_get(&text, &attribute);
		if (producer) {
			visit(producer, context);
			count++;
		}
	}
	return count;
}

size_t producers_each(Elf *elf, struct budget *budget, producers_visitor *visit,
		      void *context)
{
	Dwarf *dwarf;
	size_t count = 0;

	if (!elf_file_has_debug_info(elf) || !debug_text_fits(elf) ||
	    !elf_file_unpacks(elf))
		return 0;
	(void)budget_look(budget);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf && units_fit(dwarf, budget))
		count = visit_units(dwarf, budget, visit, context);
	if (dwarf)
		dwarf_end(dwarf);
	return count;
}
