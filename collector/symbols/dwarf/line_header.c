/* SPDX-License-Identifier: MIT */
/*
 * The header of a DWARF line program and its lists of files. Must not allocate by a
 * count that the file gives.
 */
#include "collector/symbols/dwarf/line_header.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of columns that a DWARF 5 list may have at most; it has 1 to 5. */
#define COLUMN_LIMIT 16

bool line_header_read(const struct line_table *table, struct line_header *ret)
{
	const struct section_bytes *line = &table->sections.line;
	struct cursor cursor = {line->bytes, line->bytes + line->size, false};
	uint64_t length;

	memset(ret, 0, sizeof(*ret));
	cursor_skip(&cursor, table->offset);
	ret->offset_size = 4;
	length = cursor_number(&cursor, 4);
	if (length == 0xffffffff) {
		ret->offset_size = 8;
		length = cursor_number(&cursor, 8);
	}
	if (!cursor_has(&cursor, length))
		return false;
	cursor.end = cursor.at + length;
	ret->version = (uint16_t)cursor_number(&cursor, 2);
	if (ret->version < 2 || ret->version > 5)
		return false;
	if (ret->version >= 5)
		cursor_skip(&cursor, 2); /* sizes of address and segment selector */
	length = cursor_number(&cursor, ret->offset_size);
	if (!cursor_has(&cursor, length))
		return false;
	ret->program = (struct cursor){cursor.at + length, cursor.end, false};
	cursor.end = cursor.at + length;
	ret->minimum_instruction = (uint8_t)cursor_number(&cursor, 1);
	if (ret->version >= 4)
		cursor_skip(&cursor,
			    1);	 /* operations per instruction, of VLIW machines */
	cursor_skip(&cursor, 1); /* default_is_stmt */
	ret->line_base = (int8_t)cursor_number(&cursor, 1);
	ret->line_range = (uint8_t)cursor_number(&cursor, 1);
	ret->opcode_base = (uint8_t)cursor_number(&cursor, 1);
	ret->operand_counts = cursor.at;
	if (!ret->opcode_base || !ret->line_range)
		return false;
	cursor_skip(&cursor, ret->opcode_base - 1u);
	ret->lists = cursor;
	return !cursor.failed;
}

/* Appends one element. The capacity is the count's next power of two. */
static bool append_file(struct line_table *table, const char *name, const char *directory)
{
	size_t count = table->file_count;
	struct line_file *larger;

	if (!budget_take(table->budget, 1))
		return false;
	if (!(count & (count - 1))) {
		if (!budget_take_memory(table->budget, count * 2 * sizeof(*larger)))
			return false;
		larger = reallocarray(table->files, count ? count * 2 : 1,
				      sizeof(*larger));
		if (!larger)
			return false;
		table->files = larger;
	}
	table->files[table->file_count++] = (struct line_file){name, directory, NULL};
	return true;
}

/* The directories' names while the files are read. */
struct names {
	const char **entries;
	size_t count;
};

static bool append_name(struct names *names, const char *name, struct budget *budget)
{
	size_t count = names->count;
	const char **larger;

	if (!budget_take(budget, 1))
		return false;
	if (!(count & (count - 1))) {
		if (!budget_take_memory(budget, count * 2 * sizeof(*larger)))
			return false;
		larger = reallocarray(names->entries, count ? count * 2 : 1,
				      sizeof(*larger));
		if (!larger)
			return false;
		names->entries = larger;
	}
	names->entries[names->count++] = name;
	return true;
}

static const char *name_at(const struct names *names, uint64_t number)
{
	return number < names->count ? names->entries[number] : NULL;
}

/* Versions 2 to 4: lists that an empty name ends. Both are counted from 1; directory 0 is
 * that of the compilation and file 0 is none. */
static void read_old_lists(struct line_table *table, struct cursor *lists)
{
	struct names directories = {NULL, 0};
	const char *name;
	uint64_t directory;
	bool fits = append_name(&directories, NULL, table->budget) &&
		    append_file(table, NULL, NULL);

	while (fits && (name = cursor_string(lists))[0])
		fits = append_name(&directories, name, table->budget);
	while (fits && (name = cursor_string(lists))[0]) {
		directory = cursor_uleb(lists);
		(void)cursor_uleb(lists); /* time of change */
		(void)cursor_uleb(lists); /* size */
		fits = append_file(table, name, name_at(&directories, directory));
	}
	free(directories.entries);
}

