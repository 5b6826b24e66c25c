/* SPDX-License-Identifier: MIT */
/*
 * The next allocator's functions, behind ours. Runs on: any thread, read only; filled by
 * boot/resolve.c before real_ready. Must not be called before real_ready: early_heap.h
 * serves until then.
 */
#pragma once

#include <stddef.h>

#include "common/attributes.h"

struct real_functions {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*malloc_usable_size)(void *);
};

extern hidden struct real_functions real;
extern hidden int real_ready;
