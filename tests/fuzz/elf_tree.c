/* SPDX-License-Identifier: MIT */
/*
 * What this is:  see elf_tree.h.
 * Runs on:       tests.
 *
 * Sections are written into buffers of their own and then one behind the other. What is
 * chosen: of symbols, address, size, type and name; of the tree, a list of steps (open an
 * entry with children, one without, close), each with a tag and attributes whose forms
 * and values are chosen, too; of the line table, its header and opcodes; of the file,
 * which sections are packed and what they claim to unpack to, and at the end single bytes
 * that are overwritten.
 */
#include "tests/fuzz/elf_tree.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>
#include <zlib.h>

#define SECTION_BYTES 24576u
#define SECTION_LIMIT 20

struct input {
	const uint8_t *at, *end;
};

struct section {
	const char *name;
	uint32_t type, link;
	uint64_t flags, address;
	size_t size;
	uint8_t bytes[SECTION_BYTES];
};

static struct section sections[SECTION_LIMIT];
static unsigned int section_count;

static uint64_t take(struct input *input, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		if (input->at < input->end)
			value |= (uint64_t)*input->at++ << 8 * i;
	return value;
}

static struct section *add_section(const char *name, uint32_t type)
{
	struct section *section = &sections[section_count++];

	section->name = name;
	section->type = type;
	section->flags = section->address = section->link = 0;
	section->size = 0;
	return section;
}

static void put(struct section *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes && to->size < SECTION_BYTES; i++)
		to->bytes[to->size++] = (uint8_t)(value >> 8 * i);
}

