/* SPDX-License-Identifier: MIT */
/* What is known of code by its address: the functions of call sites, and which functions
 * are left out. Runs on: traced threads, any context. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/*
 * Places in the code from which a hook was called for a function that is not recorded
 * exactly, whatever they turned out to be: each is looked at once. Runs on: known_has():
 * traced threads, any context, no lock; the rest: under the process lock.
 */

/* 0: nobody has been told of this return address. */
int known_has(uintptr_t return_address);

/* Past a million, or without memory for them, every place is known: to be looked for at
 * each call would take longer than anything. */
void known_add(uintptr_t return_address, uint32_t number);

/* The number that was said with it; 0: none. Any context, no lock. */
uint32_t known_number(uintptr_t return_address);

/* Another object may come to [low, high). */
void known_forget(uintptr_t low, uintptr_t high);

/*
 * Which functions are off by the user's wish: for each object that has been decided on,
 * whether its functions are off, and those of which the opposite is true. Private
 * memory, which a forked child inherits. Runs on: selected_find(): traced threads, any
 * context, no lock; the rest: under the process lock.
 */

/* The user has asked for some functions only. */
extern hidden uint32_t selected_is_active;

enum selected {
	SELECTED_UNKNOWN, /* the function's object has not been decided on */
	SELECTED_ON,
	SELECTED_OFF,
};

enum selected selected_find(uint64_t function);

/* What is decided on an object in [low, high): its functions are off, or not, but for
 * those in the list. */
struct selected_object {
	uint64_t low, high;
	uint64_t identity;   /* of the file, and the rules */
	uint64_t *functions; /* ascending */
	uint32_t count;
	uint32_t is_off;
	uint32_t is_unanswered; /* there are rules that nobody has told about yet */
};

/* Copies it, in the place of what was decided before. 0: there is no room. */
int selected_decide(const struct selected_object *object);

/* An object has come back that was decided on, or nothing has become known that is about
 * it. 0: it was not. */
int selected_bring_back(uint64_t low, uint64_t high, uint64_t identity);

/* The object is not mapped any more. */
void selected_retire(uint64_t low, uint64_t high);

/* Objects that were decided on without their answers are unknown until that is done
 * again.
 */
void selected_forget_unanswered(void);
