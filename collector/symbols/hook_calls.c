/* SPDX-License-Identifier: MIT */
/* Follows relocations to stubs, stubs to calls, and calls to functions. */
#include "collector/symbols/program.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/elf.h"
#include "common/base/xalloc.h"

#define TARGETS_MOST 16u /* places that lead to the hook; linkers make 1 to 3 */

/* Encodings in .eh_frame_hdr that all linkers use. */
#define COUNT_ENCODING 0x03 /* udata4 */
#define TABLE_ENCODING 0x3b /* datarel | sdata4 */
#define FORMAT_MASK 0x0f
#define SDATA8 0x0c
#define UDATA8 0x04

/* slots: words that hold the hook's address; entries: the hook's code and jumps to it. */
struct targets {
	uint64_t slots[TARGETS_MOST], entries[TARGETS_MOST];
	size_t slot_count, entry_count;
};

static void add(uint64_t *list, size_t *count, uint64_t value)
{
	if (*count < TARGETS_MOST)
		list[(*count)++] = value;
}

static bool has(const uint64_t *list, size_t count, uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

/* Finds the indices of the hook's symbols. A definition in this file is an entry. */
static size_t find_symbols(Elf *elf, uint32_t type, struct targets *targets,
			   uint32_t *ret, size_t capacity)
{
	struct elf_symbols symbols;
	size_t count = 0;
	Elf64_Sym symbol;
	const char *name;

	if (!elf_symbols_open(&symbols, elf, type))
		return 0;
	while ((name = elf_symbols_next(&symbols, &symbol))) {
		if (!elf_symbol_is(name, ELF_HOOK))
			continue;
		if (symbol.st_shndx != SHN_UNDEF)
			add(targets->entries, &targets->entry_count, symbol.st_value);
		if (count < capacity)
			ret[count++] = (uint32_t)symbols.next - 1;
	}
	return count;
}

static void find_slots(Elf *elf, struct targets *targets)
{
	uint32_t symbols[4];
	size_t count = find_symbols(elf, SHT_DYNSYM, targets, symbols, 4);
	Elf_Scn *section = NULL;
	Elf64_Shdr header;
	Elf64_Rela entry;

	while (count && (section = elf_nextscn(elf, section))) {
		const Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		data = elf_file_data(section);
		if (!data)
			continue;
		for (size_t i = 0; i < data->d_size / sizeof(entry); i++) {
			memcpy(&entry, (const char *)data->d_buf + i * sizeof(entry),
			       sizeof(entry));
			for (size_t k = 0; k < count; k++)
				if (ELF64_R_SYM(entry.r_info) == symbols[k])
					add(targets->slots, &targets->slot_count,
					    entry.r_offset);
		}
	}
}

/* A section of code. address: of its first byte. */
struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

static uint64_t displaced(const struct code *code, size_t at, size_t length)
{
	int32_t displacement;

	memcpy(&displacement, code->bytes + at + length - 4, 4);
	return code->address + at + length + (uint64_t)(int64_t)displacement;
}

/* Finds stubs: "jmp *slot(%rip)", perhaps after endbr64, bnd or both. */
static void find_stubs(const struct code *code, void *context)
{
	static const uint8_t before[] = {0, 1, 4, 5};
	struct targets *targets = context;

	for (size_t at = 0; at + 6 <= code->size; at++) {
		if (code->bytes[at] != 0xff || code->bytes[at + 1] != 0x25 ||
		    !has(targets->slots, targets->slot_count, displaced(code, at, 6)))
			continue;
		for (size_t i = 0; i < sizeof(before); i++)
			add(targets->entries, &targets->entry_count,
			    code->address + at - before[i]);
	}
}

struct search {
	const struct targets *targets;
	struct hook_calls *calls;
};

/* The last function that begins at or before the address. */
static struct hook_function *find_function(struct hook_calls *calls, uint64_t address)
{
	size_t low = COUNT_BEFORE(calls->function_count, i,
				  calls->functions[i].address <= address);

	return low ? &calls->functions[low - 1] : NULL;
}

static void note_call(struct hook_calls *calls, uint64_t address)
{
	struct hook_function *function = find_function(calls, address);

	calls->call_count++;
	if (function && function->calls++ == 0)
		calls->hooked_count++;
}

/* Finds "call entry" and "call *slot(%rip)". Bytes that only look like one of these do
 * not lead to the hook. */
static void find_calls(const struct code *code, void *context)
{
	const struct search *search = context;
	const struct targets *targets = search->targets;

	for (size_t at = 0; at + 5 <= code->size; at++) {
		bool is_call = false;

		if (code->bytes[at] == 0xe8)
			is_call = has(targets->entries, targets->entry_count,
				      displaced(code, at, 5));
		else if (code->bytes[at] == 0xff && at + 6 <= code->size &&
			 code->bytes[at + 1] == 0x15)
			is_call = has(targets->slots, targets->slot_count,
				      displaced(code, at, 6));
		if (is_call)
			note_call(search->calls, code->address + at);
	}
}

static const uint8_t *code_at(const struct code *code, uint64_t address, size_t size)
{
	uint64_t at = address - code->address;

	return address >= code->address && at < code->size && code->size - at >= size
		       ? code->bytes + at
		       : NULL;
}

/* "push %rbp; mov %rsp,%rbp", in either of its two codings. */
static void count_frames(const struct code *code, void *context)
{
	struct hook_calls *calls = context;
	struct hook_function *function = find_function(calls, code->address);
	const struct hook_function *end = calls->functions + calls->function_count;

	for (function = function ? function : calls->functions; function < end;
	     function++) {
		const uint8_t *bytes = code_at(code, function->address, 8);

		if (function->address > code->address + code->size)
			return;
		if (bytes && memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0)
			bytes += 4;
		calls->frame_count +=
			bytes && (memcmp(bytes, "\x55\x48\x89\xe5", 4) == 0 ||
				  memcmp(bytes, "\x55\x48\x8b\xec", 4) == 0);
	}
}

static void each_code(Elf *elf, void (*look)(const struct code *code, void *context),
		      void *context)
{
	Elf_Scn *section = NULL;
	Elf64_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		const Elf_Data *data;
		struct code code;

		if (!gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type != SHT_PROGBITS || !(data = elf_file_data(section)))
			continue;
		code = (struct code){data->d_buf, data->d_size, header.sh_addr};
		look(&code, context);
	}
}

