/* SPDX-License-Identifier: MIT */
/* The build-id is among the notes; who calls the hooks is read from the relocations, as
 * the loader has them in memory. */
#include "shim/image/object.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define HOOK_NAME "__cyg_profile_func_enter"

void object_copy_build_id(struct segment_module *module, const char *notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = (note->n_namesz + 3u) & ~3u,
		       data = (note->n_descsz + 3u) & ~3u;

		if (sizeof(*note) + name + data > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4) &&
		    note->n_descsz <= sizeof(module->build_id)) {
			module->build_id_size = note->n_descsz;
			memcpy(module->build_id, (const char *)(note + 1) + name,
			       note->n_descsz);
			return;
		}
		notes += sizeof(*note) + name + data;
		size -= sizeof(*note) + name + data;
	}
}

struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * all[2];
	size_t sizes[2];
};

/* The loader has made most of them addresses. */
static const void *place_of(const struct dl_phdr_info *object, ElfW(Addr) address)
{
	return (const void *)(address < object->dlpi_addr ? address + object->dlpi_addr
							  : address);
}

static void read_tables(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
			struct tables *ret)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *place = place_of(object, dynamic->d_un.d_ptr);

		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			ret->symbols = place;
			break;
		case DT_STRTAB:
			ret->strings = place;
			break;
		case DT_JMPREL:
			ret->all[0] = place;
			break;
		case DT_PLTRELSZ:
			ret->sizes[0] = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			ret->all[1] = place;
			break;
		case DT_RELASZ:
			ret->sizes[1] = dynamic->d_un.d_val;
			break;
		default:
			break;
		}
	}
}

static int has_hooks(const struct tables *tables)
{
	if (!tables->symbols || !tables->strings)
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t count = tables->all[i] ? tables->sizes[i] / sizeof(ElfW(Rela)) : 0;

		for (size_t at = 0; at < count; at++) {
			uint64_t symbol = ELF64_R_SYM(tables->all[i][at].r_info);
			const char *name =
				tables->strings + tables->symbols[symbol].st_name;

			if (symbol && !strcmp(name, HOOK_NAME))
				return 1;
		}
	}
	return 0;
}

int object_calls_hooks(const struct dl_phdr_info *object)
{
	struct tables tables = {.symbols = NULL};

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		ElfW(Addr) at = object->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_DYNAMIC)
			read_tables(object, (const ElfW(Dyn) *)at, &tables);
	}
	return has_hooks(&tables);
}
