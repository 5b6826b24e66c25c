/* SPDX-License-Identifier: MIT */
/*
 * malloc and friends that never fail: without memory they print an error and end the
 * program with status 1. Must not be used in the shim.
 *
 * This ends the collector, too. The recording stays in the spool, and the next reader of
 * the run stores it, with more memory or on another machine.
 */
#pragma once

#include <stddef.h>

/* Sets the function to call before the program ends for lack of memory; NULL: none. It
 * must not allocate. */
typedef void xalloc_end(void *context);
void xalloc_before_end(xalloc_end *end, void *context);

/* All results are owned by the caller (free). */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *block, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
