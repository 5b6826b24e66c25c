/* SPDX-License-Identifier: MIT */
/*
 * A bump heap of 256 KiB for the time before the real allocator. Runs on: before our
 * constructor.
 */
#include "shim/memory/early_heap.h"

#include <errno.h>

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

void *early_malloc(size_t size)
{
	return early_heap_alloc(size, 16);
}

void *early_calloc(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL
							   : early_heap_alloc(bytes, 16);
}

void *early_realloc(void *old, size_t size)
{
	return old ? NULL : early_heap_alloc(size, 16);
}

void early_free(void *address)
{
	(void)address;
}

int early_posix_memalign(void **ret_block, size_t alignment, size_t size)
{
	void *block = early_heap_alloc(size, alignment);

	if (!block)
		return ENOMEM;
	*ret_block = block;
	return 0;
}

void *early_memalign(size_t alignment, size_t size)
{
	return early_heap_alloc(size, alignment);
}

void *early_valloc(size_t size)
{
	return early_heap_alloc(size, 4096);
}

size_t early_usable_size(void *address)
{
	(void)address;
	return 0;
}
