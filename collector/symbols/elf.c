/* SPDX-License-Identifier: MIT */
/*
 * Opens ELF files through libelf, with their separate debug files. Must not use libdwfl's
 * search, which may ask a server.
 */
#include "collector/symbols/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <lzma.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"

/* Larger files are mapped. A mapped file that somebody shortens meanwhile kills the
 * reader with SIGBUS. */
#define READ_LIMIT_BYTES (64 << 20)

/* Unpacked size of .gnu_debugdata: real ones are below 1 MB. */
#define MINI_LIMIT_BYTES (64u << 20)

/* Unpacked size of a section: zlib makes 1 GB of 1 MB. */
#define UNPACKED_LIMIT_BYTES (UINT64_C(512) << 20)

/* A debug file without a build-id is read through once for its checksum. */
#define CHECKSUM_LIMIT_BYTES (INT64_C(1) << 30)

/* libelf allocates as many sections as the file claims; real programs have dozens. */
#define SECTION_LIMIT 65536
#define SEGMENT_LIMIT 4096

static bool header_fits(const unsigned char *ident)
{
	return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
	       ident[EI_DATA] == ELFDATA2LSB;
}

/* A section count that does not fit into the header is in the first section. */
static bool has_few_sections(int fd)
{
	Elf64_Ehdr header;
	Elf64_Shdr first;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	if (header.e_shnum || !header.e_shoff)
		return true;
	return pread(fd, &first, sizeof(first), (off_t)header.e_shoff) != sizeof(first) ||
	       first.sh_size <= SECTION_LIMIT;
}

/* Opens a plain file. A path from a damaged file or a lying program may name a device,
 * which must not even be opened, or a fifo. Returns a descriptor or -errno. */
static int open_plain(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int found = open(path, O_PATH | O_CLOEXEC), fd;
	struct stat info;
	char link[32];

	if (found < 0)
		return -errno;
	if (fstat(found, &info) < 0 || !S_ISREG(info.st_mode)) {
		close(found);
		return -ENOEXEC;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	fd = open(link, flags);
	if (fd < 0 && errno == ENOENT) /* no /proc */
		fd = open(path, flags);
	if (fd < 0)
		fd = -errno;
	close(found);
	return fd;
}

/* Do all section names end? libelf searches each name's end from the end of its table:
 * with 64 MiB without a NUL and 65,536 sections that takes forever. */
static bool names_end(Elf *elf)
{
	Elf_Scn *section;
	Elf64_Shdr header;
	const Elf_Data *names;
	size_t index;

	if (elf_getshdrstrndx(elf, &index) < 0 || !(section = elf_getscn(elf, index)) ||
	    !gelf_getshdr(section, &header))
		return true; /* nothing has a name */
	if (header.sh_flags & SHF_COMPRESSED)
		return false;
	names = elf_getdata(section, NULL);
	return !names || !names->d_buf || !names->d_size ||
	       ((const char *)names->d_buf)[names->d_size - 1] == '\0';
}

int elf_file_open(const char *path, struct elf_file *ret)
{
	struct elf_file file = ELF_FILE_NONE;
	unsigned char ident[EI_NIDENT];
	struct stat info;

	file.fd = open_plain(path);
	if (file.fd < 0)
		return file.fd;
	if (fstat(file.fd, &info) < 0 || !S_ISREG(info.st_mode))
		goto fail;
	if (pread(file.fd, ident, sizeof(ident), 0) != sizeof(ident) ||
	    !header_fits(ident) || !has_few_sections(file.fd))
		goto fail;
	(void)elf_version(EV_CURRENT);
	file.elf = elf_begin(
		file.fd, info.st_size > READ_LIMIT_BYTES ? ELF_C_READ_MMAP : ELF_C_READ,
		NULL);
	if (!file.elf || elf_kind(file.elf) != ELF_K_ELF || !names_end(file.elf))
		goto fail;
	*ret = file;
	return 0;
fail:
	elf_file_close(&file);
	return -ENOEXEC;
}

int elf_file_map(struct elf_file *file)
{
	Elf *elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);

	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	elf_end(file->elf);
	file->elf = elf;
	return 0;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->memory);
	*file = ELF_FILE_NONE;
}

