/* SPDX-License-Identifier: MIT */
/* The notes, relocations and symbol tables of an object. */
#include "shim/image/image.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/lane/functions.h"

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

uint64_t object_dynamic(const ElfW(Dyn) * dynamic, int64_t tag)
{
	while (dynamic->d_tag != DT_NULL && dynamic->d_tag != tag)
		dynamic++;
	return dynamic->d_tag == tag ? dynamic->d_un.d_val : 0;
}

/* The loader has made most of them addresses. */
static const void *place_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
			    int64_t tag)
{
	uint64_t address = object_dynamic(dynamic, tag);

	return (const void *)(address && address < object->dlpi_addr
				      ? address + object->dlpi_addr
				      : address);
}

static void read_tables(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
			struct tables *ret)
{
	*ret = (struct tables){place_of(object, dynamic, DT_SYMTAB),
			       place_of(object, dynamic, DT_STRTAB),
			       {place_of(object, dynamic, DT_JMPREL),
				place_of(object, dynamic, DT_RELA)},
			       {object_dynamic(dynamic, DT_PLTRELSZ),
				object_dynamic(dynamic, DT_RELASZ)}};
}

static int names(const struct tables *tables, const char *wanted)
{
	if (!tables->symbols || !tables->strings)
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t count = tables->all[i] ? tables->sizes[i] / sizeof(ElfW(Rela)) : 0;

		for (size_t at = 0; at < count; at++) {
			uint64_t symbol = ELF64_R_SYM(tables->all[i][at].r_info);
			const char *name =
				tables->strings + tables->symbols[symbol].st_name;

			if (symbol && !strcmp(name, wanted))
				return 1;
		}
	}
	return 0;
}

int object_calls(const struct dl_phdr_info *object, const char *name)
{
	struct tables tables = {.symbols = NULL};

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		ElfW(Addr) at = object->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_DYNAMIC)
			read_tables(object, (const ElfW(Dyn) *)at, &tables);
	}
	return names(&tables, name);
}

void object_note(const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
			continue;
		upcalls.note_module(object->dlpi_addr + header->p_vaddr);
		break;
	}
}

/*
 * The symbol tables of an object's file. Must not believe an offset in the file; keep it
 * mapped or open.
 */

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

/* The section headers; NULL: it is none of our kind. */
static const Elf64_Shdr *sections_of(const struct image *image, int *ret_count)
{
	const Elf64_Ehdr *header = part(image, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*ret_count = header->e_shnum;
	return part(image, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
}

static void look_in_image(const struct search *search)
{
	int count;
	const Elf64_Shdr *sections = sections_of(&search->image, &count);

	for (int i = 0; sections && i < count; i++) {
		if ((sections[i].sh_type == SHT_SYMTAB ||
		     sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < (uint32_t)count)
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
	int count;
	const Elf64_Shdr *sections = sections_of(image, &count);
	struct segment_module found = {.build_id_size = 0};

	for (int i = 0; sections && i < count && !found.build_id_size; i++) {
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

/*
 * Inline functions and templates are weak symbols, wherever they come from, or local ones
 * where they are static; those of the language's library that no other file could need
 * are local, and known by their names, as is the library itself where it was linked in.
 * Nothing tells static functions of a header from those of the file that includes it: who
 * called them is kept of all, and who reads debug information decides.
 */

static int begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int is_library_of_cxx(const char *name)
{
	return begins(name, "libstdc++.so") || begins(name, "libc++.so");
}

/* The unwinder, or what one inside of the object needs. */
static int is_of_unwinding(const char *name)
{
	return begins(name, "libgcc_s.so") || strcmp(name, "_dl_find_object") == 0 ||
	       strcmp(name, "dl_iterate_phdr") == 0;
}

/* Is the object linked to a library of C++, or is there perhaps one in it? Others need
 * not be read. */
static int is_of_cxx(const struct segment_module *module, const ElfW(Dyn) * dynamic)
{
	const char *strings = (const char *)object_dynamic(dynamic, DT_STRTAB), *end;
	uint64_t size = object_dynamic(dynamic, DT_STRSZ);

	/* the loader leaves it an address of the file where it cannot write */
	if ((uint64_t)strings < module->start || (uint64_t)strings >= module->end ||
	    size > module->end - (uint64_t)strings || !size || strings[size - 1])
		return 0;
	end = strings + size;
	for (const char *name = strings; name < end; name += strlen(name) + 1) {
		if (is_library_of_cxx(name) || is_of_unwinding(name))
			return 1;
	}
	return 0;
}

/* Static functions have an L in front of their names, where they are in a namespace in
 * front of the number of its letters: _ZN2nsL4makeEv; static templates have arguments, in
 * whose names is an I. Some that are not have, too. */
static int may_be_static(const char *name)
{
	if (begins(name, "_ZL") || strchr(name, 'I'))
		return 1;
	for (const char *at = strchr(name, 'L'); at; at = strchr(at + 1, 'L')) {
		if (at[1] >= '0' && at[1] <= '9')
			return 1;
	}
	return 0;
}

static int is_of_header(const struct symbols_function *function)
{
	static const char *const names[] = {
		"_ZSt",		 "_ZNSt",	   "_ZNKSt",
		"_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
		"__cxa_",	 "_Znw",	   "_Zna"};
	const char *name = function->name;

	/* parts and clones of what is weak are not, nor is what is static */
	if (function->is_weak || strchr(name, '.') ||
	    (function->is_local && may_be_static(name)))
		return begins(name, "_Z");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (begins(name, names[i]))
			return 1;
	}
	return 0;
}

static void count(void *data, const struct symbols_function *function)
{
	*(uint64_t *)data += (uint64_t)is_of_header(function);
}

static void add(void *data, const struct symbols_function *function)
{
	uint64_t *left = data; /* the file may be another one by now */

	if (!*left || !is_of_header(function))
		return;
	headers_add(function->address);
	--*left;
}

void symbols_look_for_headers(const struct segment_module *module, const void *dynamic)
{
	const char *base = strrchr(module->path, '/');
	uint64_t function_count = 0;

	if (is_library_of_cxx(base ? base + 1 : module->path)) {
		headers_add_library(module->start, module->end);
		return;
	}
	if (!dynamic || !is_of_cxx(module, dynamic))
		return;
	symbols_each(module, count, &function_count);
	if (!headers_begin(module->start, module->end, function_count))
		return;
	symbols_each(module, add, &function_count);
	headers_end();
}
