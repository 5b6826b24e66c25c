/* SPDX-License-Identifier: MIT */
/* ELF files by device and inode. */
#include "collector/outside/object.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <elfutils/libdwelf.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/symbols.h"
#include "common/base/array.h"

#define SEGMENT_MOST 16u
#define HOOK "__cyg_profile_func_enter"
#define SYMBOL_LIMIT (1u << 20)

/* Code in the file, and at which address it is linked. */
struct code {
	uint64_t offset, size, address;
};

struct outside_object {
	uint32_t module;
	int has_hooks;
	struct code codes[SEGMENT_MOST];
	uint32_t code_count;
};

static void read_codes(struct outside_object *object, Elf *elf)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && object->code_count < SEGMENT_MOST &&
			   gelf_getphdr(elf, (int)i, &header);
	     i++) {
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		object->codes[object->code_count++] =
			(struct code){header.p_offset, header.p_filesz, header.p_vaddr};
	}
}

/* An undefined one: libc has the hooks itself, and calls nothing. */
static int is_hook(Elf *elf, size_t strings, const GElf_Sym *symbol)
{
	const char *name;

	if (symbol->st_shndx != SHN_UNDEF)
		return 0;
	name = elf_strptr(elf, strings, symbol->st_name);
	return name && strcmp(name, HOOK) == 0;
}

static int calls_hooks(Elf *elf)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_DYNSYM, NULL, &header);
	Elf_Data *data = section ? elf_file_data(section) : NULL;
	GElf_Sym symbol;

	for (int i = 0; data && i < (int)SYMBOL_LIMIT && gelf_getsym(data, i, &symbol);
	     i++)
		if (is_hook(elf, header.sh_link, &symbol))
			return 1;
	return 0;
}

/* As the shim describes it: what it and we have seen of one file is one module. */
static void describe(struct segment_module *module, Elf *elf,
		     const struct outside_mapping *mapping, const struct stat *info)
{
	const void *build_id;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);

	if (size > 0 && (size_t)size <= sizeof(module->build_id)) {
		memcpy(module->build_id, build_id, (size_t)size);
		module->build_id_size = (uint32_t)size;
	} else {
		module->device = info->st_dev;
		module->inode = info->st_ino;
		module->size_bytes = (uint64_t)info->st_size;
		module->mtime_ns =
			info->st_mtim.tv_sec * 1000000000ll + info->st_mtim.tv_nsec;
	}
	strncpy(module->path, mapping->path, sizeof(module->path) - 1);
}

static int is_mapped_file(const struct outside_objects *objects,
			  const struct elf_file *file,
			  const struct outside_mapping *mapping, struct stat *ret)
{
	if (fstat(file->fd, ret) < 0)
		return 0;
	return ret->st_ctim.tv_sec < objects->begin_s ||
	       (ret->st_ino == mapping->inode && ret->st_dev == mapping->device);
}

/* It is in no file, and has one place. */
static void look_at_vdso(struct outside_object *object, struct cpu_book *book,
			 const struct outside_mapping *mapping)
{
	struct segment_module module = {.end = SEGMENT_KEY_REGION};

	strncpy(module.path, mapping->path, sizeof(module.path) - 1);
	object->codes[object->code_count++] = (struct code){0, UINT32_MAX, 0};
	object->module = book_add_module(book, &module);
}

static void look_at(const struct outside_objects *objects, struct outside_object *object,
		    struct cpu_book *book, const struct outside_mapping *mapping)
{
	struct segment_module module = {.end = SEGMENT_KEY_REGION};
	struct elf_file file;
	struct stat info;

	*object = (struct outside_object){.module = CPU_BOOK_NO_MODULE};
	if (mapping->path[0] != '/')
		look_at_vdso(object, book, mapping);
	if (mapping->path[0] != '/' || strlen(mapping->path) >= sizeof(module.path) ||
	    elf_file_open(mapping->path, &file) < 0)
		return;
	if (is_mapped_file(objects, &file, mapping, &info)) {
		read_codes(object, file.elf);
		object->has_hooks = calls_hooks(file.elf);
		describe(&module, file.elf, mapping, &info);
		object->module = book_add_module(book, &module);
	}
	elf_file_close(&file);
}

struct outside_place object_place(struct outside_objects *objects, struct cpu_book *book,
				  const struct outside_mapping *mapping)
{
	bool is_new;
	uint32_t number =
		map_number(&objects->map, mapping->device, mapping->inode, 0, &is_new);
	struct outside_place place = {CPU_BOOK_NO_MODULE, 0, 0};
	const struct outside_object *object;

	if (is_new) {
		objects->all =
			array_room(objects->all, objects->count++, sizeof(*objects->all));
		look_at(objects, &objects->all[number], book, mapping);
	}
	object = &objects->all[number];
	place.has_hooks = object->has_hooks;
	for (uint32_t i = 0; i < object->code_count; i++) {
		const struct code *code = &object->codes[i];
		uint64_t first = code->offset & ~4095ull;

		if (mapping->offset < first ||
		    mapping->offset >= code->offset + code->size)
			continue;
		place.module = object->module;
		place.address = mapping->offset - code->offset + code->address;
	}
	return place;
}
