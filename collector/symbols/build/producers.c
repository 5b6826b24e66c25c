/* SPDX-License-Identifier: MIT */
/*
 * The roots of units, through libdw. Must not read further into a unit, or open another
 * file: of split units the one that stayed has a producer, too.
 */
#include "collector/symbols/build/producers.h"

#include <dwarf.h>

#include <elfutils/libdw.h>

#include "collector/symbols/elf.h"

void producers_each(Elf *elf, producers_visitor *visit, void *context)
{
	Dwarf *dwarf;
	Dwarf_Attribute attribute;
	Dwarf_CU *cu = NULL;
	const char *producer;
	Dwarf_Die die;
	uint8_t type;

	if (!elf_file_has_debug_info(elf))
		return;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (!dwarf_attr(&die, DW_AT_producer, &attribute))
			continue;
		/* that of the shared debug file is not looked for */
		if (dwarf_whatform(&attribute) == DW_FORM_GNU_strp_alt ||
		    dwarf_whatform(&attribute) == DW_FORM_strp_sup)
			continue;
		producer = dwarf_formstring(&attribute);
		if (producer)
			visit(producer, context);
	}
	if (dwarf)
		dwarf_end(dwarf);
}
