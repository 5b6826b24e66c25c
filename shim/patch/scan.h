/* SPDX-License-Identifier: MIT */
/*
 * What one look at all of a function's code tells: where its jumps may lead, and which
 * registers have one function's address and no other's. A function may have thousands of
 * sites, so a look at a larger one is kept. Runs on: under the process lock. Must not
 * read beyond the function's code.
 */
#pragma once

#include "common/attributes.h"
#include "shim/code/code.h"
#include "shim/patch/site.h"

struct scan;

/* Of this function, whose code lies in the text and ends before the text does. It holds
 * until the next call. NULL: there is no room to keep it, or the code is longer than
 * 256 KiB: a thread that holds the lock has not the time to look at that. */
const struct scan *scan_find(const struct code *code, const struct extent *function);

/* The code has become other code, somewhere. */
void scan_forget(void);

/* Bytes looked at so far: what the looks have cost. */
extern hidden uint64_t scan_byte_count;

/*
 * Whose call of a hook it is stands in %rdi, and compilers make one call of two whose
 * arguments differ (cross jumping, tail merging): is every call from a site for one
 * function? Runs on: under the process lock. Must not read beyond the function's code.
 */

/* 0: perhaps not. Of an entry it is said when %rdi is set to the function right before
 * it. Of an exit also when it is set from a register that nothing in the code gives
 * another function's address, or when it is a jump of the function's own: were it wrong,
 * frames of another function would be closed by their callers, and counted as repaired.
 */
int alone_is_site(const struct site *site, const struct code *code, uintptr_t function);

/* Is %rdi set to the function right before the site? It may be jumped to nevertheless.
 * So many bytes before it are read. */
#define ALONE_BYTES 18u
int alone_is_set(const struct site *site, uintptr_t function);
