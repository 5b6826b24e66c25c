/* SPDX-License-Identifier: MIT */
/*
 * Scans all of a function's code: where its jumps may lead, and which registers get the
 * address of one function only. A function may have thousands of sites, so scans of
 * larger ones are kept. Runs on: under the process lock. Must not read beyond the
 * function's code.
 */
#pragma once

#include "common/attributes.h"
#include "shim/code/code.h"
#include "shim/patch/site.h"

struct scan;

/* Scans this function, whose code must lie in the text and end before it. The result is
 * valid until the next call. NULL: there is no room to keep it, or the code is longer
 * than 256 KiB, too long to scan under the lock. */
const struct scan *scan_find(const struct code *code, const struct extent *function);

/* Forgets all scans: some code has been replaced. */
void scan_forget(void);

/* Bytes scanned so far: the cost of the scans. */
extern hidden uint64_t scan_byte_count;

/*
 * A hook's %rdi says whose call it is, and compilers merge two calls whose arguments
 * differ (cross jumping, tail merging). Is every call from a site for one function? Runs
 * on: under the process lock. Must not read beyond the function's code.
 */

/* 0: perhaps not. An entry must have %rdi set to the function right before it. For an
 * exit it is enough that %rdi is set from a register that the code gives no other
 * function's address, or that the exit is a jump in the function's own code. If that were
 * wrong, another function's frames would be closed by their callers and counted as
 * repaired.
 */
int alone_is_site(const struct site *site, const struct code *code, uintptr_t function);

/* Is %rdi set to the function right before the site? A jump may still reach the site.
 * Reads ALONE_BYTES bytes before it. */
#define ALONE_BYTES 18u
int alone_is_set(const struct site *site, uintptr_t function);
