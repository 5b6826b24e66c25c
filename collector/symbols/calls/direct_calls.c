/* SPDX-License-Identifier: MIT */
/*
 * One pass over code and data; a bitmap of entries says fast that a place is none of
 * them. Must not leave a kind of use out: what is concluded is that there is none.
 */
#include "collector/symbols/calls/direct_calls.h"

#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "collector/symbols/elf.h"

#define ENTRY_BYTES 64u		      /* of code or data, for one entry of the budget */
#define CODE_MOST (UINT64_C(1) << 30) /* from the first function to the last */
#define USES_FIRST 1024u

struct search {
	const struct symbol_table *table;
	struct budget *budget;
	struct direct_calls *calls;
	uint64_t low, high; /* of the entries; high: behind the last */
	uint8_t *bitmap;    /* by address - low: is it an entry? */
	size_t capacity;
	bool is_fixed; /* the file's addresses are those at run time */
	bool failed;
};

/* Some bytes of the file, and where they are at run time. */
struct bytes {
	const uint8_t *at;
	size_t size;
	uint64_t address;
};

static bool is_entry(const struct search *search, uint64_t address)
{
	uint64_t at = address - search->low;

	return address >= search->low && address < search->high &&
	       search->bitmap[at / 8] >> at % 8 & 1;
}

/* Whether code belongs to the function, in one piece or several: "f", "f.cold". */
static bool is_part_of(const struct symbol_entry *code,
		       const struct symbol_entry *function)
{
	return code == function ||
	       (code->length > function->length &&
		memcmp(code->name, function->name, function->length) == 0 &&
		code->name[function->length] == '.');
}

static void add_use(struct search *search, const struct symbol_entry *from,
		    const struct symbol_entry *to, enum direct_kind kind)
{
	struct direct_calls *calls = search->calls;
	const struct symbol_entry *entries = search->table->entries;

	if (from && kind == DIRECT_HELD && is_part_of(from, to))
		return;
	if (calls->count == search->capacity) {
		size_t wanted = search->capacity ? search->capacity * 2 : USES_FIRST;
		struct direct_use *more = NULL;

		if (budget_take_memory(search->budget, wanted * sizeof(*more)))
			more = reallocarray(calls->uses, wanted, sizeof(*more));
		if (!more) {
			search->failed = true;
			return;
		}
		calls->uses = more;
		search->capacity = wanted;
	}
	calls->uses[calls->count++] = (struct direct_use){
		(uint32_t)(to - entries),
		from ? (uint32_t)(from - entries) : DIRECT_CALLS_NOBODY, kind};
}

/* The address leads to a function: who says so is the code at `from`, 0: data. */
static void note_use(struct search *search, uint64_t address, uint64_t from,
		     enum direct_kind kind)
{
	const struct symbol_entry *to = symbol_table_at(search->table, address);

	if (to)
		add_use(search, from ? symbol_table_around(search->table, from) : NULL,
			to, kind);
}

static bool go_on(struct search *search, uint64_t entries)
{
	if (!budget_take(search->budget, entries))
		search->failed = true;
	return !search->failed;
}

/* Of the four bytes at `at`: "call", "jmp", and jumps with a condition. */
static bool is_operand_of_call(const struct bytes *code, size_t at)
{
	if (at && (code->at[at - 1] == 0xe8 || code->at[at - 1] == 0xe9))
		return true;
	return at > 1 && code->at[at - 2] == 0x0f && (code->at[at - 1] & 0xf0) == 0x80;
}

/* "lea displacement(%rip)", with which all code that may lie anywhere takes addresses. */
static bool is_operand_of_lea(const struct bytes *code, size_t at)
{
	return at > 1 && code->at[at - 2] == 0x8d && (code->at[at - 1] & 0xc7) == 0x05;
}

/* Jumps of two bytes. */
static bool is_short_jump(uint8_t opcode)
{
	return opcode == 0xeb || (opcode & 0xf0) == 0x70;
}

static void look_at_code(struct search *search, const struct bytes *code)
{
	for (size_t at = 0; at < code->size; at++) {
		uint64_t address = code->address + at, target;
		uint32_t word;

		if (at % ENTRY_BYTES == 0 && !go_on(search, 1))
			return;
		if (at + 2 <= code->size && is_short_jump(code->at[at])) {
			target =
				address + 2 + (uint64_t)(int64_t)(int8_t)code->at[at + 1];
			if (is_entry(search, target))
				note_use(search, target, address, DIRECT_SHORT);
		}
		if (at + 4 > code->size)
			continue;
		memcpy(&word, code->at + at, sizeof(word));
		target = address + 4 + (uint64_t)(int64_t)(int32_t)word;
		if (is_entry(search, target) && is_operand_of_call(code, at))
			note_use(search, target, address, DIRECT_CALL);
		else if (is_entry(search, target) && is_operand_of_lea(code, at))
			note_use(search, target, address, DIRECT_HELD);
		if (search->is_fixed && is_entry(search, word))
			note_use(search, word, address, DIRECT_HELD);
	}
}

