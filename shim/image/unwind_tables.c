/* SPDX-License-Identifier: MIT */
/*
 * The loader knows .eh_frame_hdr, and tells it without a lock. How far can be read from
 * there the program headers say, as far as they are what linkers make: in the object's
 * first page.
 */
#include "shim/image/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "shim/stacks/rules.h"

#define PAGE_BYTES 4096u

static int find_segment(const struct dl_find_object *found, struct cfi_object *ret)
{
	const ElfW(Ehdr) *header = found->dlfo_map_start;
	const ElfW(Phdr) * segments;
	uintptr_t bias = found->dlfo_link_map->l_addr;
	uintptr_t tables = (uintptr_t)found->dlfo_eh_frame;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phoff != sizeof(*header) ||
	    header->e_phnum > (PAGE_BYTES - sizeof(*header)) / sizeof(*segments))
		return -ENOENT;
	segments = (const void *)(header + 1);
	for (int i = 0; i < header->e_phnum; i++) {
		uintptr_t low = bias + segments[i].p_vaddr;

		if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_R) ||
		    tables < low || tables - low >= segments[i].p_filesz)
			continue;
		*ret = (struct cfi_object){found->dlfo_eh_frame, low,
					   low + segments[i].p_filesz};
		return 0;
	}
	return -ENOENT;
}

static int find_object(uint64_t address, struct cfi_object *ret)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0 || !found.dlfo_eh_frame)
		return -ENOENT;
	return find_segment(&found, ret);
}

int unwind_tables_fit(uint64_t address)
{
	struct cfi_object object;

	return find_object(address, &object) == 0 && cfi_fits(&object, address);
}

void unwind_tables_begin(void)
{
	rules_find_object = find_object;
}
