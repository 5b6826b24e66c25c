/* SPDX-License-Identifier: MIT */
/*
 * Functions that a header may have brought into an object of C++: of a library, or of the
 * user's own. Which of them are a library's only debug information tells, to who reads
 * it; for these alone it is of interest who called them (shim/stacks/callers.h). Runs on:
 * traced threads, any context; headers_add(): under the process lock.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* No object has such functions: nobody need look. */
extern hidden int headers_any;

/* How many functions headers_add() will be given; 0: there is no room for so many, or for
 * one more object. */
int headers_begin(uint64_t low, uint64_t high, uint64_t count);
void headers_add(uint64_t function);
/* From here on they are known. */
void headers_end(void);

/* Is the function with this entry one of them? */
int headers_has(uint64_t function);
