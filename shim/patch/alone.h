/* SPDX-License-Identifier: MIT */
/*
 * Whose call of a hook it is stands in %rdi, and compilers make one call of two whose
 * arguments differ (cross jumping, tail merging): is every call from a site for one
 * function? Runs on: under the process lock. Must not read beyond the function's code.
 */
#pragma once

#include "shim/patch/site.h"

/* 0: perhaps not. Of an entry it is said when %rdi is set to the function right before
 * it. Of an exit also when it is set from a register that nothing in the code gives
 * another function's address, or when it is a jump of the function's own: were it wrong,
 * frames of another function would be closed by their callers, and counted as repaired.
 */
int alone_is_site(const struct site *site, const struct code *code, uintptr_t function);

/* Is %rdi set to the function right before the site? It may be jumped to nevertheless. */
int alone_is_set(const struct site *site, uintptr_t function);
