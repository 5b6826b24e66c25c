/* SPDX-License-Identifier: MIT */
/* Files and lines through libdw, which reads the table of a unit once. */
#include "collector/symbols/dwarf/places.h"

#include <dwarf.h>
#include <string.h>

const char *places_directory(Dwarf_Die *root)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(root, DW_AT_comp_dir, &attribute));
}

/* Some units have none. */
static bool note_failure(struct places *places, Dwarf_Die *root)
{
	places->is_cut |= dwarf_hasattr(root, DW_AT_stmt_list) != 0;
	return false;
}

static bool files_of(struct places *places, Dwarf_Die *root, Dwarf_Files **ret,
		     size_t *ret_count)
{
	return dwarf_getsrcfiles(root, ret, ret_count) == 0 || note_failure(places, root);
}

static bool lines_of(struct places *places, Dwarf_Die *root, Dwarf_Lines **ret,
		     size_t *ret_count)
{
	return dwarf_getsrclines(root, ret, ret_count) == 0 || note_failure(places, root);
}

/* libdw puts the directory before the name, but for one that is relative to that of the
 * compilation. Of a unit that does not say where it was compiled it makes "/name". */
static const char *file_name(struct strings *strings, Dwarf_Files *files, size_t number,
			     const char *own_directory, const char *directory)
{
	const char *name = dwarf_filesrc(files, number, NULL, NULL);
	size_t length = own_directory ? strlen(own_directory) : 0;

	if (!name || strcmp(name, "???") == 0)
		return NULL;
	if (!own_directory && directory && strrchr(name, '/') == name)
		name++;
	if (length && strncmp(name, own_directory, length) == 0 && name[length] == '/')
		return strings_path(strings, NULL, NULL, name);
	return strings_path(strings, NULL, own_directory ? own_directory : directory,
			    name);
}

struct place places_told(struct places *places, Dwarf_Attribute *file,
			 Dwarf_Attribute *line, const char *directory)
{
	struct place place = {NULL, 0};
	Dwarf_Word file_number, line_number;
	Dwarf_Files *files;
	Dwarf_Die root;
	size_t count;

	if (dwarf_formudata(line, &line_number) != 0 || !line_number ||
	    line_number > UINT32_MAX || dwarf_formudata(file, &file_number) != 0 ||
	    !dwarf_cu_die(file->cu, &root, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    !files_of(places, &root, &files, &count) || file_number >= count)
		return place;
	place.file = file_name(places->strings, files, file_number,
			       places_directory(&root), directory);
	place.line = place.file ? (uint32_t)line_number : 0;
	return place;
}

bool places_have(struct places *places, Dwarf_Die *root, const struct place_wish *wish)
{
	const char *directory = places_directory(root), *file;
	Dwarf_Files *files;
	size_t count;

	if (!files_of(places, root, &files, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		file = file_name(places->strings, files, i, directory, NULL);
		if (file && wish->has(wish->context, file))
			return true;
	}
	return false;
}

static Dwarf_Addr address_of(Dwarf_Line *row)
{
	Dwarf_Addr address = 0;

	(void)dwarf_lineaddr(row, &address);
	return address;
}

static bool ends_sequence(Dwarf_Line *row)
{
	bool is_end = false;

	(void)dwarf_lineendsequence(row, &is_end);
	return is_end;
}

uint64_t places_dropped_end(struct places *places, Dwarf_Die *root, uint64_t low,
			    const struct ranges *code)
{
	const struct range *range;
	Dwarf_Addr address;
	Dwarf_Lines *lines;
	Dwarf_Line *row;
	size_t count;
	uint64_t end = 0;

	if (!lines_of(places, root, &lines, &count) || !count ||
	    address_of(dwarf_onesrcline(lines, 0)) >= low)
		return 0;
	for (size_t i = 0; i < count; i++) {
		row = dwarf_onesrcline(lines, i);
		address = address_of(row);
		if (!ends_sequence(row) || address <= low)
			continue;
		range = ranges_find(code, address - 1);
		if (!range || range->high != address)
			end = address;
	}
	return end;
}

/* The last row at or before the address; NULL: none. */
static Dwarf_Line *find_row(Dwarf_Lines *lines, size_t count, uint64_t address)
{
	size_t low = 0, high = count, middle;
	Dwarf_Line *row;
	int line = 0;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (address_of(dwarf_onesrcline(lines, middle)) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* line 0: the compiler could not tell; the row before is the best guess */
	while (low-- > 0) {
		row = dwarf_onesrcline(lines, low);
		if (ends_sequence(row))
			return NULL;
		if (dwarf_lineno(row, &line) == 0 && line > 0)
			return row;
	}
	return NULL;
}

struct place places_at(struct places *places, Dwarf_Die *root, uint64_t address)
{
	struct place place = {NULL, 0};
	Dwarf_Lines *lines;
	Dwarf_Files *files;
	Dwarf_Line *row;
	size_t count, number;
	int line;

	if (!lines_of(places, root, &lines, &count))
		return place;
	row = find_row(lines, count, address);
	if (!row || dwarf_line_file(row, &files, &number) != 0 ||
	    dwarf_lineno(row, &line) != 0)
		return place;
	place.file =
		file_name(places->strings, files, number, places_directory(root), NULL);
	place.line = place.file ? (uint32_t)line : 0;
	return place;
}
