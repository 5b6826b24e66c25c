/* SPDX-License-Identifier: MIT */
/*
 * Places in the code from which a hook was called for a function that is not recorded
 * exactly, whatever they turned out to be: each is looked at once. Runs on: known_has():
 * traced threads, any context, no lock; the rest: under the process lock.
 */
#pragma once

#include <stdint.h>

/* 0: nobody has been told of this return address. */
int known_has(uintptr_t return_address);

/* Past a million, or without memory for them, every place is known: to be looked for at
 * each call would take longer than anything. */
void known_add(uintptr_t return_address, uint32_t number);

/* The number that was said with it; 0: none. Any context, no lock. */
uint32_t known_number(uintptr_t return_address);

/* Another object may come to [low, high). */
void known_forget(uintptr_t low, uintptr_t high);
