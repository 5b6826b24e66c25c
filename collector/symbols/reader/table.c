/* SPDX-License-Identifier: MIT */
/*
 * .symtab or .dynsym as a sorted array. Must not trust an index, an offset or a size in
 * the file.
 */
#include "collector/symbols/reader/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "collector/symbols/elf.h"
#include "common/base/xalloc.h"

/* How far back to look for a function that covers an address when labels inside it are in
 * the way. */
#define LOOK_BACK 32
#define PLT_ENTRY_BYTES 16

/* Longer names are no names (template names end below it), and are left out. */
#define NAME_LIMIT 16384

/*
 * Of several names for one address the best is the one a person would use: a function
 * rather than a label; visible outside rather than local; fewer leading underscores
 * ("write", not "__libc_write"; mangled names start with one that does not count); strong
 * rather than weak; then shorter, then first in the alphabet (as far as is looked at),
 * then first in the file.
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

/* Fills the entry's extent. false: this is no code. */
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

/* The same of a variable, which has a size, or may be anything. */
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

/* What many symbols of one address would cost must not grow with their names. */
#define COMPARED_BYTES 64

static int compare_entries(const void *a_entry, const void *b_entry)
{
	const struct symbol_entry *a = a_entry, *b = b_entry;
	int order;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	order = strncmp(a->name, b->name, COMPARED_BYTES);
	return order ? order : (a->name > b->name) - (a->name < b->name);
}

/* Keeps the first, best, entry of each address; a size that only an alias knows is kept
 * too. */
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

/* The section's symbols and their names, whose last byte is NUL; false: unusable. */
static bool find_section(Elf *elf, uint32_t type, const Elf_Data **ret_symbols,
			 const Elf_Data **ret_names)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, type, NULL, &header);
	const Elf_Data *names = NULL;

	*ret_symbols = section ? elf_file_data(section) : NULL;
	section = *ret_symbols ? elf_getscn(elf, header.sh_link) : NULL;
	if (section)
		names = elf_file_data(section);
	*ret_names = names;
	return names && ((const char *)names->d_buf)[names->d_size - 1] == '\0';
}

/* Fills the entry from a symbol; names: the section of names; elf: NULL, of variables.
 * false: not to be taken. */
static bool read_symbol(Elf *elf, const Elf64_Sym *symbol, const Elf_Data *names,
			struct symbol_entry *entry)
{
	size_t length;

	entry->name = (const char *)names->d_buf + symbol->st_name;
	length = strnlen(entry->name, NAME_LIMIT);
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
	const Elf_Data *symbols, *names;
	struct symbol_entry *entries;
	size_t count, before = table->count, i;
	Elf64_Sym symbol;

	if (!find_section(elf, type, &symbols, &names))
		return -ENOENT;
	count = symbols->d_size / sizeof(symbol);
	entries = table->entries =
		xreallocarray(table->entries, before + count + 1, sizeof(*entries));
	for (i = 0; i < count; i++) {
		memcpy(&symbol, (const char *)symbols->d_buf + i * sizeof(symbol),
		       sizeof(symbol)); /* may lie unaligned */
		if (symbol.st_value < wanted->low || symbol.st_value >= wanted->high ||
		    symbol.st_name >= names->d_size)
			continue;
		table->count += read_symbol(wanted->is_code ? elf : NULL, &symbol, names,
					    &entries[table->count]);
	}
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
	const Elf_Data *symbols, *names;
	size_t length = strlen(name);
	Elf64_Sym symbol;

	if (!find_section(elf, SHT_DYNSYM, &symbols, &names))
		return false;
	for (size_t i = 0; i < symbols->d_size / sizeof(symbol); i++) {
		const char *own = names->d_buf;

		memcpy(&symbol, (const char *)symbols->d_buf + i * sizeof(symbol),
		       sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= names->d_size)
			continue;
		own += symbol.st_name;
		if (strncmp(own, name, length) == 0 &&
		    (own[length] == '\0' || own[length] == '@'))
			return true;
	}
	return false;
}

/* How many entries start at or below address. */
static size_t count_below(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->entries[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symbol_entry *symbol_table_at(const struct symbol_table *table,
					   uint64_t address)
{
	size_t below = count_below(table, address);

	if (!below || table->entries[below - 1].address != address)
		return NULL;
	return &table->entries[below - 1];
}

/* A function that covers the address wins over a nearer label without a size; with
 * neither, the address belongs to something that has no name here. */
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
