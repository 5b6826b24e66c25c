/* SPDX-License-Identifier: MIT */
/*
 * Where functions call the hooks: the places that are known, each found when a hook was
 * called from it, and what has been made of them. Runs on: under the process lock. Must
 * not write to an object that is being unmapped: sites_forbid().
 */
#pragma once

#include <stdint.h>

#include "shim/patch/owners.h"

/* Of a function that is counted or off: its exits close frames that may be open. */
enum exits {
	EXITS_CUT,
	EXITS_NEEDED, /* as long as any is */
	EXITS_KEPT,   /* and calls may get frames, by entries that are not known */
};

/* A hook was called from a place that returns to this address: it is looked at, and
 * written as the function is recorded. number: of the owner that counts its calls; 0:
 * none does, they come to the hook. */
void sites_note_call(struct site_owner *owner, uintptr_t return_address, int is_exit,
		     uint32_t number);

/* Looks for the call of the entry hook at the function's beginning, and writes it: so
 * that it need not be called first. */
void sites_find_entry(struct site_owner *owner);

/* An exit hook was jumped to: the function is searched. */
void sites_note_jumps(struct site_owner *owner);

/* Writes all of a function's sites as it is recorded now. */
void sites_write(struct site_owner *owner);

/* Whose hook it is that returns there, by the code: compilers put the hook of a function
 * first in its code, and those of copies that are inlined behind it. */
enum site_entry {
	SITE_ENTRY_OWN,	  /* of the function that begins there */
	SITE_ENTRY_COPY,  /* of a copy inlined into other code, or into itself */
	SITE_ENTRY_FIRST, /* the first of other code: which may be the function's, too */
	SITE_ENTRY_UNKNOWN, /* no call of the hook is recognised, or no function is */
};

/* *ret_low: where the code begins. Traced threads, any context, no lock. */
enum site_entry sites_entry_of(uint64_t function, uintptr_t return_address,
			       uint64_t *ret_low);

/* [low, high) has been unmapped. Then, for every owner: what it had there is no more. */
void sites_forget(uintptr_t low, uintptr_t high);
void sites_drop_forgotten(struct site_owner *owner);

/* The program is about to change the protection of [low, high): what was written there is
 * taken back, and nothing is written again. */
void sites_leave(uintptr_t low, uintptr_t high);

/* Likewise of what leads to [low, high), where nobody's code will be any more. */
void sites_leave_stubs(uintptr_t low, uintptr_t high);

/* While objects are being unmapped no code is written. Nests. */
void sites_forbid(void);
void sites_allow(void);
int sites_are_forbidden(void);

/* A forked child: what its parent was in the middle of is made good. */
void sites_forked(void);
