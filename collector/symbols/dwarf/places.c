/* SPDX-License-Identifier: MIT */
/*
 * The line tables of the units that were asked about. Must not keep pointers to tables:
 * the array moves as it grows.
 */
#include "collector/symbols/dwarf/places.h"

#include <dwarf.h>
#include <stdlib.h>

#include "collector/symbols/elf.h"

void places_open(struct places *places, struct strings *strings, struct debug_text *text,
		 struct budget *budget)
{
	*places = (struct places){.strings = strings, .text = text, .budget = budget};
}

void places_close(struct places *places)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		line_table_close(&places->tables[i].lines);
	free(places->tables);
}

const char *places_directory(struct places *places, Dwarf_Die *root)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(root, DW_AT_comp_dir, &attribute))
		return NULL;
	return debug_text_get(places->text, &attribute);
}

static struct section_bytes bytes_of(Elf *elf, const char *name)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, 0, name, &header);
	const Elf_Data *data = section ? elf_file_data(section) : NULL;

	if (!data)
		return (struct section_bytes){(const uint8_t *)"", 0};
	return (struct section_bytes){data->d_buf, data->d_size};
}

/* The unit's table, which a .dwo file has for its names of files only. */
static void open_table(struct places *places, Dwarf_Die *root, const char *directory,
		       struct line_table *ret)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(root->cu));
	const char *own_directory = places_directory(places, root);
	struct line_sections sections;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (dwarf_attr(root, DW_AT_stmt_list, &attribute) &&
	    dwarf_formudata(&attribute, &offset) == 0) {
		sections.line = bytes_of(elf, ".debug_line");
		sections.strings = bytes_of(elf, ".debug_str");
	} else {
		offset = 0;
		sections.line = bytes_of(elf, ".debug_line.dwo");
		sections.strings = bytes_of(elf, ".debug_str.dwo");
	}
	sections.line_strings = bytes_of(elf, ".debug_line_str");
	line_table_open(ret, &sections, offset, own_directory ? own_directory : directory,
			places->strings, places->budget);
}

/* The table of the unit; NULL when memory is short. Valid until the next call. */
static struct line_table *table_of(struct places *places, Dwarf_Die *root,
				   const char *directory)
{
	size_t capacity = places->capacity ? places->capacity * 2 : 8, i;
	struct place_table *larger;

	if (places->count && places->tables[places->last].unit == root->cu)
		return &places->tables[places->last].lines;
	for (i = 0; i < places->count; i++) {
		if (places->tables[i].unit == root->cu) {
			places->last = i;
			return &places->tables[i].lines;
		}
	}
	if (places->count == places->capacity) {
		if (!budget_take_memory(places->budget, capacity * sizeof(*larger)))
			return NULL;
		larger = reallocarray(places->tables, capacity, sizeof(*larger));
		if (!larger)
			return NULL;
		places->tables = larger;
		places->capacity = capacity;
	}
	places->last = places->count++;
	places->tables[places->last].unit = root->cu;
	open_table(places, root, directory, &places->tables[places->last].lines);
	return &places->tables[places->last].lines;
}

struct place places_told(struct places *places, Dwarf_Attribute *file,
			 Dwarf_Attribute *line, const char *directory)
{
	struct place place = {NULL, 0};
	Dwarf_Word file_number, line_number;
	struct line_table *table;
	Dwarf_Die root;

	if (dwarf_formudata(line, &line_number) != 0 || !line_number ||
	    line_number > UINT32_MAX || dwarf_formudata(file, &file_number) != 0 ||
	    !dwarf_cu_die(file->cu, &root, NULL, NULL, NULL, NULL, NULL, NULL))
		return place;
	table = table_of(places, &root, directory);
	place.file = table ? line_table_file(table, file_number) : NULL;
	place.line = place.file ? (uint32_t)line_number : 0;
	return place;
}

/* Of the budget, for a wish about a path: it may be looked at from each of its slashes
 * on, and a file names as many paths as it likes, of thousands of slashes. */
static uint64_t entries_of(const char *path)
{
	uint64_t length = 0, slash_count = 0;

	for (; path[length]; length++)
		slash_count += path[length] == '/';
	return 8 + length * slash_count / 64;
}

bool places_have(struct places *places, Dwarf_Die *root, const struct place_wish *wish)
{
	struct line_table *table = table_of(places, root, NULL);
	const char *file;

	for (size_t i = 0; table && i < line_table_files(table); i++) {
		file = line_table_file(table, i);
		if (!budget_take(places->budget, file ? entries_of(file) : 1))
			return false;
		if (file && wish->has(wish->context, file))
			return true;
	}
	return false;
}

struct place places_at(struct places *places, Dwarf_Die *root, uint64_t address)
{
	struct line_table *table = table_of(places, root, NULL);
	struct place place = {NULL, 0};

	if (!table || !line_table_find(table, address, &place.file, &place.line))
		return (struct place){NULL, 0};
	return place;
}
