/* SPDX-License-Identifier: MIT */
/* What a process has mapped (/proc/PID/maps), and ELF files by device and inode. */
#include "collector/watch/outside.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "collector/processes/ticks.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/table.h"
#include "common/base/xalloc.h"

/* A mapping, as /proc/PID/maps has it. */
struct outside_mapping {
	uint64_t start, end, offset;
	uint64_t device, inode;
	const char *path;
};

/* Where a mapping's code is. */
struct outside_place {
	uint32_t module;  /* in the book; CPU_BOOK_NO_MODULE: not known */
	uint64_t address; /* in the file, of the first byte of the mapping */
	int has_hooks;	  /* the file calls the recorder's hooks */
};

#define SEGMENT_MOST 16u

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

static void look_at_file(const struct outside_objects *objects,
			 struct outside_object *object, struct cpu_book *book,
			 const struct outside_mapping *mapping)
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
		object->has_hooks = symbol_table_imports(file.elf, ELF_HOOK);
		describe(&module, file.elf, mapping, &info);
		object->module = book_add_module(book, &module);
	}
	elf_file_close(&file);
}

/* Looks at the file, if it is the one that is mapped, and adds it to the book. What was
 * there before the run began and has not changed since is it; so is what has the numbers
 * that the kernel tells, which not all file systems tell alike. */
static struct outside_place object_place(struct outside_objects *objects,
					 struct cpu_book *book,
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
		look_at_file(objects, &objects->all[number], book, mapping);
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

#define LINE_BYTES 5120
#define RANGE_LIMIT 16384u

/* Between two looks for addresses of which the last one told nothing. */
#define LEAST_PAUSE_NS 50000000ull
#define MOST_PAUSE_NS 10000000000ull

static int by_start(const void *a, const void *b)
{
	const struct outside_range *left = a, *right = b;

	return ORDER_BY(left, right, start);
}

/* "start-end r-xp offset major:minor inode   path". 0: no code of a file. */
static int read_line(char *line, struct outside_mapping *ret)
{
	unsigned long long start, end, offset, inode;
	unsigned int device_major, device_minor;
	char flags[5];
	int path_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, flags, &offset,
		   &device_major, &device_minor, &inode, &path_at) < 7 ||
	    flags[2] != 'x' ||
	    (strcmp(line + path_at, "[vdso]") != 0 && (!inode || line[path_at] != '/')))
		return 0;
	*ret = (struct outside_mapping){.start = start,
					.end = end,
					.offset = offset,
					.device = makedev(device_major, device_minor),
					.inode = inode,
					.path = line + path_at};
	return 1;
}

static void add_range(struct outside_space *space, const struct outside_mapping *mapping,
		      const struct outside_place *place)
{
	ARRAY_ADD(space->ranges, space->count) = (struct outside_range){
		mapping->start, mapping->end, place->address, place->module, 0};
}

void space_look(struct outside_space *space, struct outside_objects *objects,
		struct cpu_book *book, int32_t pid)
{
	char path[64], line[LINE_BYTES];
	struct outside_mapping mapping;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return; /* it is gone: what was known of it holds */
	free(space->ranges);
	space->ranges = NULL;
	space->count = 0;
	while (space->count < RANGE_LIMIT && fgets(line, sizeof(line), file)) {
		struct outside_place place;

		if (!read_line(line, &mapping))
			continue;
		place = object_place(objects, book, &mapping);
		space->has_hooks |= place.has_hooks;
		add_range(space, &mapping, &place);
	}
	fclose(file);
	if (space->count)
		qsort(space->ranges, space->count, sizeof(*space->ranges), by_start);
}

static const struct outside_range *look_again(struct outside_space *space,
					      struct outside_objects *objects,
					      struct cpu_book *book, int32_t pid,
					      uint64_t address)
{
	uint64_t now_ns = ticks_monotonic_ns();
	const struct outside_range *range;

	if (now_ns < space->next_ns)
		return NULL;
	space_look(space, objects, book, pid);
	range = stacks_find_range(space->ranges, space->count, address);
	space->pause_ns = range ? 0 : 2 * space->pause_ns;
	if (space->pause_ns < LEAST_PAUSE_NS)
		space->pause_ns = LEAST_PAUSE_NS;
	if (space->pause_ns > MOST_PAUSE_NS)
		space->pause_ns = MOST_PAUSE_NS;
	space->next_ns = now_ns + space->pause_ns;
	return range;
}

uint32_t space_known(const struct outside_space *space, uint64_t address,
		     uint64_t *ret_address)
{
	const struct outside_range *range =
		stacks_find_range(space->ranges, space->count, address);

	*ret_address = range ? address - range->start + range->address : 0;
	return range ? range->module : CPU_BOOK_NO_MODULE;
}

uint32_t space_find(struct outside_space *space, struct outside_objects *objects,
		    struct cpu_book *book, int32_t pid, uint64_t address,
		    uint64_t *ret_address)
{
	if (!stacks_find_range(space->ranges, space->count, address))
		(void)look_again(space, objects, book, pid, address);
	return space_known(space, address, ret_address);
}

void space_done(struct outside_space *space)
{
	free(space->ranges);
	*space = (struct outside_space){.count = 0};
}