static void look_at_data(struct search *search, const struct bytes *data)
{
	size_t first = (size_t)(-data->address % 8);

	for (size_t at = first; at + 8 <= data->size; at += 8) {
		uint64_t word;

		if (at % ENTRY_BYTES < 8 && !go_on(search, 1))
			return;
		memcpy(&word, data->at + at, sizeof(word));
		if (is_entry(search, word))
			note_use(search, word, 0, DIRECT_HELD);
	}
}

static void look_at_relocations(struct search *search, const Elf_Data *data)
{
	for (size_t i = 0; i < data->d_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela relocation;

		if (!go_on(search, 1))
			return;
		memcpy(&relocation, (const char *)data->d_buf + i * sizeof(relocation),
		       sizeof(relocation));
		if (is_entry(search, (uint64_t)relocation.r_addend))
			note_use(search, (uint64_t)relocation.r_addend, 0, DIRECT_HELD);
	}
}

static void look_at_exports(struct search *search, const Elf_Data *data)
{
	for (size_t i = 0; i < data->d_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym symbol;

		if (!go_on(search, 1))
			return;
		memcpy(&symbol, (const char *)data->d_buf + i * sizeof(symbol),
		       sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF && is_entry(search, symbol.st_value))
			note_use(search, symbol.st_value, 0, DIRECT_HELD);
	}
}

static void look_at_section(struct search *search, Elf_Scn *section,
			    const Elf64_Shdr *header)
{
	const Elf_Data *data;
	struct bytes bytes;

	if (!(header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NOBITS)
		return;
	/* libelf copies what does not lie as it should */
	if (!budget_take_memory(search->budget, header->sh_size)) {
		search->failed = true;
		return;
	}
	data = elf_file_data(section);
	if (!data)
		return;
	bytes = (struct bytes){data->d_buf, data->d_size, header->sh_addr};
	if (header->sh_flags & SHF_EXECINSTR)
		look_at_code(search, &bytes);
	else if (header->sh_type == SHT_RELA)
		look_at_relocations(search, data);
	else if (header->sh_type == SHT_DYNSYM)
		look_at_exports(search, data);
	else
		look_at_data(search, &bytes);
}

static bool make_bitmap(struct search *search)
{
	const struct symbol_table *table = search->table;
	uint64_t size;

	if (!table->count)
		return false;
	search->low = table->entries[0].address;
	search->high = table->entries[table->count - 1].address + 1;
	size = search->high - search->low;
	if (size > CODE_MOST || !budget_take_memory(search->budget, size / 8 + 1))
		return false;
	search->bitmap = calloc(1, (size_t)(size / 8 + 1));
	for (size_t i = 0; search->bitmap && i < table->count; i++) {
		uint64_t at = table->entries[i].address - search->low;

		search->bitmap[at / 8] |= (uint8_t)(1u << at % 8);
	}
	return search->bitmap != NULL;
}

static int by_use(const void *left, const void *right)
{
	const struct direct_use *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void put_in_order(struct direct_calls *calls)
{
	size_t kept = 0;

	if (!calls->count)
		return;
	qsort(calls->uses, calls->count, sizeof(*calls->uses), by_use);
	for (size_t i = 0; i < calls->count; i++)
		if (!kept || by_use(&calls->uses[kept - 1], &calls->uses[i]) != 0)
			calls->uses[kept++] = calls->uses[i];
	calls->count = kept;
}

void direct_calls_find(Elf *elf, const struct symbol_table *table, struct budget *budget,
		       struct direct_calls *ret)
{
	struct search search = {.table = table, .budget = budget, .calls = ret};
	Elf_Scn *section = NULL;
	Elf64_Shdr section_header;
	Elf64_Ehdr header;

	*ret = (struct direct_calls){NULL, 0};
	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    !make_bitmap(&search))
		return;
	search.is_fixed = header.e_type == ET_EXEC;
	(void)budget_look(budget);
	while (!search.failed && (section = elf_nextscn(elf, section)))
		if (go_on(&search, 1) && gelf_getshdr(section, &section_header))
			look_at_section(&search, section, &section_header);
	free(search.bitmap);
	if (!budget_look(budget) || search.failed)
		direct_calls_done(ret);
	put_in_order(ret);
}

void direct_calls_done(struct direct_calls *calls)
{
	free(calls->uses);
	*calls = (struct direct_calls){NULL, 0};
}

const struct direct_use *direct_calls_of(const struct direct_calls *calls, uint32_t to,
					 size_t *ret_count)
{
	size_t low = 0, high = calls->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->uses[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < calls->count && calls->uses[end].to == to;)
		end++;
	*ret_count = end - low;
	return end > low ? &calls->uses[low] : NULL;
}
