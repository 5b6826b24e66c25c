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

/* What is written: so many bytes, in the place of others, in code that has this
 * protection (PROT_*) while it cannot be written. */
struct text_change {
	uintptr_t at;
	const void *from, *to;
	unsigned int size;
	int protection;
};

/* Changes 1 to 4 bytes with one instruction. 0; -EXDEV: it would be seen in parts;
 * -ESTALE: something else is there, and stays; -EACCES: the system does not let code be
 * written (SELinux, PR_SET_MDWE), its calls are closed to us, or the user forbids it. A
 * page that can be written stays so: the program has made it that. The first store to
 * another one makes it the process's own: 4 KiB of tool memory. */
int text_write(const struct text_change *change);

/* What was written before is what all threads execute from here on: each that is on a CPU
 * is interrupted for that. 0, or -EACCES: the system has no such call (Linux 4.16), or a
 * filter may forbid it. */
int text_sync(void);

/* Likewise up to 8 bytes one by one, all or none. Nobody executes them meanwhile. */
int text_write_parts(const struct text_change *change);

/* Makes code of ours, that nobody runs yet, in a page where other code may run. 0, or
 * -EACCES. */
int text_compose(uintptr_t at, const void *bytes, unsigned int size);

/* Between these, pages stay writable from store to store: for many stores at one time.
 * The last end makes them what they were: to change a page's protection and back takes
 * over 5 us, which is why. begin: 0, or -EACCES:
 * nothing can be written now, and there is nothing to end. */
int text_begin(void);
void text_end(void);

/* A forked child: closes the pages that its parent was writing to. 1: there were some. */
int text_forked(void);

/* The program changes the protection of [low, high), or what is mapped there: it is not
 * written or read from here on. Past 64 such extents nothing is written any more. */
void text_leave(uintptr_t low, uintptr_t high);
int text_is_left(uintptr_t low, uintptr_t high);

/* The user forbids it (PROFSHIM_PATCH=off), for good. */
void text_forbid(void);
