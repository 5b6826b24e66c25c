/* SPDX-License-Identifier: MIT */
/* What this is: see lookup.h. */
#include "lookup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

const char *fixture(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", FIXTURE_DIR, name);
	return path;
}

int fixture_exists(const char *name)
{
	return access(fixture(name), R_OK) == 0;
}

static Elf *open_elf(const char *file, int *ret_fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	*ret_fd = open(fixture(file), O_RDONLY);
	assert_true(*ret_fd >= 0);
	elf = elf_begin(*ret_fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	return elf;
}

static int is_name(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 &&
	       (name[length] == '\0' || name[length] == '.');
}

static GElf_Sym find_symbol(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			if (is_name(elf_strptr(elf, header.sh_link, symbol.st_name),
				    wanted) &&
			    GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
				return symbol;
	}
	fail_msg("no symbol %s", wanted);
	return symbol;
}

uint64_t address_of(const char *file, const char *symbol)
{
	int fd;
	Elf *elf = open_elf(file, &fd);
	uint64_t address = find_symbol(elf, symbol).st_value;

	elf_end(elf);
	close(fd);
	return address;
}

/* The bytes of a function, through the section that holds it. */
static const unsigned char *code_of(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	GElf_Shdr header;

	gelf_getshdr(section, &header);
	return (const unsigned char *)elf_getdata(section, NULL)->d_buf +
	       symbol->st_value - header.sh_addr;
}

uint64_t return_address_of(const char *file, const char *caller, const char *callee)
{
	int fd;
	Elf *elf = open_elf(file, &fd);
	GElf_Sym from = find_symbol(elf, caller), to = find_symbol(elf, callee);
	const unsigned char *code = code_of(elf, &from);
	uint64_t found = 0;
	int32_t distance;

	for (uint64_t i = 0; i + 5 <= from.st_size && !found; i++) {
		memcpy(&distance, code + i + 1, sizeof(distance));
		if (code[i] == 0xe8 &&
		    from.st_value + i + 5 + (uint64_t)distance == to.st_value)
			found = from.st_value + i + 5;
	}
	elf_end(elf);
	close(fd);
	assert_true(found);
	return found;
}

uint32_t line_of(const char *source, const char *mark)
{
	char path[4096], wanted[128], line[512];
	uint32_t number = 0, found = 0;
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", SOURCE_DIR, source);
	snprintf(wanted, sizeof(wanted), "at: %s", mark);
	file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file)) {
		number++;
		at = strstr(line, wanted);
		if (at && strchr(" \n", at[strlen(wanted)]) &&
		    strcspn(at + strlen(wanted), "abcdefghijklmnopqrstuvwxyz") >=
			    strlen(at + strlen(wanted)))
			found = number;
	}
	fclose(file);
	assert_true(found);
	return found;
}

size_t build_id_of(const char *file, uint8_t *ret, size_t capacity)
{
	int fd;
	Elf *elf = open_elf(file, &fd);
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	assert_true(size > 0 && (size_t)size <= capacity);
	memcpy(ret, bytes, (size_t)size);
	elf_end(elf);
	close(fd);
	return (size_t)size;
}

struct segment_module file_at(const char *path, const uint8_t *build_id, size_t size)
{
	struct segment_module file = {.build_id_size = (uint32_t)size};
	struct stat info;

	snprintf(file.path, sizeof(file.path), "%s", path);
	if (size)
		memcpy(file.build_id, build_id, size);
	if (size || stat(path, &info) < 0)
		return file;
	file.device = info.st_dev;
	file.inode = info.st_ino;
	file.size_bytes = (uint64_t)info.st_size;
	file.mtime_ns = info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
	return file;
}

struct segment_module module_of(const char *name)
{
	return file_at(fixture(name), NULL, 0);
}
