/* SPDX-License-Identifier: MIT */
/*
 * Files and lines through libdw; address ranges; and the other files that debug
 * information names, checked before libdw opens them. Must not wait or ask a server.
 */
#include "collector/symbols/places.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/strings.h"
#include "common/base/xalloc.h"
#include "common/places.h"

/* Ranges may overlap a little (functions folded by the linker): tries this many. */
#define LOOK_BACK 16

void ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t item)
{
	ARRAY_ADD(ranges->entries, ranges->count) = (struct range){low, high, item};
}

/* Of ranges with the same start the longest comes first. */
static int compare_ranges(const void *a_range, const void *b_range)
{
	const struct range *a = a_range, *b = b_range;

	return ORDER_BY(a, b, low) ?: ORDER_BY(b, a, high) ?: ORDER_BY(a, b, item);
}

void ranges_sort(struct ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->entries, ranges->count, sizeof(*ranges->entries),
		      compare_ranges);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = COUNT_BEFORE(ranges->count, i, ranges->entries[i].low <= address),
	       steps;

	for (steps = 0; low-- > 0 && steps < LOOK_BACK; steps++)
		if (address < ranges->entries[low].high)
			return &ranges->entries[low];
	return NULL;
}

const char *places_directory(Dwarf_Die *root)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(root, DW_AT_comp_dir, &attribute));
}

/* Units without a line table are no failure. */
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

/* libdw prefixes the directory, except one that is relative to the compilation directory.
 * For a unit without a compilation directory it makes "/name". */
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

struct source_place places_told(struct places *places, Dwarf_Attribute *file,
				Dwarf_Attribute *line, const char *directory)
{
	struct source_place place = {NULL, 0};
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

bool places_have(struct places *places, Dwarf_Die *root, const struct source_wish *wish)
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
	size_t low =
		COUNT_BEFORE(count, i, address_of(dwarf_onesrcline(lines, i)) <= address);
	Dwarf_Line *row;
	int line = 0;

	/* line 0: the compiler did not know; use the row before */
	while (low-- > 0) {
		row = dwarf_onesrcline(lines, low);
		if (ends_sequence(row))
			return NULL;
		if (dwarf_lineno(row, &line) == 0 && line > 0)
			return row;
	}
	return NULL;
}

struct source_place places_at(struct places *places, Dwarf_Die *root, uint64_t address)
{
	struct source_place place = {NULL, 0};
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

/*
 * The other files that debug information names: the one shared with other programs
 * (.gnu_debugaltlink) and those beside the objects (.dwo). Must check a path before libdw
 * opens it, which would hang on a fifo.
 */

#define DEBUG_DIRECTORY "/usr/lib/debug/"

/* The smallest file in which libdw finds debug information: one section that contains
 * nothing to refer to. */
struct empty_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[32];
};

static const struct empty_file empty_file = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				    ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_shoff = offsetof(struct empty_file, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3,
			.e_shstrndx = 1,
		},
	.sections =
		{
			{.sh_type = SHT_NULL},
			{.sh_name = 1,
			 .sh_type = SHT_STRTAB,
			 .sh_offset = offsetof(struct empty_file, names),
			 .sh_size = sizeof(((struct empty_file *)0)->names),
			 .sh_addralign = 1},
			{.sh_name = 11,
			 .sh_type = SHT_PROGBITS,
			 .sh_offset = offsetof(struct empty_file, names),
			 .sh_size = 1,
			 .sh_addralign = 1},
		},
	.names = "\0.shstrtab\0.debug_line",
};

static Dwarf *open_empty(void)
{
	Elf *elf = elf_memory(
		memcpy(xmalloc(sizeof(empty_file)), &empty_file, sizeof(empty_file)),
		sizeof(empty_file));

	return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

static bool open_shared_file(const char *name, const void *build_id, size_t size,
			     struct elf_file *ret)
{
	if (!size)
		return false;
	if (elf_file_open_by_build_id(build_id, size, ret) == 0)
		return true;
	if (strncmp(name, DEBUG_DIRECTORY, strlen(DEBUG_DIRECTORY)) != 0 ||
	    strstr(name, "/../") || elf_file_open(name, ret) < 0)
		return false;
	if (elf_file_has_build_id(ret->elf, build_id, size))
		return true;
	elf_file_close(ret);
	return false;
}

void linked_shared_find(Dwarf *dwarf)
{
	struct elf_file file = ELF_FILE_NONE;
	const void *build_id = NULL;
	const char *name = NULL;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id);
	Dwarf *shared = NULL;

	if (size == 0)
		return;
	if (size > 0 && open_shared_file(name, build_id, (size_t)size, &file) &&
	    elf_file_map(&file) == 0)
		shared = dwarf_begin_elf(file.elf, DWARF_C_READ, NULL);
	if (!shared)
		shared = open_empty();
	if (shared)
		dwarf_setalt(dwarf, shared);
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

static bool is_elf(const char *path)
{
	struct elf_file file;

	if (elf_file_open(path, &file) < 0)
		return false;
	elf_file_close(&file);
	return true;
}

bool linked_split_fits(Dwarf_Die *root)
{
	const char *name = text_of(root, DW_AT_dwo_name), *directory = NULL;
	char path[PATH_MAX], real[PATH_MAX];
	int length;

	if (!name)
		name = text_of(root, DW_AT_GNU_dwo_name);
	if (name && name[0] != '/')
		directory = text_of(root, DW_AT_comp_dir);
	if (!name || (name[0] != '/' && !directory))
		return false;
	length = snprintf(path, sizeof(path), "%s%s%s", directory ? directory : "",
			  directory ? "/" : "", name);
	/* libdw reopens it by name, which is safe: nobody else can have exchanged it */
	return length > 0 && (size_t)length < sizeof(path) && path[0] == '/' &&
	       own_path_find(path, geteuid(), real, sizeof(real)) == 0 && is_elf(real);
}
