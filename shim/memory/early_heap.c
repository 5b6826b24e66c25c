/* SPDX-License-Identifier: MIT */
/*
 * A bump heap of 256 KiB for the time before the real allocator. Runs on: before our
 * constructor.
 */
#include "shim/memory/early_heap.h"

char early_heap[EARLY_HEAP_BYTES] __attribute__((aligned(64)));
static size_t used_bytes;

/* The size stands in the 16 bytes before each block. */
void cold *early_heap_alloc(size_t size, size_t alignment)
{
	uintptr_t base = (uintptr_t)early_heap;
	size_t start, end;

	if (alignment < 16)
		alignment = 16;
	if (size > EARLY_HEAP_BYTES || alignment > EARLY_HEAP_BYTES)
		return NULL;
	start = ((base + used_bytes + 16 + alignment - 1) & ~(alignment - 1)) - base;
	end = start + size;
	if (end > EARLY_HEAP_BYTES)
		return NULL;
	used_bytes = end;
	*(size_t *)(early_heap + start - 16) = size;
	return early_heap + start;
}

size_t early_heap_size(const void *block)
{
	return *(const size_t *)((const char *)block - 16);
}

size_t early_heap_used(void)
{
	return used_bytes;
}
