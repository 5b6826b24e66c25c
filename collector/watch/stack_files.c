/* SPDX-License-Identifier: MIT */
/* Files that code is mapped from, as they are in memory. Runs on: a confined child. Must
 * not read beyond what is mapped here. */
#include "collector/watch/stacks.h"

#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/reader.h"
#include "common/base/xalloc.h"

#define LOAD_MOST 16u
#define PAGE_MASK 4095ull

/* DW_EH_PE_datarel | DW_EH_PE_sdata4: as all linkers write the table that is searched. */
#define TABLE_ENCODING 0x3b
#define TABLE_VERSION 1
#define TABLE_HEADER_BYTES 12u
#define TABLE_ENTRY_BYTES 8u

struct load {
	uint64_t address, offset, size; /* address and offset of a page */
};

struct stack_file {
	const uint8_t *data;
	uint64_t size;
	struct load loads[LOAD_MOST];
	size_t load_count;
	uint64_t table_address, entry_count;
};

static const uint8_t *bytes_at(const struct stack_file *file, uint64_t address,
			       uint64_t size)
{
	for (size_t i = 0; i < file->load_count; i++) {
		const struct load *load = &file->loads[i];
		uint64_t into = address - load->address;

		if (address >= load->address && into < load->size &&
		    size <= load->size - into)
			return file->data + load->offset + into;
	}
	return NULL;
}

static void add_load(struct stack_file *file, const GElf_Phdr *header)
{
	uint64_t before = header->p_vaddr & PAGE_MASK;
	struct load load = {header->p_vaddr - before, header->p_offset - before,
			    header->p_filesz + before};

	if (file->load_count == LOAD_MOST || header->p_offset < before ||
	    load.offset >= file->size || load.size < before)
		return;
	if (load.size > file->size - load.offset)
		load.size = file->size - load.offset;
	file->loads[file->load_count++] = load;
}

static void find_table(struct stack_file *file, const GElf_Phdr *header)
{
	const uint8_t *bytes = bytes_at(file, header->p_vaddr, TABLE_HEADER_BYTES);
	uint32_t count;

	/* the number of entries is 4 bytes behind another 4 */
	if (!bytes || bytes[0] != TABLE_VERSION || bytes[2] != 0x03 ||
	    bytes[3] != TABLE_ENCODING)
		return;
	memcpy(&count, bytes + 8, sizeof(count));
	if (!bytes_at(file, header->p_vaddr,
		      TABLE_HEADER_BYTES + (uint64_t)count * TABLE_ENTRY_BYTES))
		return;
	file->table_address = header->p_vaddr;
	file->entry_count = count;
}

static void read_headers(struct stack_file *file, Elf *elf)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++)
		if (header.p_type == PT_LOAD)
			add_load(file, &header);
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++)
		if (header.p_type == PT_GNU_EH_FRAME)
			find_table(file, &header);
}

struct stack_file *stack_file_open(const struct segment_module *module)
{
	struct stack_file *file = xcalloc(1, sizeof(*file));
	struct elf_file elf;
	struct stat info;
	void *data;

	if (module->path[0] != '/' || elf_file_open(module->path, &elf) < 0)
		return file;
	if (reader_is_wanted(module, &elf) && fstat(elf.fd, &info) == 0 &&
	    info.st_size > 0) {
		data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, elf.fd,
			    0);
		if (data != MAP_FAILED) {
			file->data = data;
			file->size = (uint64_t)info.st_size;
			read_headers(file, elf.elf);
		}
	}
	elf_file_close(&elf);
	return file;
}

bool stack_file_word(const struct stack_file *file, uint64_t address, uint64_t *ret)
{
	const uint8_t *bytes = bytes_at(file, address, 1);
	uint64_t left = bytes ? (uint64_t)(file->data + file->size - bytes) : 0;

	if (!bytes)
		return false;
	*ret = 0;
	memcpy(ret, bytes, left < sizeof(*ret) ? left : sizeof(*ret));
	return true;
}

bool stack_file_table(const struct stack_file *file, uint64_t *ret_address,
		      uint64_t *ret_count)
{
	*ret_address = file->table_address;
	*ret_count = file->entry_count;
	return file->entry_count != 0;
}
