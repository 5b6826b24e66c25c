/* SPDX-License-Identifier: MIT */
/* The checks around dwarf_formstring(). Must not copy. */
#include "collector/symbols/dwarf/text.h"

#include <dwarf.h>
#include <string.h>

#include "collector/symbols/elf.h"

bool debug_text_fits(Elf *elf)
{
	static const char *const names[] = {".debug_str", ".debug_line_str",
					    ".debug_str.dwo"};
	const Elf_Data *data;
	Elf64_Shdr header;
	Elf_Scn *section;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		section = elf_file_section(elf, 0, names[i], &header);
		data = section ? elf_file_data(section) : NULL;
		if (data && ((const char *)data->d_buf)[data->d_size - 1] != '\0')
			return false;
	}
	return true;
}

static void look_at(struct debug_text *text, Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	const Elf_Data *data;
	Elf64_Shdr header;
	Elf_Scn *section;

	*text = (struct debug_text){.dwarf = dwarf, .usable = debug_text_fits(elf)};
	section = elf_file_section(elf, 0, ".debug_info", &header);
	if (!section)
		section = elf_file_section(elf, 0, ".debug_info.dwo", &header);
	data = section ? elf_file_data(section) : NULL;
	if (!data)
		return;
	text->start = data->d_buf;
	text->end = text->start + data->d_size;
}

const char *debug_text_get(struct debug_text *text, Dwarf_Attribute *attribute)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(attribute->cu);
	unsigned int form = dwarf_whatform(attribute);
	const char *string;

	if (form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt)
		dwarf = dwarf_getalt(dwarf);
	if (!dwarf)
		return NULL;
	if (dwarf != text->dwarf)
		look_at(text, dwarf);
	string = text->usable ? dwarf_formstring(attribute) : NULL;
	/* within .debug_info itself (an odd .debug_types is not looked into) */
	if (string && form == DW_FORM_string &&
	    (string < text->start || string >= text->end ||
	     !memchr(string, '\0', (size_t)(text->end - string))))
		return NULL;
	return string;
}
