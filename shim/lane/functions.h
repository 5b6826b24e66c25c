/* SPDX-License-Identifier: MIT */
/* Facts about functions, by address: which ones wait, which come from a header, and which
 * have triggers. Runs on: traced threads, any context. Must not call libc. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/*
 * Functions that have called a libc function that gets a node (common/libc/calls.h).
 * Without frames of their own, their waits would be booked on their caller. Runs on:
 * traced threads, any context, without a lock: entries are added and never move. A forked
 * child keeps its parent's entries.
 */

void waiters_note(uint64_t function);
int waiters_have(uint64_t function);

/* [low, high) has been unmapped. Nobody runs there. */
void waiters_forget(uint64_t low, uint64_t high);

/*
 * Functions that a header may have put into an object of C++: a library's header or the
 * user's. Only debug information tells which are a library's. For these functions we
 * record who called them (shim/stacks/callers.h). Runs on: traced threads, any context;
 * headers_add(): under the process lock.
 */

/* 0: no object has such functions. */
extern hidden int headers_any;

/* Treats every function as one from now on: the user has said what counts as library, and
 * only the collector can tell. */
void headers_take_all(void);

/* Announces an object and how many functions headers_add() will get. 0: there is no room
 * for them, or for one more object. */
int headers_begin(uint64_t low, uint64_t high, uint64_t count);
void headers_add(uint64_t function);
/* Publishes them. */
void headers_end(void);

/* An object of the language's library: all its functions count. A copy inlined into the
 * program may carry the library's address. */
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

/* Entries in the table; it only grows. */
extern hidden uint32_t trigger_count;

/* What a function's calls trigger. For the first two see events/events.h. */
#define TRIGGER_FROM 1u
#define TRIGGER_UNTIL 2u
/* Its calls are studied (shim/study/): the user asked for it, or the recorder chose
 * it. */
#define TRIGGER_STUDY 4u
#define TRIGGER_FOUND 8u
#define TRIGGER_STUDIES (TRIGGER_STUDY | TRIGGER_FOUND)
/* Chosen because its slow calls computed: its callees need not be chosen, too. */
#define TRIGGER_COVERS 16u
#define TRIGGER_CHOSEN (TRIGGER_FOUND | TRIGGER_COVERS)

struct trigger {
	uint64_t function;
	/* labels of the snapshots at entry and exit, or NULL; kept, not copied */
	const char *enter_label, *exit_label;
	uint32_t actions;
};

/* 0: the table is full. */
int trigger_add(const struct trigger *trigger);

/* Its calls trigger nothing any longer, if only the recorder wanted that: what the user
 * asked for stays. Under the process lock. */
void trigger_drop(uint64_t function);

/* NULL: there is none. */
const struct trigger *trigger_find(uint64_t function);

/* TRIGGER_*, or 0. */
uint32_t trigger_actions(uint64_t function);
