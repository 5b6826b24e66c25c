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

/* From now on every function is one: what counts as library the user has asked for, and
 * only the collector can tell. */
void headers_take_all(void);

/* How many functions headers_add() will be given; 0: there is no room for so many, or for
 * one more object. */
int headers_begin(uint64_t low, uint64_t high, uint64_t count);
void headers_add(uint64_t function);
/* From here on they are known. */
void headers_end(void);

/* An object of the language's library: all of its functions are. A copy that was inlined
 * into the program's code may have the library's address. */
void headers_add_library(uint64_t low, uint64_t high);

/* Is the function with this entry one of them? */
enum headers_answer {
	HEADERS_NO,
	HEADERS_YES,
	HEADERS_UNKNOWN, /* it is in no object that was looked at */
};

enum headers_answer headers_ask(uint64_t function);

static inline int headers_has(uint64_t function)
{
	return headers_ask(function) == HEADERS_YES;
}

/* Changes with each object that is added. */
uint32_t headers_generation(void);
