/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a big buffer is mapped, touched once and given back, over and over.
 */
// expect: M11 page-fault-storm
#include "background.h"

#include <stdlib.h>
#include <sys/mman.h>

#define BUFFER_BYTES (8u << 20)
#define PAGE_BYTES 4096u

static __attribute__((noinline)) void use_buffer(void)
{
	char *buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED)
		abort();
	for (unsigned i = 0; i < BUFFER_BYTES; i += PAGE_BYTES)
		buffer[i] = 1;
	munmap(buffer, BUFFER_BYTES);
}

static void use_buffers(void)
{
	for (int i = 0; i < 150; i++)
		use_buffer();
}

int main(void)
{
	background(20, 50000);
	use_buffers();
	return 0;
}
