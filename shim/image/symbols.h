/* SPDX-License-Identifier: MIT */
/* The symbol tables of an object's file. Runs on: traced threads, under the lock. */
#pragma once

#include "common/segment.h"

/* A function, by its linkage name and its address in this process. */
struct symbols_function {
	const char *name;
	uint64_t address;
	int is_weak;  /* other objects and files may have one, too */
	int is_local; /* of one file */
};

typedef void (*symbols_look)(void *data, const struct symbols_function *function);

/* Shows the functions that the object's file has in its tables, when it can be read and
 * is the one that was mapped; a function may be shown several times. */
void symbols_each(const struct segment_module *module, symbols_look look, void *data);

/* Of an object of C++ that is recorded: tells shim/lane/headers.h which functions its
 * headers may have brought. dynamic: its dynamic section. */
void symbols_look_for_headers(const struct segment_module *module, const void *dynamic);
