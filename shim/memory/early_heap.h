/* SPDX-License-Identifier: MIT */
/*
 * The heap before the real allocator is known: the loader and dlsym may call malloc
 * before our constructor has run. Runs on: the thread that starts the process; frees may
 * come from any. Must not call libc. Blocks are never given back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/attributes.h"

#define EARLY_HEAP_BYTES (256u << 10)

extern hidden char early_heap[EARLY_HEAP_BYTES];

/* Zeroed, aligned to alignment (a power of two, at least 16). NULL when used up. */
void *early_heap_alloc(size_t size, size_t alignment);
size_t early_heap_size(const void *block);

/* How much of it has been handed out. */
size_t early_heap_used(void);

/* The functions of an allocator on it: what comes behind ours until the real one is
 * known, see shim/wrap/wrapped.def. Blocks of this heap do not come to free and realloc.
 */
void *early_malloc(size_t size);
void *early_calloc(size_t count, size_t size);
void *early_realloc(void *old, size_t size);
void early_free(void *address);
int early_posix_memalign(void **ret_block, size_t alignment, size_t size);
void *early_memalign(size_t alignment, size_t size);
void *early_valloc(size_t size);
size_t early_usable_size(void *address);

static inline int early_heap_owns(const void *block)
{
	return unlikely((uintptr_t)block - (uintptr_t)early_heap < EARLY_HEAP_BYTES);
}
