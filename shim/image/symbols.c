/* SPDX-License-Identifier: MIT */
/*
 * The symbol tables of an object's file. Must not believe an offset in the file; keep it
 * mapped or open.
 */
#include "shim/image/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shim/core/gate.h"
#include "shim/core/syscall.h"
#include "shim/image/object.h"

struct image {
	const char *start;
	size_t size;
};

static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
	if (offset > image->size || size > image->size - offset)
		return NULL;
	return image->start + offset;
}

struct search {
	struct image image;
	uint64_t bias;
	symbols_look look;
	void *data;
};

static void look_in_table(const struct search *search, const Elf64_Shdr *table,
			  const Elf64_Shdr *string_table)
{
	const struct image *image = &search->image;
	const Elf64_Sym *symbols = part(image, table->sh_offset, table->sh_size);
	const char *strings = part(image, string_table->sh_offset, string_table->sh_size);
	uint64_t size = string_table->sh_size;

	if (!symbols || !strings || size == 0 || strings[size - 1])
		return;
	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    symbols[i].st_value && symbols[i].st_name < size)
			search->look(
				search->data,
				&(struct symbols_function){
					strings + symbols[i].st_name,
					search->bias + symbols[i].st_value,
					ELF64_ST_BIND(symbols[i].st_info) == STB_WEAK,
					ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL});
	}
}

static void look_in_image(const struct search *search)
{
	const struct image *image = &search->image;
	const Elf64_Ehdr *header = part(image, 0, sizeof(*header));
	const Elf64_Shdr *sections;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	sections = part(image, header->e_shoff, header->e_shnum * sizeof(*sections));
	for (int i = 0; sections && i < header->e_shnum; i++) {
		if ((sections[i].sh_type == SHT_SYMTAB ||
		     sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < header->e_shnum)
			look_in_table(search, &sections[i],
				      &sections[sections[i].sh_link]);
	}
}

static int is_noted_file(const struct segment_module *module, const struct stat *status)
{
	return module->inode == status->st_ino && module->device == status->st_dev &&
	       module->size_bytes == (uint64_t)status->st_size;
}

/* Another file may lie at the path by now; its addresses would be wrong. */
static int has_build_id(const struct image *image, const struct segment_module *module)
{
	const Elf64_Ehdr *header = part(image, 0, sizeof(*header));
	const Elf64_Shdr *sections;
	struct segment_module found = {.build_id_size = 0};

	sections =
		header ? part(image, header->e_shoff, header->e_shnum * sizeof(*sections))
		       : NULL;
	for (int i = 0; sections && i < header->e_shnum && !found.build_id_size; i++) {
		const char *notes =
			sections[i].sh_type == SHT_NOTE
				? part(image, sections[i].sh_offset, sections[i].sh_size)
				: NULL;

		if (notes)
			object_copy_build_id(&found, notes, sections[i].sh_size);
	}
	return found.build_id_size == module->build_id_size &&
	       !memcmp(found.build_id, module->build_id, found.build_id_size);
}

/* Raw system calls: those of libc are points of cancellation. Whatever lies at the path
 * must not make the program wait. */
static void map_file(const struct segment_module *module, struct image *image)
{
	struct stat status;
	long fd = SYSCALL(SYS_open, module->path,
			  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0, 0);
	long start = -1;

	if (fd < 0)
		return;
	if (SYSCALL(SYS_fstat, fd, &status, 0, 0, 0, 0) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size > 0 &&
	    (module->build_id_size || is_noted_file(module, &status)))
		start = SYSCALL(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd,
				0);
	SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	if (start < 0 && start > -4096)
		return;
	image->start = (const char *)start;
	image->size = (size_t)status.st_size;
}

void symbols_each(const struct segment_module *module, symbols_look look, void *data)
{
	struct search search = {{NULL, 0}, module->bias, look, data};

	if (module->path[0] != '/' || !gate_enter())
		return;
	map_file(module, &search.image);
	if (search.image.start) {
		if (!module->build_id_size || has_build_id(&search.image, module))
			look_in_image(&search);
		SYSCALL(SYS_munmap, search.image.start, search.image.size, 0, 0, 0, 0);
	}
	gate_leave();
}
