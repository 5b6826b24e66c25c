/* SPDX-License-Identifier: MIT */
/* Looking at files before libdw opens them. Must not wait, or ask a server. */
#include "collector/symbols/dwarf/linked.h"

#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "collector/symbols/dwarf/units.h"
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

static Dwarf *open_empty(struct elf_file *ret)
{
	ret->memory = malloc(sizeof(empty_file));
	if (!ret->memory)
		return NULL;
	memcpy(ret->memory, &empty_file, sizeof(empty_file));
	ret->elf = elf_memory(ret->memory, sizeof(empty_file));
	return ret->elf ? dwarf_begin_elf(ret->elf, DWARF_C_READ, NULL) : NULL;
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

/* What is open in file, when its debug information can be used. */
static Dwarf *begin_shared(struct elf_file *file, struct budget *budget)
{
	Dwarf *dwarf;

	if (!elf_file_unpacks(file->elf) || elf_file_read_whole(file) < 0)
		return NULL;
	dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (dwarf && !units_fit(dwarf, budget)) {
		dwarf_end(dwarf);
		dwarf = NULL;
	}
	return dwarf;
}

void linked_shared_open(Dwarf *dwarf, struct budget *budget, struct linked_shared *ret)
{
	const void *build_id = NULL;
	const char *name = NULL;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id);

	*ret = (struct linked_shared){ELF_FILE_NONE, NULL};
	if (size == 0)
		return;
	if (size > 0 && open_shared_file(name, build_id, (size_t)size, &ret->file))
		ret->dwarf = begin_shared(&ret->file, budget);
	if (!ret->dwarf) {
		elf_file_close(&ret->file);
		ret->dwarf = open_empty(&ret->file);
	}
	if (ret->dwarf)
		dwarf_setalt(dwarf, ret->dwarf);
}

void linked_shared_close(struct linked_shared *shared)
{
	if (shared->dwarf)
		dwarf_end(shared->dwarf);
	elf_file_close(&shared->file);
	shared->dwarf = NULL;
}

static const char *text_of(struct debug_text *text, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? debug_text_get(text, &attribute)
						 : NULL;
}

static bool is_sound(const char *path, struct budget *budget)
{
	struct elf_file file;
	Dwarf *dwarf;
	bool fits;

	if (elf_file_open(path, &file) < 0)
		return false;
	dwarf = begin_shared(&file, budget);
	fits = dwarf != NULL;
	dwarf_end(dwarf);
	elf_file_close(&file);
	return fits;
}

bool linked_split_fits(Dwarf_Die *root, struct debug_text *text, struct budget *budget)
{
	const char *name = text_of(text, root, DW_AT_dwo_name), *directory = NULL;
	char path[PATH_MAX], real[PATH_MAX];
	int length;

	if (!name)
		name = text_of(text, root, DW_AT_GNU_dwo_name);
	if (name && name[0] != '/')
		directory = text_of(text, root, DW_AT_comp_dir);
	if (!name || (name[0] != '/' && !directory))
		return false;
	length = snprintf(path, sizeof(path), "%s%s%s", directory ? directory : "",
			  directory ? "/" : "", name);
	/* libdw opens it by its name again: nobody else can have exchanged it */
	return length > 0 && (size_t)length < sizeof(path) && path[0] == '/' &&
	       own_path_find(path, geteuid(), real, sizeof(real)) == 0 &&
	       is_sound(real, budget);
}
