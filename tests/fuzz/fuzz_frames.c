/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: this program's own .eh_frame, damaged, read by what
 *                walks stacks inside of programs. Whatever stands there, nothing outside
 *                of the segment may be read, and an answer must come.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      shim/code/cfi.h
 *
 * An input is a list of 12-byte changes: 1 byte how many bytes (1 to 8), 3 bytes where,
 * 8 bytes what.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "shim/code/cfi.h"

#define CODE_STEP 61

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void damage(uint8_t *segment, size_t segment_size, const uint8_t *data,
		   size_t size)
{
	for (; size >= 12; data += 12, size -= 12) {
		size_t count = 1 + data[0] % 8;
		size_t where = (data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16) %
			       segment_size;

		if (count > segment_size - where)
			count = segment_size - where;
		memcpy(segment + where, data + 4, count);
	}
}

/* From the tables' header, where the damage is likeliest, to the end of its segment. */
static size_t find_segment(const struct dl_find_object *found)
{
	const ElfW(Ehdr) *header = found->dlfo_map_start;
	const ElfW(Phdr) *segments =
		(const void *)((const char *)header + header->e_phoff);
	uintptr_t tables = (uintptr_t)found->dlfo_eh_frame;

	for (int i = 0; i < header->e_phnum; i++) {
		uintptr_t low = found->dlfo_link_map->l_addr + segments[i].p_vaddr;

		if (segments[i].p_type == PT_LOAD && tables - low < segments[i].p_filesz)
			return low + segments[i].p_filesz - tables;
	}
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uintptr_t start = (uintptr_t)LLVMFuzzerTestOneInput - 100 * CODE_STEP;
	struct dl_find_object found;
	struct cfi_object object;
	size_t segment_size;
	uint8_t *copy;

	if (_dl_find_object((void *)(uintptr_t)LLVMFuzzerTestOneInput, &found) != 0)
		abort();
	segment_size = find_segment(&found);
	copy = malloc(segment_size);
	if (!copy)
		abort();
	memcpy(copy, found.dlfo_eh_frame, segment_size);
	damage(copy, segment_size, data, size);
	object = (struct cfi_object){copy, (uintptr_t)copy,
				     (uintptr_t)copy + segment_size};
	for (uintptr_t i = 0; i < 200; i++) {
		uintptr_t address = start + i * CODE_STEP;
		struct cfi_rule rule =
			cfi_find(&object, address - (uintptr_t)found.dlfo_eh_frame +
						  (uintptr_t)copy);

		if (size < 12 && i == 101 && rule.kind != CFI_STEP)
			abort(); /* nothing is damaged, and it is in a function */
		if (rule.kind == CFI_UNLEARNED ||
		    (rule.kind == CFI_STEP && !rule.cfa_words))
			abort();
	}
	free(copy);
	return 0;
}