struct column {
	uint64_t content, form;
};

static size_t read_columns(struct cursor *lists, struct column *ret)
{
	size_t count = cursor_number(lists, 1), i;

	if (count > COLUMN_LIMIT) {
		lists->failed = true;
		return 0;
	}
	for (i = 0; i < count; i++) {
		ret[i].content = cursor_uleb(lists);
		ret[i].form = cursor_uleb(lists);
	}
	return count;
}

/* The names of files: those that no file can have count as empty, so that what a list
 * costs does not grow with what it points to. */
static const char *string_at(const struct section_bytes *section, uint64_t offset)
{
	struct cursor cursor = {section->bytes, section->bytes + section->size, false};

	cursor_skip(&cursor, offset);
	if (cursor.end - cursor.at > PATH_MAX)
		cursor.end = cursor.at + PATH_MAX;
	return cursor_string(&cursor);
}

/* One value: a string in *ret_name or a number in *ret_number. */
static void read_value(const struct line_table *table, const struct line_header *header,
		       struct cursor *lists, uint64_t form, const char **ret_name,
		       uint64_t *ret_number)
{
	switch (form) {
	case DW_FORM_string:
		*ret_name = cursor_string(lists);
		break;
	case DW_FORM_line_strp:
		*ret_name = string_at(&table->sections.line_strings,
				      cursor_number(lists, header->offset_size));
		break;
	case DW_FORM_strp:
		*ret_name = string_at(&table->sections.strings,
				      cursor_number(lists, header->offset_size));
		break;
	case DW_FORM_udata:
		*ret_number = cursor_uleb(lists);
		break;
	case DW_FORM_data1:
		*ret_number = cursor_number(lists, 1);
		break;
	case DW_FORM_data2:
		*ret_number = cursor_number(lists, 2);
		break;
	case DW_FORM_data4:
		*ret_number = cursor_number(lists, 4);
		break;
	case DW_FORM_data8:
		*ret_number = cursor_number(lists, 8);
		break;
	case DW_FORM_data16: /* MD5 */
		cursor_skip(lists, 16);
		break;
	case DW_FORM_block:
		cursor_skip(lists, cursor_uleb(lists));
		break;
	default: /* its size is not known */
		lists->failed = true;
	}
}

/* Directory 0 is that of the compilation, from which relative ones are reckoned: it must
 * not be reckoned from itself when it is relative. */
static bool is_starting_point(const struct line_table *table, const struct names *names,
			      const char *name)
{
	return !names->count && table->directory && name &&
	       strcmp(name, table->directory) == 0;
}

/* One list of version 5: of directories, or, with these given, of files. */
static bool read_list(struct line_table *table, const struct line_header *header,
		      struct cursor *lists, struct names *directories, bool is_files)
{
	struct column columns[COLUMN_LIMIT];
	size_t column_count = read_columns(lists, columns), i;
	uint64_t count = cursor_uleb(lists), number, directory;
	const char *text, *name;
	bool fits = column_count > 0;

	while (fits && count-- > 0 && !lists->failed) {
		name = NULL;
		directory = 0;
		for (i = 0; i < column_count; i++) {
			text = NULL;
			number = 0;
			read_value(table, header, lists, columns[i].form, &text, &number);
			if (columns[i].content == DW_LNCT_path)
				name = text;
			else if (columns[i].content == DW_LNCT_directory_index)
				directory = number;
		}
		if (lists->failed)
			break;
		if (is_files)
			fits = append_file(table, name, name_at(directories, directory));
		else
			fits = append_name(
				directories,
				is_starting_point(table, directories, name) ? NULL : name,
				table->budget);
	}
	return fits && !lists->failed;
}

void line_header_read_files(struct line_table *table, struct line_header *header)
{
	struct names directories = {NULL, 0};

	if (header->version < 5) {
		read_old_lists(table, &header->lists);
		return;
	}
	if (read_list(table, header, &header->lists, &directories, false))
		(void)read_list(table, header, &header->lists, &directories, true);
	free(directories.entries);
}
