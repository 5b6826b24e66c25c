/* SPDX-License-Identifier: MIT */
/*
 * .symtab or .dynsym as a sorted array. Must not trust an index, an offset or a size in
 * the file.
 */
#include "collector/symbols/table.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/elf.h"
#include "common/base/xalloc.h"

/* How far back to look for a function that covers an address, past labels inside it. */
#define LOOK_BACK 32
#define PLT_ENTRY_BYTES 16

/* Longer names are left out (real template names stay below). */
#define NAME_LIMIT 16384

/*
 * Of several names for one address the best is the one a person would use: a function
 * rather than a label; visible outside rather than local; fewer leading underscores
 * ("write", not "__libc_write"; the one that begins a mangled name does not count);
 * strong rather than weak; then shorter; then first in the alphabet (up to
 * COMPARED_BYTES), then first in the file.
 */
static uint32_t name_rank(const Elf64_Sym *symbol, const char *name)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	unsigned int bind = ELF64_ST_BIND(symbol->st_info);
	uint32_t rank = 0, underscores = 0;

	if (type != STT_FUNC)
		rank |= (type == STT_GNU_IFUNC ? 1u : 2u) << 16;
	if (bind == STB_LOCAL)
		rank |= 1u << 15;
	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		underscores = (uint32_t)strspn(name, "_");
	rank |= (underscores > 7 ? 7 : underscores) << 8;
	if (bind == STB_WEAK)
		rank |= 1;
	return rank;
}

/* Fills in the entry's extent. false: it is not code. */
static bool measure(Elf *elf, const Elf64_Sym *symbol, struct symbol_entry *entry)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	Elf64_Shdr header;
	bool in_section = false;
	Elf_Scn *section;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	entry->address = symbol->st_value;
	if (symbol->st_shndx == SHN_UNDEF) {
		/* the PLT entry that a program which is not position independent uses as
		 * the address of another module's function */
		entry->end = entry->address + PLT_ENTRY_BYTES;
		entry->sized = true;
		return type == STT_FUNC;
	}
	if (symbol->st_shndx < SHN_LORESERVE) {
		section = elf_getscn(elf, symbol->st_shndx);
		in_section = section && gelf_getshdr(section, &header);
		if (in_section && !(header.sh_flags & SHF_EXECINSTR))
			return false;
	}
	if (!in_section && type == STT_NOTYPE)
		return false;
	entry->sized = symbol->st_size != 0;
	if (entry->sized)
		entry->end = entry->address + symbol->st_size;
	else
		entry->end =
			in_section ? header.sh_addr + header.sh_size : entry->address + 1;
	return entry->end > entry->address;
}

/* The same for a variable; one without a size may be anything. */
static bool measure_variable(const Elf64_Sym *symbol, struct symbol_entry *entry)
{
	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
	    symbol->st_shndx == SHN_UNDEF || !symbol->st_size)
		return false;
	entry->address = symbol->st_value;
	entry->end = entry->address + symbol->st_size;
	entry->sized = true;
	return entry->end > entry->address;
}

/* Bounds the cost of many symbols with long names at one address. */
#define COMPARED_BYTES 64

static int compare_entries(const void *a_entry, const void *b_entry)
{
	const struct symbol_entry *a = a_entry, *b = b_entry;

	return ORDER_BY_3(a, b, address, rank, length)
		       ?: strncmp(a->name, b->name, COMPARED_BYTES)
		       ?: ORDER_BY(a, b, name);
}

/* Keeps the best entry, the first, of each address, with a size from any alias. */
static size_t drop_aliases(struct symbol_entry *entries, size_t count)
{
	struct symbol_entry *last = NULL;
	size_t kept = 0, i;

	for (i = 0; i < count; i++) {
		if (!last || last->address != entries[i].address) {
			entries[kept] = entries[i];
			last = &entries[kept++];
		} else if (!last->sized && entries[i].sized) {
			last->end = entries[i].end;
			last->sized = true;
		}
	}
	return kept;
}

void symbol_table_sort(struct symbol_table *table)
{
	if (!table->count)
		return;
	qsort(table->entries, table->count, sizeof(*table->entries), compare_entries);
	table->count = drop_aliases(table->entries, table->count);
}

