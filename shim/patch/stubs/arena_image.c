/* SPDX-License-Identifier: MIT */
/*
 * Why not __register_frame_info(): with any object registered libgcc before version 13
 * takes a lock for every frame of every exception, it may be there twice, or come later,
 * and libunwind does not ask it.
 */
#include "shim/patch/stubs/arena_image.h"

#include <elf.h>
#include <stddef.h>

/* The call frame information: LSB Core, chapter 10; DWARF 4, section 6.4. */
struct arena_image {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[3];
	ElfW(Dyn) dynamic; /* its end: there is nothing to link */
	struct link_map map;
	char name[16];
	struct {
		uint8_t version, pointer_encoding, count_encoding, table_encoding;
		int32_t frames;
		uint32_t count;
		int32_t start, entry;
	} table;
	struct {
		uint32_t size;
		uint8_t content[20];
	} common;
	struct {
		uint32_t size, back;
		int32_t start;
		uint32_t code_bytes;
		uint8_t rest[4];
		uint32_t end;
	} entry;
};

_Static_assert(sizeof(struct arena_image) <= ARENA_IMAGE_BYTES, "room for it");

/* The canonical frame address is 8 above the stack pointer, the return address just below
 * it, and no register has been changed that a function keeps. */
static const uint8_t common_information[20] = {
	0,    0,    0, 0, /* it is common information */
	1,		  /* version */
	'z',  'R',  0,	  /* the entries' encoding follows */
	1,    0x78,	  /* factors: 1 for code, -8 for data */
	16,		  /* the return address has this number */
	1,    0x1b,	  /* relative to where it stands, in 32 bits */
	0x0c, 7,    8,	  /* DW_CFA_def_cfa: %rsp + 8 */
	0x90, 1,	  /* DW_CFA_offset: of the return address, 1 * -8 */
	0,    0,
};

static void write_header(struct arena_image *image)
{
	static const unsigned char magic[] = {ELFMAG0,	  ELFMAG1,	ELFMAG2,
					      ELFMAG3,	  ELFCLASS64,	ELFDATA2LSB,
					      EV_CURRENT, ELFOSABI_SYSV};
	ElfW(Ehdr) *header = &image->header;

	for (unsigned int i = 0; i < sizeof(magic); i++)
		header->e_ident[i] = magic[i];
	header->e_type = ET_DYN;
	header->e_machine = EM_X86_64;
	header->e_version = EV_CURRENT;
	header->e_phoff = offsetof(struct arena_image, segments);
	header->e_ehsize = sizeof(*header);
	header->e_phentsize = sizeof(image->segments[0]);
	header->e_phnum = sizeof(image->segments) / sizeof(image->segments[0]);
}

static ElfW(Phdr) segment(uint32_t type, uint32_t flags, uint64_t at, uint64_t size)
{
	return (ElfW(Phdr)){.p_type = type,
			    .p_flags = flags,
			    .p_offset = at,
			    .p_vaddr = at,
			    .p_paddr = at,
			    .p_filesz = size,
			    .p_memsz = size,
			    .p_align = at ? 8 : 4096};
}

static int32_t from_to(const void *from, const void *to)
{
	return (int32_t)((const uint8_t *)to - (const uint8_t *)from);
}

static void write_frames(struct arena_image *image, uint64_t size)
{
	image->table.version = 1;
	image->table.pointer_encoding = 0x1b; /* relative to where it stands, 32 bits */
	image->table.count_encoding = 0x03;   /* 32 bits */
	image->table.table_encoding = 0x3b;   /* relative to the table, 32 bits */
	image->table.frames = from_to(&image->table.frames, &image->common);
	image->table.count = 1;
	image->table.start = from_to(&image->table, image);
	image->table.entry = from_to(&image->table, &image->entry);
	image->common.size = sizeof(image->common.content);
	for (unsigned int i = 0; i < sizeof(common_information); i++)
		image->common.content[i] = common_information[i];
	image->entry.size = offsetof(typeof(image->entry), end) -
			    offsetof(typeof(image->entry), back);
	image->entry.back = (uint32_t)from_to(&image->common, &image->entry.back);
	image->entry.start = from_to(&image->entry.start, image);
	image->entry.code_bytes = (uint32_t)size;
}

void arena_image_write(uint8_t *start, uint64_t size)
{
	struct arena_image *image = (struct arena_image *)start;
	const char name[] = "profshim-stubs";

	write_header(image);
	image->segments[0] = segment(PT_LOAD, PF_R | PF_X, 0, size);
	image->segments[1] =
		segment(PT_GNU_EH_FRAME, PF_R, offsetof(struct arena_image, table),
			sizeof(image->table));
	image->segments[2] =
		segment(PT_DYNAMIC, PF_R, offsetof(struct arena_image, dynamic),
			sizeof(image->dynamic));
	for (unsigned int i = 0; i < sizeof(name); i++)
		image->name[i] = name[i];
	image->map.l_addr = (uintptr_t)start;
	image->map.l_name = image->name;
	image->map.l_ld = &image->dynamic;
	write_frames(image, size);
}

void arena_image_find(uintptr_t start, struct dl_find_object *ret)
{
	struct arena_image *image = (struct arena_image *)start;

	*ret = (struct dl_find_object){
		.dlfo_map_start = image,
		.dlfo_map_end = (uint8_t *)image + image->segments[0].p_memsz,
		.dlfo_link_map = &image->map,
		.dlfo_eh_frame = &image->table,
	};
}

void arena_image_tell(uintptr_t start, struct dl_phdr_info *ret)
{
	const struct arena_image *image = (const struct arena_image *)start;

	*ret = (struct dl_phdr_info){.dlpi_addr = start,
				     .dlpi_name = image->name,
				     .dlpi_phdr = image->segments,
				     .dlpi_phnum = image->header.e_phnum};
}