Elf_Scn *elf_file_section(Elf *elf, uint32_t type, const char *name, Elf64_Shdr *ret)
{
	Elf_Scn *section = NULL;
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, ret))
			continue;
		if (type) {
			if (ret->sh_type != type)
				continue;
		} else {
			found = elf_strptr(elf, names, ret->sh_name);
			if (!found || strcmp(found, name) != 0)
				continue;
		}
		return section;
	}
	return NULL;
}

Elf_Data *elf_file_data(Elf_Scn *section)
{
	Elf64_Shdr header;
	GElf_Chdr packed;
	Elf_Data *data;

	if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return NULL;
	if (header.sh_flags & SHF_COMPRESSED &&
	    (!gelf_getchdr(section, &packed) || packed.ch_size > UNPACKED_LIMIT_BYTES ||
	     elf_compress(section, 0, 0) < 0))
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

const Elf_Data *elf_file_strings(Elf *elf, size_t index)
{
	Elf_Scn *section = elf_getscn(elf, index);
	const Elf_Data *strings = section ? elf_file_data(section) : NULL;

	if (strings && ((const char *)strings->d_buf)[strings->d_size - 1] != '\0')
		return NULL;
	return strings;
}

bool elf_symbols_open(struct elf_symbols *ret, Elf *elf, uint32_t type)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, type, NULL, &header);

	*ret = (struct elf_symbols){.data = section ? elf_file_data(section) : NULL};
	if (ret->data)
		ret->names = elf_file_strings(elf, header.sh_link);
	if (ret->names)
		ret->count = ret->data->d_size / sizeof(Elf64_Sym);
	return ret->names != NULL;
}

const char *elf_symbols_next(struct elf_symbols *symbols, Elf64_Sym *ret)
{
	while (symbols->next < symbols->count) {
		memcpy(ret,
		       (const char *)symbols->data->d_buf +
			       symbols->next++ * sizeof(*ret),
		       sizeof(*ret)); /* may lie unaligned */
		if (ret->st_name < symbols->names->d_size)
			return (const char *)symbols->names->d_buf + ret->st_name;
	}
	return NULL;
}

bool elf_symbol_is(const char *found, const char *name)
{
	size_t length = strlen(name);

	return strncmp(found, name, length) == 0 &&
	       (found[length] == '\0' || found[length] == '@');
}

bool elf_file_has_debug_info(Elf *elf)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, 0, ".debug_info", &header);

	if (!section)
		section = elf_file_section(elf, 0, ".zdebug_info", &header);
	return section && header.sh_type != SHT_NOBITS && header.sh_size;
}

bool elf_file_has_build_id(Elf *elf, const uint8_t *build_id, size_t size)
{
	const void *found;

	if (!size)
		return true;
	return dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)size &&
	       memcmp(found, build_id, size) == 0;
}

bool elf_file_code_range(Elf *elf, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t low = UINT64_MAX, high = 0, end;
	Elf64_Phdr header;
	size_t count, i;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	if (count > SEGMENT_LIMIT)
		count = SEGMENT_LIMIT;
	for (i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++) {
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
		    __builtin_add_overflow(header.p_vaddr, header.p_memsz, &end))
			continue;
		if (header.p_vaddr < low)
			low = header.p_vaddr;
		if (end > high)
			high = end;
	}
	*ret_low = low;
	*ret_high = high;
	return low < high;
}

int elf_file_open_by_build_id(const uint8_t *build_id, size_t size, struct elf_file *ret)
{
	char path[sizeof(DEBUG_ROOT "/.build-id/xx/.debug") + 128];
	int used;
	size_t i;

	if (size < 2 || size > 64)
		return -ENOENT;
	used = sprintf(path, DEBUG_ROOT "/.build-id/%02x/", build_id[0]);
	for (i = 1; i < size; i++)
		used += sprintf(path + used, "%02x", build_id[i]);
	(void)sprintf(path + used, ".debug");
	if (elf_file_open(path, ret) < 0)
		return -ENOENT;
	if (elf_file_has_build_id(ret->elf, build_id, size))
		return 0;
	elf_file_close(ret);
	return -ENOENT;
}

