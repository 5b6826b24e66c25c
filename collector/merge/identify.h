/* SPDX-License-Identifier: MIT */
/*
 * Which function an address recorded by some process belongs to, with one identity per
 * function over all processes of a run. Must not read the spool.
 *
 * IDENTITY. Two functions are the same when their module (path and build-id or file),
 * linkage name and source file are. So the copies of an inline function in several
 * translation units are one function, and so are an unwound frame and an instrumented
 * function. The compiler makes several variants of constructors and destructors: for
 * these the readable name replaces the linkage name. Without a source file the entry
 * address replaces it, except for such variants of what only one file can have. An
 * address without a name stands for itself. Regions are the same when their component and
 * name are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/merge/modules.h"
#include "collector/symbols/symbol.h"
#include "collector/symbols/library.h"
#include "common/base/map.h"
#include "common/libc/calls.h"

#define IDENTIFY_NONE UINT32_MAX /* no place */

/*
 * How good a name is. EXACT: the function's own. NEAR: a stand-in inside a system
 * library, which is usually stripped: "[near malloc in libc.so.6]" gives a neighbouring
 * exported function, "[in libc.so.6]" has none; all functions that it fits share it.
 * NONE: 0x1234 (libfoo.so).
 */
enum identify_naming { IDENTIFY_UNNAMED = 0, IDENTIFY_NEAR = 1, IDENTIFY_EXACT = 2 };

struct identify_function {
	const char *name; /* borrowed from the symbolizer, or owned_name */
	const char *linkage_name, *file;
	const char *component; /* of a region; borrowed from the run */
	uint32_t line;
	uint32_t module; /* MODULE_NONE: in no known module */
	char *owned_name;
	enum identify_naming naming;
	int is_library;		       /* see collector/symbols/library.h */
	enum demangle_variant variant; /* the variant that linkage_name names */
};

/* A place in a function: where a call was made. */
struct identify_place {
	uint32_t function;
	uint32_t line;	      /* 0: not known */
	const char *file;     /* borrowed, equal strings have equal addresses; NULL */
	uint32_t chain_count; /* for the first place at an address: number of places */
	bool is_part;	      /* in a part that the compiler split from the function */
	enum demangle_variant variant; /* the variant of the function */
};

struct identify {
	struct modules modules;
	struct library library;
	struct identify_function *functions;
	size_t function_count;
	struct identify_place *places;
	size_t place_count;
	/* lookups by address and by name */
	struct map address_map, function_map;
};

/* The kind of the libc call that the key names. */
enum libc_call_kind identify_libc_kind(uint64_t key);

/* Initializes. library: PROFSHIM_LIBRARY; executable: that of the first process. */
void identify_init(struct identify *identify, const char *library,
		   const char *executable);
void identify_done(struct identify *identify);

/* Announces that one of the two questions below will be asked about the key (a return
 * address or a function's entry). The first question answers all that were announced:
 * answered one by one they take several times as long. */
void identify_wish(struct identify *identify, struct module_list *list, uint64_t key);

/* The function whose entry the key (struct segment_node) names. */
uint32_t identify_function(struct identify *identify, struct module_list *list,
			   uint64_t key);

/* The function identified by an entry at this address in the module's file, or
 * IDENTIFY_NONE. */
uint32_t identify_known(const struct identify *identify, uint32_t module,
			uint64_t address);

/* Which variant of its function the key names, if that has been looked up already. */
enum demangle_variant identify_variant(const struct identify *identify,
				       struct module_list *list, uint64_t key);

/* The functions at the return address that the key names: returns the index of the
 * innermost inlined one in identify->places; the last of *ret_count (at least 1) is the
 * physical function. */
uint32_t identify_places(struct identify *identify, struct module_list *list,
			 uint64_t key, uint32_t *ret_count);

/* Stands for "no function of the program": allocations made while no call was open and
 * the stack could not be unwound. */
uint32_t identify_nowhere(struct identify *identify);

/* The one that stands for callers of which samples tell nothing. */
uint32_t identify_unseen(struct identify *identify);
