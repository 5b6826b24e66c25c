/* SPDX-License-Identifier: MIT */
/* Program headers, and where the tables for unwinding lie. */
#include "shim/code/code.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* The object's first page holds its headers: the loader maps it first. */
const ElfW(Phdr) * code_segments(uintptr_t start, unsigned int *ret_count)
{
	const ElfW(Ehdr) *header = (const void *)start;

	if (header->e_ident[0] != ELFMAG0 || header->e_ident[1] != ELFMAG1 ||
	    header->e_ident[2] != ELFMAG2 || header->e_ident[3] != ELFMAG3 ||
	    header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return NULL;
	*ret_count = header->e_phnum;
	return (const void *)(start + header->e_phoff);
}

static int protection_of(const ElfW(Phdr) * segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* What is added to an object's addresses, by its first segment. */
static uintptr_t bias_of(uintptr_t start, const ElfW(Phdr) * segments, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD)
			return start - (segments[i].p_vaddr & ~4095ul);
	}
	return start;
}

/* The loaded segment that has [address, address + size), or NULL. */
static const ElfW(Phdr) *
	segment_of(uintptr_t start, uintptr_t address, uint64_t size, uintptr_t *ret_bias)
{
	unsigned int count = 0;
	const ElfW(Phdr) *segments = code_segments(start, &count);
	uintptr_t bias = bias_of(start, segments, count);

	for (unsigned int i = 0; i < count; i++) {
		uintptr_t low = bias + segments[i].p_vaddr;

		if (segments[i].p_type == PT_LOAD && address >= low &&
		    address + size <= low + segments[i].p_memsz) {
			*ret_bias = bias;
			return &segments[i];
		}
	}
	return NULL;
}

int code_find(uintptr_t address, struct code *ret)
{
	struct dl_find_object found;
	const ElfW(Phdr) * segment;
	uintptr_t bias;

	if (_dl_find_object((void *)address, &found) != 0)
		return -ENOENT;
	ret->object.low = (uintptr_t)found.dlfo_map_start;
	ret->object.high = (uintptr_t)found.dlfo_map_end;
	segment = segment_of(ret->object.low, address, 1, &bias);
	if (!segment || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X))
		return -ENOENT;
	ret->text.low = bias + segment->p_vaddr;
	ret->text.high = ret->text.low + segment->p_memsz;
	ret->protection = protection_of(segment);
	ret->frames = found.dlfo_eh_frame;
	return 0;
}

static int has_code_in(uintptr_t address, uintptr_t low, uintptr_t high)
{
	struct dl_find_object found;
	unsigned int count = 0;
	const ElfW(Phdr) * segments;
	uintptr_t bias;

	if (_dl_find_object((void *)address, &found) != 0)
		return 0;
	segments = code_segments((uintptr_t)found.dlfo_map_start, &count);
	bias = bias_of((uintptr_t)found.dlfo_map_start, segments, count);
	for (unsigned int i = 0; i < count; i++) {
		uintptr_t start = bias + segments[i].p_vaddr;

		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X &&
		    start < high && start + segments[i].p_memsz > low)
			return 1;
	}
	return 0;
}

int code_is_in(uintptr_t low, uintptr_t high)
{
	return has_code_in(low, low, high) || has_code_in(high - 1, low, high);
}

int code_is_mapped(const struct code *code, uintptr_t address, uint64_t size)
{
	uintptr_t bias;
	const ElfW(Phdr) *segment = segment_of(code->object.low, address, size, &bias);

	return segment && segment->p_flags & PF_R;
}

/* Its tables for unwinding. 0, or -ENOENT. */
static int code_tables(const struct code *code, struct cfi_object *ret)
{
	uintptr_t header = (uintptr_t)code->frames, bias;
	const ElfW(Phdr) * segment;

	if (!header)
		return -ENOENT;
	segment = segment_of(code->object.low, header, sizeof(uint64_t), &bias);
	if (!segment || !(segment->p_flags & PF_R))
		return -ENOENT;
	ret->header = code->frames;
	ret->low = bias + segment->p_vaddr;
	ret->high = ret->low + segment->p_filesz;
	return 0;
}

int code_function(const struct code *code, uintptr_t address, struct extent *ret)
{
	struct cfi_object tables;

	return code_tables(code, &tables) == 0 && cfi_function(&tables, address, ret)
		       ? 0
		       : -ENOENT;
}

/*
 * A direct-mapped table whose entries are one word each, so that whoever reads one has
 * an address and its own rule, whatever others store meanwhile.
 */

uint64_t rules_known[RULES_COUNT];

struct cfi_rule cold rules_learn(uint64_t return_address)
{
	union {
		uint32_t packed;
		struct cfi_rule rule;
	} as = {.rule = {.kind = CFI_UNKNOWN}};
	struct cfi_object tables;
	struct code code;

	/* below: no code; above: not a program's */
	if (return_address < 4096 || return_address >> 47)
		return (struct cfi_rule){.kind = CFI_ODD};
	/* nobody tells when other code comes there: it is not remembered */
	if (code_find(return_address - 1, &code) < 0)
		return as.rule;
	if (code_tables(&code, &tables) == 0)
		as.rule = cfi_find(&tables, return_address);
	__atomic_store_n(&rules_known[rules_place(return_address)],
			 return_address >> RULES_SHIFT << 31 | as.packed,
			 __ATOMIC_RELAXED);
	return as.rule;
}

void rules_forget(void)
{
	for (uint32_t i = 0; i < RULES_COUNT; i++) {
		/* what was never written stays a page of zeros */
		if (__atomic_load_n(&rules_known[i], __ATOMIC_RELAXED))
			__atomic_store_n(&rules_known[i], 0, __ATOMIC_RELAXED);
	}
}
