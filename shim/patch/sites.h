/* SPDX-License-Identifier: MIT */
/*
 * The known places where functions call the hooks, and what has been written there. A
 * place becomes known when a hook is called from it. Runs on: traced threads, under the
 * process lock. Must not write to an object that is being unmapped: sites_forbid().
 */
#pragma once

#include <stdint.h>

#include "shim/patch/owners.h"

/* The exits of a function that is counted or off. Open frames need them. */
enum exits {
	EXITS_CUT,
	EXITS_NEEDED, /* as long as a frame is open */
	EXITS_KEPT,   /* and calls from unknown entries may still get frames */
};

/* A hook was called from a site that returns to this address: recognises the site and
 * writes it as the function is recorded. number: counts its calls; 0: none, they come to
 * the hook. */
void sites_note_call(struct site_owner *owner, uintptr_t return_address, int is_exit,
		     uint32_t number);

/* Finds and writes the call of the entry hook at the function's beginning. */
void sites_find_entry(struct site_owner *owner);

/* An exit hook was jumped to: searches the function for such jumps. */
void sites_note_jumps(struct site_owner *owner);

/* Writes all of a function's sites as it is recorded now. */
void sites_write(struct site_owner *owner);

/* Whose hook a call is, judging by the code: compilers put a function's own hook first,
 * and those of inlined copies behind it. */
enum site_entry {
	SITE_ENTRY_OWN,	    /* the function's own: the code begins with it */
	SITE_ENTRY_COPY,    /* a copy's, inlined into other code or into itself */
	SITE_ENTRY_FIRST,   /* the first in other code; perhaps the function's, too */
	SITE_ENTRY_UNKNOWN, /* no call of the hook, or no function, was recognised */
};

/* *ret_low: where the code begins. Traced threads, any context, no lock. */
enum site_entry sites_entry_of(uint64_t function, uintptr_t return_address,
			       uint64_t *ret_low);

/* [low, high) has been unmapped. Then call sites_drop_forgotten() for every owner. */
void sites_forget(uintptr_t low, uintptr_t high);
void sites_drop_forgotten(struct site_owner *owner);

/* The program is about to change the protection of [low, high): restores what was written
 * there, and writes nothing there again. */
void sites_leave(uintptr_t low, uintptr_t high);

/* The same for sites that lead into [low, high), where our code goes. */
void sites_leave_stubs(uintptr_t low, uintptr_t high);

/* No code is written between these, while objects are being unmapped. They nest. */
void sites_forbid(void);
void sites_allow(void);
int sites_are_forbidden(void);

/* In a forked child: completes what its parent was in the middle of. */
void sites_forked(void);
