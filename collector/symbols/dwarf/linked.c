/* SPDX-License-Identifier: MIT */
/* Looking at files before libdw opens them. Must not wait, or ask a server. */
#include "collector/symbols/dwarf/linked.h"

#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "collector/symbols/elf.h"
#include "common/base/xalloc.h"
#include "common/places/own_path.h"

#define DEBUG_DIRECTORY "/usr/lib/debug/"

/* The smallest file in which libdw finds debug information: one section, and nothing in
 * it that anything could refer to. */
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
	/* libdw opens it by its name again: nobody else can have exchanged it */
	return length > 0 && (size_t)length < sizeof(path) && path[0] == '/' &&
	       own_path_find(path, geteuid(), real, sizeof(real)) == 0 && is_elf(real);
}
