/* SPDX-License-Identifier: MIT */
/*
 * malloc and friends that never fail: without memory they say so on stderr and end the
 * program with status 1. Must not be used in the shim.
 *
 * The collector ends so, too: what was recorded stays in the spool, and who reads the run
 * next puts it together, with more memory or on another machine.
 */
#pragma once

#include <stddef.h>

/* What is to be done before the program ends for want of memory: one function at a time,
 * NULL for none. It must not allocate. */
typedef void xalloc_end(void *context);
void xalloc_before_end(xalloc_end *end, void *context);

/* All results are owned by the caller, free() them. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *block, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
