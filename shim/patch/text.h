/* SPDX-License-Identifier: MIT */
/*
 * Writing to code that runs. Runs on: traced threads, under the process lock, which
 * serialises the writers. Must not leave a page writable, or write what lies in two cache
 * lines.
 */
#pragma once

#include "shim/patch/code.h"

/* Stores 1, 2 or 4 bytes with one instruction. 0; -EXDEV: in two cache lines; -EACCES:
 * the system does not let code be written (SELinux, PR_SET_MDWE), or its calls are closed
 * to us. The first store to a page makes it the process's own: 4 KiB of tool memory. */
int text_write(const struct code *code, uintptr_t at, const void *bytes,
	       unsigned int size);

/* Between these, pages stay writable from store to store: for many stores at one time.
 * The end makes them what they were. Not nested. */
void text_begin(void);
void text_end(void);
