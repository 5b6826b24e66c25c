/* SPDX-License-Identifier: MIT */
/*
 * Where an object's tables for unwinding are. Runs on: traced threads, any context. Must
 * not take a lock.
 */
#pragma once

#include <stdint.h>

/* From here on stacks are walked by the rules of the tables (stacks/walk.h). */
void unwind_tables_begin(void);

/* Whether the tables of the object around an address can be followed from there. */
int unwind_tables_fit(uint64_t address);