/* Fills the entry from a symbol. elf: NULL for variables. false: leave it out. */
static bool read_symbol(Elf *elf, const Elf64_Sym *symbol, const char *name,
			struct symbol_entry *entry)
{
	size_t length = strnlen(name, NAME_LIMIT);

	entry->name = name;
	if (!length || length == NAME_LIMIT ||
	    !(elf ? measure(elf, symbol, entry) : measure_variable(symbol, entry)))
		return false;
	entry->length = (uint16_t)length;
	entry->rank = name_rank(symbol, entry->name);
	return true;
}

/* An address range of code, or the variables. */
struct wanted {
	uint64_t low, high;
	bool is_code;
};

static int add_symbols(struct symbol_table *table, Elf *elf, uint32_t type,
		       const struct wanted *wanted)
{
	size_t before = table->count;
	struct elf_symbols symbols;
	Elf64_Sym symbol;
	const char *name;

	if (!elf_symbols_open(&symbols, elf, type))
		return -ENOENT;
	table->entries = xreallocarray(table->entries, before + symbols.count + 1,
				       sizeof(*table->entries));
	while ((name = elf_symbols_next(&symbols, &symbol)))
		if (symbol.st_value >= wanted->low && symbol.st_value < wanted->high)
			table->count += read_symbol(wanted->is_code ? elf : NULL, &symbol,
						    name, &table->entries[table->count]);
	return table->count > before ? 0 : -ENOENT;
}

int symbol_table_add(struct symbol_table *table, Elf *elf, uint32_t type, uint64_t low,
		     uint64_t high)
{
	return add_symbols(table, elf, type, &(struct wanted){low, high, true});
}

int symbol_table_add_variables(struct symbol_table *table, Elf *elf, uint32_t type)
{
	return add_symbols(table, elf, type, &(struct wanted){0, UINT64_MAX, false});
}

bool symbol_table_imports(Elf *elf, const char *name)
{
	struct elf_symbols symbols;
	const char *found;
	Elf64_Sym symbol;

	if (!elf_symbols_open(&symbols, elf, SHT_DYNSYM))
		return false;
	while ((found = elf_symbols_next(&symbols, &symbol)))
		if (symbol.st_shndx == SHN_UNDEF && elf_symbol_is(found, name))
			return true;
	return false;
}

/* How many entries start at or below address. */
static size_t count_below(const struct symbol_table *table, uint64_t address)
{
	return COUNT_BEFORE(table->count, i, table->entries[i].address <= address);
}

const struct symbol_entry *symbol_table_at(const struct symbol_table *table,
					   uint64_t address)
{
	size_t below = count_below(table, address);

	if (!below || table->entries[below - 1].address != address)
		return NULL;
	return &table->entries[below - 1];
}

/* A function that covers the address wins over a nearer label without a size. With
 * neither, the address is in something that has no name here. */
const struct symbol_entry *symbol_table_around(const struct symbol_table *table,
					       uint64_t address)
{
	size_t below = count_below(table, address), steps;
	const struct symbol_entry *entry, *label = NULL;

	for (steps = 0; below-- > 0 && steps < LOOK_BACK; steps++) {
		entry = &table->entries[below];
		if (address >= entry->end)
			continue;
		if (entry->sized)
			return entry;
		if (!label)
			label = entry;
	}
	return label;
}

/* How far apart an address and a range are. */
static uint64_t distance_to(const struct symbol_entry *entry, uint64_t address)
{
	if (address < entry->address)
		return entry->address - address;
	return address < entry->end ? 0 : address - entry->end;
}

const struct symbol_entry *symbol_table_near(const struct symbol_table *table,
					     uint64_t address, uint64_t *ret_distance)
{
	size_t below = count_below(table, address);
	const struct symbol_entry *before = NULL, *after = NULL;

	if (below)
		before = &table->entries[below - 1];
	if (below < table->count)
		after = &table->entries[below];
	if (!before ||
	    (after && distance_to(after, address) < distance_to(before, address)))
		before = after;
	if (before)
		*ret_distance = distance_to(before, address);
	return before;
}
