/* SPDX-License-Identifier: MIT */
/* What is known of functions by their addresses: which of them wait, which a header
 * has brought, and at which something is done. Runs on: traced threads, any context.
 * Must not call libc. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/*
 * Functions that have made a call of libc that is a node (common/libc/calls.h): what it
 * waits for would stand below their caller if they had no frames. Runs on: traced
 * threads, any context; without a lock: entries are added, and none moves. A forked child
 * goes on with what its parent knew.
 */

void waiters_note(uint64_t function);
int waiters_have(uint64_t function);

/* [low, high) has been unmapped. Nobody runs there. */
void waiters_forget(uint64_t low, uint64_t high);

/*
 * Functions that a header may have brought into an object of C++: of a library, or of the
 * user's own. Which of them are a library's only debug information tells, to who reads
 * it; for these alone it is of interest who called them (shim/stacks/callers.h). Runs on:
 * traced threads, any context; headers_add(): under the process lock.
 */

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

/*
 * Functions at whose entry or exit a snapshot is taken, a pause begins or ends, or that
 * are studied. Runs on: trigger_add: under the process lock; the rest: traced threads,
 * any context, slow paths of the call hooks.
 */

#define TRIGGER_LIMIT 64u

/* Addresses in the table; it only grows. */
extern hidden uint32_t trigger_count;

/* What else the calls of a function do: for the first two see events/events.h. */
#define TRIGGER_FROM 1u
#define TRIGGER_UNTIL 2u
/* Its calls are studied, see shim/study/: as asked for, or found. */
#define TRIGGER_STUDY 4u
#define TRIGGER_FOUND 8u
#define TRIGGER_STUDIES (TRIGGER_STUDY | TRIGGER_FOUND)
/* Found for what its slow calls computed: who is below it need not be found. */
#define TRIGGER_COVERS 16u

struct trigger {
	uint64_t function;
	/* of the snapshots of a call that begins, or has ended, or NULL; kept */
	const char *enter_label, *exit_label;
	uint32_t actions;
};

/* 0: the table is full. */
int trigger_add(const struct trigger *trigger);

/* NULL: there is none. */
const struct trigger *trigger_find(uint64_t function);

/* TRIGGER_*, or 0. */
uint32_t trigger_actions(uint64_t function);
