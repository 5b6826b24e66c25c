/* SPDX-License-Identifier: MIT */
/*
 * The malloc family: the real function, and the books around it (events/allocation.h).
 * Runs on: traced threads, any context, from before our constructor until after the last
 * destructor. Must not call libc but for the real functions; change errno; hold anything
 * while the real function runs.
 */
#include <errno.h>
#include <stdint.h>

#include "shim/memory/early_heap.h"
#include "shim/events/allocation.h"
#include "shim/wrap/real.h"

/* Makes the function keep a frame pointer. Whoever is given this must not be called as
 * its last deed, by a jump: the frame would be gone. */
#define CALLER ((const struct stack_caller *)__builtin_frame_address(0))

/* A function that makes a block of this size. */
#define MAKES(name, parameters, arguments)                                               \
	exported void *name parameters                                                   \
	{                                                                                \
		void *block = real_##name arguments;                                     \
                                                                                         \
		allocation_made(block, size, CALLER);                                    \
		return block;                                                            \
	}

MAKES(malloc, (size_t size), (size))
MAKES(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
MAKES(memalign, (size_t alignment, size_t size), (alignment, size))
MAKES(valloc, (size_t size), (size))
/* The allocator rounds up to whole pages; what the program asked for counts. */
MAKES(pvalloc, (size_t size), (size))

exported void free(void *address)
{
	if (!address || early_heap_owns(address))
		return;
	allocation_ends(address);
	real_free(address);
}

exported void *calloc(size_t count, size_t size)
{
	void *block = real_calloc(count, size);

	if (block) /* then the product did not overflow */
		allocation_made(block, count * size, CALLER);
	return block;
}

/* Takes a block of the early heap into the real one. */
static inline __attribute__((always_inline)) void *
move_early(void *old, size_t size, const struct stack_caller *caller)
{
	size_t keep = early_heap_size(old);
	char *block = real_malloc(size);

	if (!block)
		return NULL;
	for (size_t i = 0; i < keep && i < size; i++)
		block[i] = ((char *)old)[i];
	allocation_made(block, size, caller);
	return block;
}

/* A block that is a mapping of its own has glibc's header at the start of its first page.
 * (Another large block lies there one time in 256.) */
static int is_mapping(const void *block, uint64_t size)
{
	return size >= 128 * 1024 && ((uintptr_t)block & 4095) == 16;
}

/* What a realloc copied: nothing in place, nor where mremap moved the pages. (Of 2 GB
 * that discount's markdown was said to copy in 0.3 s nearly all was that.) */
static uint64_t copied_bytes(const void *old, uint64_t old_size, const void *block,
			     uint64_t size)
{
	if (block == old || (is_mapping(old, old_size) && is_mapping(block, size)))
		return 0;
	return old_size < size ? old_size : size;
}

static inline __attribute__((always_inline)) void *
reallocate(void *old, size_t size, const struct stack_caller *caller)
{
	struct shadow_block before = {0};
	int known;
	void *block;

	if (!old) {
		block = real_realloc(NULL, size);
		allocation_made(block, size, caller);
		return block;
	}
	if (early_heap_owns(old))
		return move_early(old, size, caller);
	known = allocation_freed(old, &before, 1);
	block = real_realloc(old, size);
	if (likely(block)) {
		if (known)
			allocation_resized(
				block, size,
				&(struct site_resize){before.size_bytes,
						      copied_bytes(old, before.size_bytes,
								   block, size)},
				caller);
		else
			allocation_made(block, size, caller);
	} else if (size != 0) { /* of size 0 the block is freed */
		allocation_kept(old, &before, known);
	}
	return block;
}

exported void *realloc(void *old, size_t size)
{
	return reallocate(old, size, CALLER);
}

/* Calls what everybody's realloc is, as libc's does: blocks may be those of a program or
 * a library that has a malloc of its own and no reallocarray. (Bash ended with
 * "unallocated block" on one that libc had made.) A sibling call, so the caller is the
 * program. */
exported void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

exported int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
	int result = real_posix_memalign(ret_block, alignment, size);

	if (result == 0)
		allocation_made(*ret_block, size, CALLER);
	return result;
}

/* C23. glibc has them since 2.43; a program that calls them needs them from somewhere,
 * and what they must do is what free does. */
exported void free_sized(void *address, size_t size)
{
	(void)size;
	free(address);
}

exported void free_aligned_sized(void *address, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(address);
}

exported size_t malloc_usable_size(void *address)
{
	if (early_heap_owns(address))
		return early_heap_size(address);
	return real_malloc_usable_size(address);
}
