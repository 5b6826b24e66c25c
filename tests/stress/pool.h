/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the allocator behind the shim's functions in the stress program. It
 *                hands a freed address out again at once, to whichever thread asks, and
 *                orders the two by a lock, as a real allocator does (ThreadSanitizer's
 *                own does not say so to itself).
 *                Signals wait while it works, so a handler may allocate wherever it lands
 *                and lands in the recorder.
 * Runs on:       tests; any thread, any context.
 */
#pragma once

#include <stddef.h>

/* Makes shim/wrap/malloc.c use the pool. Once, before its functions are called. */
void pool_begin(void);

/* The functions of shim/wrap/malloc.c, which the stress program compiles under these
 * names so that they replace nobody's. */
void *hot_malloc(size_t size);
void *hot_calloc(size_t count, size_t size);
void *hot_realloc(void *block, size_t size);
void hot_free(void *block);
