/* SPDX-License-Identifier: MIT */
/*
 * libunwind, asked about another process: all it sees is the copy of the stack and what
 * is in the files. Runs on: a confined child, which it may end: it believes tables.
 */
#include <gelf.h>
#include <libunwind.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/reader.h"
#include "collector/watch/stacks.h"
#include "common/base/xalloc.h"

/* Files that code is mapped from, as they are in memory. Runs on: a confined child. Must
 * not read beyond what is mapped here. */

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

/* The files belong to the child, and stay. */
static struct stack_file *stack_file_open(const struct segment_module *module)
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

/* The aligned word at an address of the file; false: there is none. */
static bool stack_file_word(const struct stack_file *file, uint64_t address,
			    uint64_t *ret)
{
	const uint8_t *bytes = bytes_at(file, address, 1);
	uint64_t left = bytes ? (uint64_t)(file->data + file->size - bytes) : 0;

	if (!bytes)
		return false;
	*ret = 0;
	memcpy(ret, bytes, left < sizeof(*ret) ? left : sizeof(*ret));
	return true;
}

/* Where its table is and how many entries it has; false: it has none. */
static bool stack_file_table(const struct stack_file *file, uint64_t *ret_address,
			     uint64_t *ret_count)
{
	*ret_address = file->table_address;
	*ret_count = file->entry_count;
	return file->entry_count != 0;
}

/* In none of its headers: searches a table that it reads as it reads memory. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
				       unw_dyn_info_t *table, unw_proc_info_t *ret,
				       int needs_rules, void *context);

#define TABLE_HEADER_BYTES 12u

/* So far from the stack's pointer it is still the stack. */
#define STACK_MOST_BYTES (64u << 20)

/* By libunwind's numbers, which are DWARF's: the places in a dump. */
static const uint8_t registers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, STACK_REGISTER_IP};

struct walk {
	struct stack_space *space;
	const struct stack_dump *dump;
	/* where rules are read, as they are for the address that was asked for last */
	const struct stack_file *file;
	uint64_t bias;
	bool is_cut, is_unknown;
};

const struct outside_range *stacks_find_range(const struct outside_range *ranges,
					      size_t count, uint64_t address)
{
	size_t at = COUNT_BEFORE(count, i, ranges[i].end <= address);

	return at < count && ranges[at].start <= address ? &ranges[at] : NULL;
}

static struct stack_file *file_of(struct stack_space *space, uint32_t module)
{
	if (!module || module > space->module_count)
		return NULL;
	if (!space->files[module - 1])
		space->files[module - 1] = stack_file_open(&space->modules[module - 1]);
	return space->files[module - 1];
}

static int find_rules(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret,
		      int needs_rules, void *context)
{
	struct walk *walk = context;
	const struct outside_range *range =
		stacks_find_range(walk->space->ranges, walk->space->range_count, ip);
	const struct stack_file *file =
		range ? file_of(walk->space, range->module) : NULL;
	uint64_t address, count;
	int result = -UNW_ENOINFO;

	if (file && stack_file_table(file, &address, &count)) {
		unw_dyn_info_t table = {.start_ip = range->start,
					.end_ip = range->end,
					.format = UNW_INFO_FORMAT_REMOTE_TABLE};

		walk->file = file;
		walk->bias = range->start - range->address;
		table.u.rti.segbase = walk->bias + address;
		table.u.rti.table_data = walk->bias + address + TABLE_HEADER_BYTES;
		table.u.rti.table_len = count; /* an entry has the size of a word */
		result = UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, ret,
							    needs_rules, context);
	}
	if (result < 0)
		walk->is_unknown = true;
	return result;
}

static void forget_rules(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
	(void)space;
	(void)info;
	(void)context;
}

static int have_no_list(unw_addr_space_t space, unw_word_t *ret, void *context)
{
	(void)space;
	(void)ret;
	(void)context;
	return -UNW_ENOINFO;
}

static int read_word(unw_addr_space_t space, unw_word_t address, unw_word_t *value,
		     int is_write, void *context)
{
	struct walk *walk = context;
	const struct stack_dump *dump = walk->dump;
	uint64_t into = address - dump->registers[STACK_REGISTER_SP];

	(void)space;
	if (is_write)
		return -UNW_EINVAL;
	if (into < dump->byte_count && dump->byte_count - into >= sizeof(*value)) {
		memcpy(value, dump->bytes + into, sizeof(*value));
		return 0;
	}
	if (walk->file && stack_file_word(walk->file, address - walk->bias, value))
		return 0;
	walk->is_cut |= into < STACK_MOST_BYTES;
	return -UNW_EINVAL;
}

static int read_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
			 int is_write, void *context)
{
	const struct walk *walk = context;

	(void)space;
	if (is_write)
		return -UNW_EREADONLYREG;
	if (number < 0 || (size_t)number >= sizeof(registers))
		return -UNW_EBADREG;
	*value = walk->dump->registers[registers[number]];
	return 0;
}

static int have_no_fpreg(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
			 int is_write, void *context)
{
	(void)space;
	(void)number;
	(void)value;
	(void)is_write;
	(void)context;
	return -UNW_EINVAL;
}

static int resume_nothing(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
	(void)space;
	(void)cursor;
	(void)context;
	return -UNW_EINVAL;
}

static int name_nothing(unw_addr_space_t space, unw_word_t ip, char *name, size_t size,
			unw_word_t *offset, void *context)
{
	(void)space;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)context;
	return -UNW_ENOINFO;
}

static unw_addr_space_t unwinder_of(struct stack_space *space)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_rules,
		.put_unwind_info = forget_rules,
		.get_dyn_info_list_addr = have_no_list,
		.access_mem = read_word,
		.access_reg = read_register,
		.access_fpreg = have_no_fpreg,
		.resume = resume_nothing,
		.get_proc_name = name_nothing,
	};

	if (!space->unwinder) {
		space->unwinder = unw_create_addr_space(&accessors, 0);
		if (space->unwinder)
			unw_set_caching_policy(space->unwinder, UNW_CACHE_GLOBAL);
	}
	return space->unwinder;
}

void stack_space_changed(struct stack_space *space)
{
	if (space->unwinder)
		unw_flush_cache(space->unwinder, 0, 0);
}

/* Without rules libunwind guesses. */
static int step(struct walk *walk, unw_cursor_t *cursor, unw_word_t *ret_ip)
{
	int result;

	walk->is_cut = walk->is_unknown = false;
	result = unw_step(cursor);
	if (walk->is_unknown || result < 0)
		return -1;
	if (result == 0 || unw_get_reg(cursor, UNW_REG_IP, ret_ip) < 0 || !*ret_ip)
		return 0;
	return 1;
}

void stack_walk(struct stack_space *space, const struct stack_dump *dump,
		struct stack_frames *ret)
{
	struct walk walk = {.space = space, .dump = dump};
	unw_addr_space_t unwinder = unwinder_of(space);
	unw_cursor_t cursor;
	unw_word_t ip;
	int result = 1;

	ret->count = 0;
	ret->end = STACK_UNKNOWN;
	if (!unwinder || unw_init_remote(&cursor, unwinder, &walk) < 0)
		return;
	while (ret->count < STACK_FRAME_LIMIT && result > 0) {
		result = step(&walk, &cursor, &ip);
		if (result > 0)
			ret->addresses[ret->count++] = ip;
	}
	if (result == 0)
		ret->end = STACK_WHOLE;
	else if (result > 0 || walk.is_cut)
		ret->end = STACK_CUT;
}
