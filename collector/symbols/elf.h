/* SPDX-License-Identifier: MIT */
/*
 * Opening ELF files that may be damaged, gone or not what they were, and finding the
 * files that hold their separate debug information. Must not touch the network (no
 * debuginfod) or trust a size in the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

struct elf_file {
	int fd; /* -1: not open, or in memory */
	Elf *elf;
	void *memory;
};

#define ELF_FILE_NONE ((struct elf_file){-1, NULL, NULL})

/* Opens a regular file that starts like a 64-bit ELF file of this machine's byte order.
 * 0, -ENOENT and the like, or -ENOEXEC when it is something else. */
int elf_file_open(const char *path, struct elf_file *ret);
void elf_file_close(struct elf_file *file);

/* Reopens the open file as a mapping, which is best for reading its debug information in
 * a confined child. Whatever came from file->elf becomes invalid. 0, or -errno and the
 * file is unchanged. */
int elf_file_map(struct elf_file *file);

/* The section of this type or, with type 0, of this name; NULL: none. */
Elf_Scn *elf_file_section(Elf *elf, uint32_t type, const char *name, Elf64_Shdr *ret);

/* The section's bytes, unpacked if needed; NULL: the file has none. */
Elf_Data *elf_file_data(Elf_Scn *section);

/* The string section with this index if all its strings end, else NULL. */
const Elf_Data *elf_file_strings(Elf *elf, size_t index);

/* The hook that instrumented functions call on entry. */
#define ELF_HOOK "__cyg_profile_func_enter"

/* Iterates over the symbols of a section. */
struct elf_symbols {
	const Elf_Data *data, *names;
	size_t count, next;
};

/* Begins with the section of this type; false: none, or names without an end. */
bool elf_symbols_open(struct elf_symbols *ret, Elf *elf, uint32_t type);
/* The next symbol and its name, which may be empty; NULL: no more. */
const char *elf_symbols_next(struct elf_symbols *symbols, Elf64_Sym *ret);
/* Is this the symbol's name, with or without a version? */
bool elf_symbol_is(const char *found, const char *name);

bool elf_file_has_debug_info(Elf *elf);

/* Whether the file carries exactly this build-id; true when size is 0. */
bool elf_file_has_build_id(Elf *elf, const uint8_t *build_id, size_t size);

/* Executable code lies in [*ret_low, *ret_high). false: there is none. */
bool elf_file_code_range(Elf *elf, uint64_t *ret_low, uint64_t *ret_high);

/* Opens the debug file of this build-id below /usr/lib/debug/.build-id. 0 or -ENOENT. */
int elf_file_open_by_build_id(const uint8_t *build_id, size_t size, struct elf_file *ret);

/* Opens the separate debug file of elf, whose path this is: by build-id below
 * /usr/lib/debug/.build-id, then by .gnu_debuglink beside the file, in .debug/ beside it,
 * and below /usr/lib/debug. 0 or -ENOENT. */
int elf_file_open_debug(Elf *elf, const char *path, struct elf_file *ret);

/* Opens the small symbol table that some distributions leave in a stripped file
 * (.gnu_debugdata, an ELF file packed with xz). 0, -ENOENT, -ENOMEM. */
int elf_file_open_mini(Elf *elf, struct elf_file *ret);
