/* SPDX-License-Identifier: MIT */
/*
 * Writing to code that runs. Runs on: traced threads, under the process lock, which
 * serialises the writers. Must not leave a page writable, or write what a processor may
 * see in parts.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* No code can be written in this process: a filter or the user forbids it, or it was
 * tried in vain. */
extern hidden uint32_t text_is_closed;

/* Bytes that are written and fetched as one lie between multiples of this: 64 where the
 * processor's maker says so of a cache line (Intel, 8.1.1), else 8, as AMD has it. */
unsigned int text_unit(void);

/* Would a store of these bytes be seen in parts? */
int text_is_split(uintptr_t at, unsigned int size);

/* Stores 1 or 4 bytes of a page with this protection (PROT_*) with one instruction. 0;
 * -EXDEV: it would be seen in parts; -EACCES: the system does not let code be written
 * (SELinux, PR_SET_MDWE), its calls are closed to us, or the user forbids it. The first
 * store to a page makes it the process's own: 4 KiB of tool memory. */
int text_write(uintptr_t at, const void *bytes, unsigned int size, int protection);

/* Stores up to 8 bytes one by one, all or none. Nobody executes them meanwhile. */
int text_write_parts(uintptr_t at, const void *bytes, unsigned int size, int protection);

/* Makes code of ours, that nobody runs yet, in a page where other code may run. 0, or
 * -EACCES. */
int text_compose(uintptr_t at, const void *bytes, unsigned int size);

/* Between these, pages stay writable from store to store: for many stores at one time.
 * The end makes them what they were. Not nested. begin: 0, or -EACCES: nothing can be
 * written now, and there is nothing to end. */
int text_begin(void);
void text_end(void);

/* A forked child: closes the pages that its parent was writing to. 1: there were some. */
int text_forked(void);

/* The program changes the protection of [low, high): it is not written or read from here
 * on. Past 64 such extents nothing is written any more. */
void text_leave(uintptr_t low, uintptr_t high);
int text_is_left(uintptr_t at);

/* The user forbids it (PROFSHIM_PATCH=off), for good. */
void text_forbid(void);
