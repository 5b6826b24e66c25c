/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the rules of an ELF file's frames, as the shim reads them, for
 *                check_rules.py. Maps the file as the loader would, runs nothing of it.
 *                usage: show_rules FILE, addresses on standard input, in hexadecimal
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/code/cfi.h"

static char *load(const char *file, const Elf64_Phdr *segments, int count)
{
	uint64_t end = 0;
	char *memory;

	for (int i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD &&
		    segments[i].p_vaddr + segments[i].p_memsz > end)
			end = segments[i].p_vaddr + segments[i].p_memsz;
	}
	memory = mmap(NULL, end, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	for (int i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD)
			memcpy(memory + segments[i].p_vaddr, file + segments[i].p_offset,
			       segments[i].p_filesz);
	}
	return memory;
}

static int find_tables(char *memory, const Elf64_Phdr *segments, int count,
		       struct cfi_object *ret)
{
	const Elf64_Phdr *tables = NULL;

	for (int i = 0; i < count; i++) {
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			tables = &segments[i];
	}
	for (int i = 0; tables && i < count; i++) {
		if (segments[i].p_type != PT_LOAD ||
		    tables->p_vaddr - segments[i].p_vaddr >= segments[i].p_filesz)
			continue;
		ret->header = (uint8_t *)memory + tables->p_vaddr;
		ret->low = (uintptr_t)memory + segments[i].p_vaddr;
		ret->high = ret->low + segments[i].p_filesz;
		return 1;
	}
	return 0;
}

static void show(struct cfi_rule rule)
{
	static const char *const others[] = {[CFI_REALIGNED] = "realigned",
					     [CFI_END] = "end",
					     [CFI_SIGNAL] = "signal",
					     [CFI_ODD] = "odd"};

	if (rule.kind == CFI_STEP)
		printf("%s+%u %u\n", rule.is_from_frame_pointer ? "rbp" : "rsp",
		       rule.cfa_words * 8u, rule.saved_words * 8u);
	else
		puts(others[rule.kind]);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segments;
	struct cfi_object object;
	unsigned long address;
	struct stat status;
	char *file, *memory;

	if (fd < 0 || fstat(fd, &status) < 0)
		return 2;
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return 2;
	header = (const void *)file;
	segments = (const void *)(file + header->e_phoff);
	memory = load(file, segments, header->e_phnum);
	if (!memory || !find_tables(memory, segments, header->e_phnum, &object))
		return 1;
	while (scanf("%lx", &address) == 1)
		show(cfi_find(&object, (uint64_t)(uintptr_t)memory + address + 1));
	return 0;
}
