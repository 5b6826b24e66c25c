/* SPDX-License-Identifier: MIT */
/* What an object says of itself: in memory, and in the symbol tables of its file. Runs
 * on: traced threads; each function says in which context. */
#pragma once

#include <link.h>
#include <stddef.h>

#include "common/segment.h"

/* What an object says of itself in memory. Runs on: traced threads, any context. Must not
 * be asked of one that the loader has not relocated. */

/* Copies the build-id among these ELF notes, if there is one. */
void object_copy_build_id(struct segment_module *module, const char *notes, size_t size);

/* Was it compiled with hooks: does it call them? */
int object_calls_hooks(const struct dl_phdr_info *object);

/* The symbol tables of an object's file. Runs on: traced threads, under the lock. */

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

/* Of an object of C++ that is recorded: tells shim/lane/functions.h which functions its
 * headers may have brought. dynamic: its dynamic section. */
void symbols_look_for_headers(const struct segment_module *module, const void *dynamic);