static bool has_checksum(int fd, uint32_t wanted)
{
	unsigned char buffer[16384];
	uLong sum = crc32(0, NULL, 0);
	off_t position = 0;
	struct stat info;
	ssize_t got = 0;

	if (fstat(fd, &info) < 0 || info.st_size > CHECKSUM_LIMIT_BYTES)
		return false;
	while (position < info.st_size &&
	       (got = pread(fd, buffer, sizeof(buffer), position)) > 0) {
		sum = crc32(sum, buffer, (uInt)got);
		position += got;
	}
	return got >= 0 && (uint32_t)sum == wanted;
}

/* A debug file belongs to its program if the build-ids agree or, where the program has
 * none, the checksum in its link. */
static int open_linked(const char *path, const void *build_id, ssize_t build_id_size,
		       uint32_t checksum, struct elf_file *ret)
{
	int error = elf_file_open(path, ret);
	bool fits;

	if (error < 0)
		return error;
	if (build_id_size > 0)
		fits = elf_file_has_build_id(ret->elf, build_id, (size_t)build_id_size);
	else
		fits = has_checksum(ret->fd, checksum);
	if (fits)
		return 0;
	elf_file_close(ret);
	return -ENOENT;
}

int elf_file_open_debug(Elf *elf, const char *path, struct elf_file *ret)
{
	static const char *const places[][2] = {
		{"", ""},
		{"", "/.debug"},
		{DEBUG_ROOT, ""},
	};
	const void *build_id = NULL;
	ssize_t build_id_size = dwelf_elf_gnu_build_id(elf, &build_id);
	const char *slash = strrchr(path, '/'), *name;
	char candidate[PATH_MAX];
	GElf_Word checksum;
	size_t i;
	int length;

	if (build_id_size > 0 &&
	    elf_file_open_by_build_id(build_id, (size_t)build_id_size, ret) == 0)
		return 0;
	name = dwelf_elf_gnu_debuglink(elf, &checksum);
	if (!name || !name[0] || strchr(name, '/') || !slash)
		return -ENOENT;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		length = snprintf(candidate, sizeof(candidate), "%s%.*s%s/%s",
				  places[i][0], (int)(slash - path), path, places[i][1],
				  name);
		if (length > 0 && (size_t)length < sizeof(candidate) &&
		    strcmp(candidate, path) != 0 &&
		    open_linked(candidate, build_id, build_id_size, checksum, ret) == 0)
			return 0;
	}
	return -ENOENT;
}

static int unpack(const Elf_Data *packed, uint8_t **ret, size_t *ret_size)
{
	size_t capacity = packed->d_size, position, used;
	uint64_t memory_limit = MINI_LIMIT_BYTES;
	uint8_t *buffer = NULL, *larger;
	lzma_ret result;

	do {
		capacity =
			capacity < MINI_LIMIT_BYTES / 4 ? capacity * 4 : MINI_LIMIT_BYTES;
		larger = realloc(buffer, capacity);
		if (!larger) {
			free(buffer);
			return -ENOMEM;
		}
		buffer = larger;
		position = used = 0;
		result = lzma_stream_buffer_decode(&memory_limit, 0, NULL, packed->d_buf,
						   &position, packed->d_size, buffer,
						   &used, capacity);
	} while (result == LZMA_BUF_ERROR && capacity < MINI_LIMIT_BYTES);
	if (result != LZMA_OK || used < EI_NIDENT || !header_fits(buffer)) {
		free(buffer);
		return -ENOENT;
	}
	*ret = buffer;
	*ret_size = used;
	return 0;
}

int elf_file_open_mini(Elf *elf, struct elf_file *ret)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, 0, ".gnu_debugdata", &header);
	const Elf_Data *packed = section ? elf_file_data(section) : NULL;
	struct elf_file file = ELF_FILE_NONE;
	uint8_t *memory;
	size_t size;
	int error;

	if (!packed)
		return -ENOENT;
	error = unpack(packed, &memory, &size);
	if (error < 0)
		return error;
	file.memory = memory;
	file.elf = elf_memory((char *)memory, size);
	if (!file.elf || elf_kind(file.elf) != ELF_K_ELF || !names_end(file.elf)) {
		elf_file_close(&file);
		return -ENOENT;
	}
	*ret = file;
	return 0;
}