static int by_address(const void *left, const void *right)
{
	const struct hook_function *a = left, *b = right;

	return ORDER_BY(a, b, address);
}

/* The search table of .eh_frame_hdr: pairs of 4-byte numbers. The first is a function's
 * start relative to the section's address. NULL: no table. */
static const uint8_t *find_table(Elf *elf, uint64_t *ret_address, uint32_t *ret_count)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, 0, ".eh_frame_hdr", &header);
	const Elf_Data *data = section ? elf_file_data(section) : NULL;
	const uint8_t *bytes = data ? data->d_buf : NULL;
	size_t at = 4;

	if (!data || data->d_size < at || bytes[0] != 1 || bytes[2] != COUNT_ENCODING ||
	    bytes[3] != TABLE_ENCODING)
		return NULL;
	at += (bytes[1] & FORMAT_MASK) == SDATA8 || (bytes[1] & FORMAT_MASK) == UDATA8
		      ? 8
		      : 4;
	if (data->d_size < at + sizeof(*ret_count))
		return NULL;
	memcpy(ret_count, bytes + at, sizeof(*ret_count));
	at += sizeof(*ret_count);
	*ret_address = header.sh_addr;
	return *ret_count <= (data->d_size - at) / 8 ? bytes + at : NULL;
}

/* The linker's stubs have one such entry together. */
static bool is_stub(const uint64_t *stubs, uint64_t address)
{
	return address >= stubs[0] && address < stubs[1];
}

static void find_stub_range(Elf *elf, const char *name, uint64_t *ret)
{
	Elf64_Shdr header;

	ret[0] = ret[1] = 0;
	if (elf_file_section(elf, 0, name, &header)) {
		ret[0] = header.sh_addr;
		ret[1] = header.sh_addr + header.sh_size;
	}
}

static void read_functions(Elf *elf, struct hook_calls *ret)
{
	uint64_t address, stubs[3][2];
	uint32_t count;
	const uint8_t *table = find_table(elf, &address, &count);

	find_stub_range(elf, ".plt", stubs[0]);
	find_stub_range(elf, ".plt.got", stubs[1]);
	find_stub_range(elf, ".plt.sec", stubs[2]);
	if (!table || !count)
		return;
	ret->functions = calloc(count, sizeof(*ret->functions));
	for (size_t i = 0; ret->functions && i < count; i++) {
		int32_t place;
		uint64_t at;

		memcpy(&place, table + 8 * i, sizeof(place));
		at = address + (uint64_t)(int64_t)place;
		if (!is_stub(stubs[0], at) && !is_stub(stubs[1], at) &&
		    !is_stub(stubs[2], at))
			ret->functions[ret->function_count++].address = at;
	}
	if (ret->function_count)
		qsort(ret->functions, ret->function_count, sizeof(*ret->functions),
		      by_address);
}

void hook_calls_find(Elf *elf, struct hook_calls *ret)
{
	struct targets targets = {.slot_count = 0};
	struct search search = {&targets, ret};
	uint32_t none[1];

	*ret = (struct hook_calls){.functions = NULL};
	find_slots(elf, &targets);
	(void)find_symbols(elf, SHT_SYMTAB, &targets, none, 0);
	read_functions(elf, ret);
	if (targets.slot_count)
		each_code(elf, find_stubs, &targets);
	if (targets.slot_count || targets.entry_count)
		each_code(elf, find_calls, &search);
	if (ret->function_count)
		each_code(elf, count_frames, ret);
}
