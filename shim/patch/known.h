/* SPDX-License-Identifier: MIT */
/* What is known about code, by address: the numbers of call sites, and which functions
 * are off. Runs on: traced threads, any context. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/*
 * Places from which a hook was called for a function that is not recorded exactly. Each
 * is looked at once, whatever it turns out to be. Runs on: known_has(): traced threads,
 * any context, no lock; the rest: under the process lock.
 */

/* Has this return address been added? */
int known_has(uintptr_t return_address);

/* Adds a place. Past a million or so, or without memory, every place counts as known:
 * looking at a place at each call would be far too slow. */
void known_add(uintptr_t return_address, uint32_t number);

/* The number that it was added with; 0: none. Any context, no lock. */
uint32_t known_number(uintptr_t return_address);

/* Forgets [low, high), where another object may be mapped. */
void known_forget(uintptr_t low, uintptr_t high);

/*
 * Which functions the user wants off: for each object with a decision, whether its
 * functions are off, and the exceptions. Private memory; a forked child inherits it. Runs
 * on: selected_find(): traced threads, any context, no lock; the rest: under the process
 * lock.
 */

/* The user has asked for some functions only. */
extern hidden uint32_t selected_is_active;

enum selected {
	SELECTED_UNKNOWN, /* the function's object has not been decided on */
	SELECTED_ON,
	SELECTED_OFF,
};

enum selected selected_find(uint64_t function);

/* A decision on an object in [low, high): its functions are off, or not, except those in
 * the set. */
struct selected_object {
	uint64_t low, high;
	uint64_t identity; /* of the file, and the rules */
	struct addresses *exceptions;
	uint32_t is_off;
	uint32_t is_unanswered; /* the collector has not answered for some rules yet */
	uint32_t is_gone;	/* atomic: it is void, or the object not mapped */
};

/* The decision replaces the one before, and keeps the set. 0: there is no room. */
int selected_decide(const struct selected_object *object);

/* An object is mapped again, or an answer told nothing new about it: its old decision
 * holds. 0: there is none. */
int selected_bring_back(uint64_t low, uint64_t high, uint64_t identity);

/* The object is not mapped any more. */
void selected_retire(uint64_t low, uint64_t high);

/* Forgets decisions made without the collector's answers. */
void selected_forget_unanswered(void);
