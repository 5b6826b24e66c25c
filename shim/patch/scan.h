/* SPDX-License-Identifier: MIT */
/*
 * What one look at all of a function's code tells: where its jumps may lead, and which
 * registers have one function's address and no other's. A function may have thousands of
 * sites, so a look at a larger one is kept. Runs on: under the process lock. Must not
 * read beyond the function's code.
 */
#pragma once

#include "common/attributes.h"
#include "shim/patch/code.h"

struct scan;

/* Of this function, whose code lies in the text and ends before the text does. It holds
 * until the next call. NULL: there is no room to keep it, or the code is longer than
 * 256 KiB: a thread that holds the lock has not the time to look at that. */
const struct scan *scan_find(const struct code *code, const struct extent *function);

/* May something in the function jump into (low, high]? Both lie in its code. */
int scan_is_jumped_to(const struct scan *scan, uintptr_t low, uintptr_t high);

/* Is this function's address given to the register, and never that of other code? What
 * is spilled to the stack and comes back in the same register is not seen: compilers
 * compute addresses again instead. */
int scan_has_only(const struct scan *scan, unsigned int number, uintptr_t function);

/* The code has become other code, somewhere. */
void scan_forget(void);

/* Bytes looked at so far: what the looks have cost. */
extern hidden uint64_t scan_byte_count;
