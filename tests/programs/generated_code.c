/* SPDX-License-Identifier: MIT */
/* Code made at run time calls malloc, and its frame pointer leads to a return address that
 * is none: at the last byte of a page, from where a word reaches into one that is not
 * mapped. A Java program died of what an unwinder read there. */
// hooks: no
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE largest_bytes = 1234 => 2
#include "truth.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096

/* push %rbp; mov %rdi,%rbp; mov %rsi,%rdi; call *%rdx; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xfd, 0x48, 0x89,
				     0xf7, 0xff, 0xd2, 0x5d, 0xc3};

typedef void *allocate(void *frame_pointer, size_t size, void *(*function)(size_t));

int main(void)
{
	int protection = PROT_READ | PROT_WRITE | PROT_EXEC;
	char *pages = mmap(NULL, 3 * PAGE_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	char *last = pages + PAGE_BYTES;
	void *frame[2] = {NULL, last + 8};
	allocate *call = (allocate *)(void *)pages;

	memcpy(pages, code, sizeof(code));
	munmap(last + PAGE_BYTES, PAGE_BYTES);
	keep(frame);
	free(call(frame, 1234, malloc));
	frame[1] = last + PAGE_BYTES - 1;
	keep(frame);
	free(call(frame, 1234, malloc));
	return 0;
}
