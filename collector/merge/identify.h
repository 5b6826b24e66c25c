/* SPDX-License-Identifier: MIT */
/*
 * Which function an address recorded by some process belongs to, with one identity per
 * function over all processes of a run. Must not read the spool.
 *
 * IDENTITY. A function is the same when its module (path and build-id or file), its
 * linkage name and its source file are the same: so the copies of an inline function that
 * several translation units carry are one function, and a frame found by unwinding and
 * an instrumented function are one, too. Of constructors and destructors, of which the
 * compiler makes several, the readable name takes the place of the linkage name. Without
 * a source file the entry address takes its place, but for such variants of what only one
 * file can have; an address without a name stands for itself. A region is the same when
 * its component and name are.
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
 * How much a name is worth. EXACT: the function's own. NEAR: of a function inside one of
 * the system's libraries, which are stripped as a rule: "[near malloc in libc.so.6]" has
 * that exported function for a neighbour, "[in libc.so.6]" none; such a name stands for
 * all functions that it fits. NONE: 0x1234 (libfoo.so).
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
	enum demangle_variant variant; /* that linkage_name is of, of several */
};

/* A place in a function: where a call was made. */
struct identify_place {
	uint32_t function;
	uint32_t line;	      /* 0: not known */
	const char *file;     /* borrowed, equal strings have equal addresses; NULL */
	uint32_t chain_count; /* in the first of the places at one address: how many */
	bool is_part;	      /* in what the compiler split from the function */
	enum demangle_variant variant; /* of the function's, which one it is in */
};

struct identify {
	struct modules modules;
	struct library library;
	struct identify_function *functions;
	size_t function_count;
	struct identify_place *places;
	size_t place_count;
	/* what is known of an address, and of a name */
	struct map address_map, function_map;
};

/* Of a key that is a call of libc. */
enum libc_call_kind identify_libc_kind(uint64_t key);

/* Of memory that is zero. library: PROFSHIM_LIBRARY; executable: of the first process. */
void identify_init(struct identify *identify, const char *library,
		   const char *executable);
void identify_done(struct identify *identify);

/* That one of the two questions below will be put about the key, of a return address or
 * of a function's entry. Such questions are answered together with the first that is put:
 * one by one they take several times as long. */
void identify_wish(struct identify *identify, struct module_list *list, uint64_t key);

/* The function whose entry the key (struct segment_node) names. */
uint32_t identify_function(struct identify *identify, struct module_list *list,
			   uint64_t key);

/* The function that was identified by an entry at this address of the module's file, or
 * IDENTIFY_NONE: nothing was. */
uint32_t identify_known(const struct identify *identify, uint32_t module,
			uint64_t address);

/* Which variant of its function the key names, as far as that was asked for. */
enum demangle_variant identify_variant(const struct identify *identify,
				       struct module_list *list, uint64_t key);

/* The functions at the return address that the key names: the index of the innermost
 * inlined one in identify->places; the last of *ret_count is the physical function. At
 * least one. */
uint32_t identify_places(struct identify *identify, struct module_list *list,
			 uint64_t key, uint32_t *ret_count);

/* The function that stands for "no function of the program": allocations made where
 * nothing was open and nothing could be unwound. */
uint32_t identify_nowhere(struct identify *identify);

/* The one that stands for callers of which samples tell nothing. */
uint32_t identify_unseen(struct identify *identify);
