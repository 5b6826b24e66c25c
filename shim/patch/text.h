/* SPDX-License-Identifier: MIT */
/*
 * Writes to code that other threads may be executing. Runs on: traced threads, under the
 * process lock. Must not leave a page writable, nor write what a processor may see in
 * parts.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* No code can be written in this process: a filter or the user forbids it, or a try
 * failed. */
extern hidden uint32_t text_is_closed;

/* A store between two multiples of this is seen whole: 64 where the processor's maker
 * says so of a cache line (Intel, 8.1.1), else 8, as for AMD. */
unsigned int text_unit(void);

/* Would a store of these bytes be seen in parts? */
int text_is_split(uintptr_t at, unsigned int size);

/* Replaces `size` bytes `from` by `to`. protection: PROT_*, of the code's pages while
 * they are not writable. */
struct text_change {
	uintptr_t at;
	const void *from, *to;
	unsigned int size;
	int protection;
};

/* Changes 1 to 4 bytes with one instruction. 0; -EXDEV: it would be seen in parts;
 * -ESTALE: something else is there, and stays; -EACCES: the system does not let code be
 * written (SELinux, PR_SET_MDWE), system calls are closed to us, or the user forbids it.
 * A page that the program has made writable stays so. The first store to any other page
 * makes it private: 4 KiB of tool memory. */
int text_write(const struct text_change *change);

/* Makes all threads execute what was written before; interrupts each that is on a CPU. 0,
 * or -EACCES: the system has no such call (before Linux 4.16), or a filter may forbid
 * it. */
int text_sync(void);

/* The same for bytes that no thread executes meanwhile: writes them one by one, all or
 * none. */
int text_write_parts(const struct text_change *change);

/* Writes code of ours that nobody runs yet, in a page where other code may run. 0, or
 * -EACCES. */
int text_compose(uintptr_t at, const void *bytes, unsigned int size);

/* Between these, pages stay writable from store to store; the last end protects them
 * again. Changing a page's protection and back takes over 5 us. begin: 0, or -EACCES:
 * nothing can be written now, and do not call end. */
int text_begin(void);
void text_end(void);

/* In a forked child: closes the pages that its parent was writing to. 1: there were
 * some. */
int text_forked(void);

/* The program changes the protection of [low, high), or what is mapped there: we neither
 * write nor read it any more. After 64 such extents nothing is written at all. */
void text_leave(uintptr_t low, uintptr_t high);
int text_is_left(uintptr_t low, uintptr_t high);

/* The user forbids writing code (PROFSHIM_PATCH=off), for good. */
void text_forbid(void);