static void put_uleb(struct section *to, uint64_t value)
{
	do {
		put(to, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

static void put_text(struct section *to, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i++)
		put(to, (uint8_t)text[i], 1);
}

/* The length that stands in front of what came since. */
static void set_length(struct section *to, size_t at)
{
	uint32_t length = (uint32_t)(to->size - at - 4);

	if (at + 4 <= SECTION_BYTES)
		memcpy(to->bytes + at, &length, 4);
}

static void write_code(void)
{
	struct section *text = add_section(".text", SHT_PROGBITS);

	text->flags = SHF_ALLOC | SHF_EXECINSTR;
	text->address = ELF_TREE_LOW;
	for (int i = 0; i < 64; i++)
		put(text, 0x90, 1);
}

static const char strings[] =
	"\0_Z1fi\0_ZN2ns1gEv\0main\0__m_MOD_sq\0_RNvC6_123foo3bar\0malloc@@GLIBC_2.2.5\0"
	"_Z1f1pIiES_IS0_S0_ES_IS1_S1_E\0/src\0a.c\0x.cold\0../b.c";

static void write_strings(const char *name, uint32_t type)
{
	struct section *section = add_section(name, type);

	memcpy(section->bytes, strings, sizeof(strings));
	section->size = sizeof(strings);
}

static void write_symbols(struct input *input, const char *name, uint32_t type)
{
	struct section *section = add_section(name, type);
	unsigned int count = 1 + (unsigned int)take(input, 1) % 64;

	section->link = section_count; /* its names come next */
	for (unsigned int i = 0; i < count; i++) {
		put(section, take(input, 1), 4);
		put(section,
		    take(input, 1) % 8 ? STT_FUNC | STB_GLOBAL << 4 : take(input, 1), 1);
		put(section, 0, 1);
		put(section, take(input, 1) % 8 ? 1 : take(input, 2), 2);
		put(section, ELF_TREE_LOW + take(input, 2) % 0x8000, 8);
		put(section, take(input, 1) % 8 ? take(input, 1) : take(input, 8), 8);
	}
	write_strings(type == SHT_SYMTAB ? ".strtab" : ".dynstr", SHT_STRTAB);
}

static const uint8_t tags[] = {
	DW_TAG_subprogram,	   DW_TAG_namespace,	  DW_TAG_lexical_block,
	DW_TAG_inlined_subroutine, DW_TAG_structure_type, DW_TAG_variable,
	DW_TAG_enumeration_type,   DW_TAG_compile_unit,	  DW_TAG_module,
	DW_TAG_imported_unit,	   DW_TAG_class_type,	  DW_TAG_variant_part,
};

static const uint16_t names[] = {
	DW_AT_sibling,		DW_AT_name,
	DW_AT_low_pc,		DW_AT_high_pc,
	DW_AT_ranges,		DW_AT_abstract_origin,
	DW_AT_linkage_name,	DW_AT_decl_file,
	DW_AT_decl_line,	DW_AT_call_file,
	DW_AT_call_line,	DW_AT_specification,
	DW_AT_stmt_list,	DW_AT_comp_dir,
	DW_AT_dwo_name,		DW_AT_addr_base,
	DW_AT_str_offsets_base, DW_AT_rnglists_base,
	DW_AT_import,		DW_AT_declaration,
	DW_AT_GNU_dwo_name,	DW_AT_GNU_dwo_id,
	DW_AT_entry_pc,		DW_AT_MIPS_linkage_name,
};

static const uint16_t forms[] = {
	DW_FORM_data1,	      DW_FORM_ref4,	      DW_FORM_addr,
	DW_FORM_string,	      DW_FORM_strp,	      DW_FORM_sec_offset,
	DW_FORM_ref1,	      DW_FORM_data4,	      DW_FORM_udata,
	DW_FORM_ref_udata,    DW_FORM_data8,	      DW_FORM_ref_addr,
	DW_FORM_flag_present, DW_FORM_indirect,	      DW_FORM_ref_sig8,
	DW_FORM_GNU_ref_alt,  DW_FORM_GNU_strp_alt,   DW_FORM_strx1,
	DW_FORM_addrx1,	      DW_FORM_line_strp,      DW_FORM_block1,
	DW_FORM_exprloc,      DW_FORM_implicit_const, DW_FORM_rnglistx,
	DW_FORM_sdata,	      DW_FORM_strp_sup,	      DW_FORM_data2,
	DW_FORM_data16,
};

/* A value of a form. Addresses and references mostly make sense. */
static void put_value(struct input *input, struct section *info, uint16_t form)
{
	switch (form) {
	case DW_FORM_addr:
		put(info, ELF_TREE_LOW + take(input, 2) % 0x8000, 8);
		break;
	case DW_FORM_ref4:
	case DW_FORM_ref_addr:
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_data4:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		put(info, take(input, 2), 4);
		break;
	case DW_FORM_string:
		for (uint64_t i = take(input, 1) % 16; i > 0; i--)
			put(info, 'a' + i, 1);
		put(info, 0, 1);
		break;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_rnglistx:
		put_uleb(info, take(input, 1) % 16 ? take(input, 1) : take(input, 8));
		break;
	case DW_FORM_data8:
	case DW_FORM_ref_sig8:
		put(info, take(input, 2), 8);
		break;
	case DW_FORM_data16:
		put(info, 0, 8);
		put(info, 0, 8);
		break;
	case DW_FORM_data2:
		put(info, take(input, 2), 2);
		break;
	case DW_FORM_indirect:
		put_uleb(info, take(input, 1));
		put(info, take(input, 1), 4);
		break;
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		break;
	default:
		put(info, take(input, 1), 1);
	}
}

/* An entry: its abbreviation, which is used once, and its values. */
static void put_entry(struct input *input, struct section *info, struct section *table,
		      uint64_t *code, uint16_t tag, int has_children)
{
	unsigned int count = (unsigned int)take(input, 1) % 8;

	put_uleb(table, ++*code);
	put_uleb(table, tag);
	put(table, has_children ? 1 : 0, 1);
	put_uleb(info, *code);
	for (unsigned int i = 0; i < count; i++) {
		uint16_t name =
			names[take(input, 1) % (sizeof(names) / sizeof(names[0]))];
		uint16_t form =
			forms[take(input, 1) % (sizeof(forms) / sizeof(forms[0]))];

		put_uleb(table, name);
		put_uleb(table, form);
		if (form == DW_FORM_implicit_const)
			put_uleb(table, take(input, 1) & 0x3f);
		put_value(input, info, form);
	}
	put(table, 0, 2);
}

/* The unit's root covers all the code, so that the tree is looked at. */
static void put_root(struct input *input, struct section *info, struct section *table,
		     uint64_t *code)
{
	int has_lines = take(input, 1) % 4 != 3;

	put_uleb(table, ++*code);
	put_uleb(table, DW_TAG_compile_unit);
	put(table, 1, 1);
	put_uleb(info, *code);
	put_uleb(table, DW_AT_low_pc);
	put_uleb(table, DW_FORM_addr);
	put(info, ELF_TREE_LOW, 8);
	put_uleb(table, DW_AT_high_pc);
	put_uleb(table, DW_FORM_data4);
	put(info, ELF_TREE_HIGH - ELF_TREE_LOW, 4);
	if (has_lines) {
		put_uleb(table, DW_AT_stmt_list);
		put_uleb(table, DW_FORM_sec_offset);
		put(info, 0, 4);
	}
	put(table, 0, 2);
}

static void put_steps(struct input *input, struct section *info, struct section *table,
		      uint64_t *code)
{
	unsigned int steps = (unsigned int)take(input, 2) % 1024, depth = 1;

	while (steps-- > 0 && info->size + 256 < SECTION_BYTES &&
	       table->size + 64 < SECTION_BYTES) {
		uint64_t step = take(input, 1);
		uint16_t tag = tags[step / 4 % sizeof(tags)];

		if (step % 4 == 3) {
			put(info, 0, 1);
			depth -= depth > 0;
		} else {
			put_entry(input, info, table, code, tag, step % 4 != 2);
			depth += step % 4 != 2;
		}
	}
	while (depth-- > 0)
		put(info, 0, 1);
}

static void write_tree(struct input *input)
{
	struct section *info = add_section(".debug_info", SHT_PROGBITS);
	struct section *table = add_section(".debug_abbrev", SHT_PROGBITS);
	unsigned int units = 1 + (unsigned int)take(input, 1) % 4;

	for (unsigned int i = 0; i < units; i++) {
		unsigned int version = take(input, 1) % 4 == 1 ? 4 : 5;
		size_t start = info->size, own_table = table->size;
		uint64_t code = 0;

		put(info, 0, 4);
		put(info, version, 2);
		if (version == 5) {
			put(info, take(input, 1) % 8 ? DW_UT_compile : take(input, 1) % 8,
			    1);
			put(info, 8, 1);
		}
		put(info, take(input, 1) % 8 ? own_table : take(input, 2), 4);
		if (version == 4)
			put(info, 8, 1);
		put_root(input, info, table, &code);
		put_steps(input, info, table, &code);
		put(table, 0, 1);
		set_length(info, start);
	}
}

static void write_lines(struct input *input)
{
	struct section *line = add_section(".debug_line", SHT_PROGBITS);
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	unsigned int count = (unsigned int)take(input, 2) % 4096;
	size_t header;

	put(line, 0, 4);
	put(line, 4, 2);
	header = line->size;
	put(line, 0, 4);
	put(line, take(input, 1) % 8 ? 1 : take(input, 1), 1); /* minimum_instruction */
	put(line, 1, 1);
	put(line, 1, 1);
	put(line, 0xfb, 1);
	put(line, take(input, 1) % 8 ? 14 : take(input, 1), 1); /* line_range */
	put(line, 13, 1);
	for (size_t i = 0; i < sizeof(operands); i++)
		put(line, operands[i], 1);
	put_text(line, "dir");
	put(line, 0, 1);
	for (uint64_t i = take(input, 1) % 32; i > 0; i--) {
		put_text(line, i % 2 ? "a.c" : "/x/../b.c");
		put_uleb(line, take(input, 1));
		put(line, 0, 2);
	}
	put(line, 0, 1);
	set_length(line, header);
	/* set_address, then what the input says, then end_sequence */
	put(line, 0x0900, 2);
	put(line, 2, 1);
	put(line, ELF_TREE_LOW, 8);
	while (count-- > 0)
		put(line, take(input, 1), 1);
	put(line, 0x40, 1);
	put(line, 0x010100, 3);
	set_length(line, 0);
}

static void write_others(struct input *input)
{
	static const char *const others[] = {".debug_ranges",	  ".debug_rnglists",
					     ".debug_addr",	  ".debug_str_offsets",
					     ".debug_types",	  ".gnu_debuglink",
					     ".gnu_debugaltlink", ".gnu_debugdata"};
	uint64_t which = take(input, 1);

	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct section *section;
		uint64_t count;

		if (!(which >> i & 1))
			continue;
		section = add_section(others[i], SHT_PROGBITS);
		if (i >= 5 && i <= 6)
			put_text(section, i == 5 ? "other.debug" : "/dev/null");
		for (count = take(input, 2) % 2048; count > 0; count--)
			put(section, take(input, 1), i < 2 ? 8 : 1);
	}
}

/* Packs the section, perhaps with a lie about its size. */
static void pack(struct input *input, struct section *section)
{
	uint8_t packed[SECTION_BYTES];
	uLongf size = sizeof(packed);
	Elf64_Chdr header = {
		.ch_type = ELFCOMPRESS_ZLIB, .ch_size = section->size, .ch_addralign = 1};

	if (take(input, 1) % 2)
		header.ch_size = 1ull << take(input, 1) % 64;
	if (compress(packed, &size, section->bytes, section->size) != Z_OK ||
	    size + sizeof(header) > SECTION_BYTES)
		return;
	memcpy(section->bytes, &header, sizeof(header));
	memcpy(section->bytes + sizeof(header), packed, size);
	section->size = size + sizeof(header);
	section->flags |= SHF_COMPRESSED;
}

static size_t lay_out(uint8_t *ret)
{
	static Elf64_Shdr headers[SECTION_LIMIT + 2];
	struct section *last;
	size_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	Elf64_Ehdr file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				       ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1,
			   .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Phdr code = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_vaddr = ELF_TREE_LOW,
			   .p_filesz = 64,
			   .p_memsz = ELF_TREE_HIGH - ELF_TREE_LOW};

	last = add_section(".shstrtab", SHT_STRTAB);
	put(last, 0, 1);
	memset(headers, 0, sizeof(headers));
	for (unsigned int i = 0; i < section_count; i++) {
		headers[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)last->size,
					      .sh_type = sections[i].type,
					      .sh_flags = sections[i].flags,
					      .sh_addr = sections[i].address,
					      .sh_link = sections[i].link,
					      .sh_addralign = 1};
		put_text(last, sections[i].name);
	}
	for (unsigned int i = 0; i < section_count; i++) {
		headers[i + 1].sh_offset = at;
		headers[i + 1].sh_size = sections[i].size;
		memcpy(ret + at, sections[i].bytes, sections[i].size);
		at += sections[i].size;
	}
	memset(ret + at, 0, 8);
	file.e_shoff = at = (at + 7) & ~(size_t)7;
	file.e_shnum = (uint16_t)(section_count + 1);
	file.e_shstrndx = (uint16_t)section_count;
	code.p_offset = headers[1].sh_offset;
	memcpy(ret, &file, sizeof(file));
	memcpy(ret + sizeof(file), &code, sizeof(code));
	memcpy(ret + at, headers, (section_count + 1) * sizeof(headers[0]));
	return at + (section_count + 1) * sizeof(headers[0]);
}

size_t elf_tree_write(const uint8_t *data, size_t size, uint8_t *ret)
{
	struct input input = {data, data + size};
	uint64_t packed = take(&input, 2), changes = take(&input, 1) % 8;
	uint32_t where[8];
	uint8_t what[8];

	for (uint64_t i = 0; i < changes; i++) {
		where[i] = (uint32_t)take(&input, 3);
		what[i] = (uint8_t)take(&input, 1);
	}
	section_count = 0;
	write_code();
	write_tree(&input);
	write_lines(&input);
	write_strings(".debug_str", SHT_PROGBITS);
	write_strings(".debug_line_str", SHT_PROGBITS);
	write_symbols(&input, ".symtab", SHT_SYMTAB);
	write_symbols(&input, ".dynsym", SHT_DYNSYM);
	write_others(&input);
	for (unsigned int i = 1; i < section_count; i++)
		if (packed >> i & 1)
			pack(&input, &sections[i]);
	size = lay_out(ret);
	for (uint64_t i = 0; i < changes; i++)
		ret[where[i] % size] = what[i];
	return size;
}
