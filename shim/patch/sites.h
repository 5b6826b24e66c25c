/* SPDX-License-Identifier: MIT */
/*
 * Where functions call the hooks: the places that are known, each found when a hook was
 * called from it, and what has been made of them. Runs on: under the process lock. Must
 * not write to an object that is being unmapped: sites_forbid().
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"
#include "common/segment_recording.h"

/* Of a function that is counted or off: its exits close frames that may be open. */
enum exits {
	EXITS_CUT,
	EXITS_NEEDED, /* as long as any is */
	EXITS_KEPT,   /* and calls may get frames, by entries that are not known */
};

/* A function that has sites. */
struct site_owner {
	uint64_t function; /* 0: its object is not mapped */
	uint64_t address;  /* of the function, where it was last */
	uint64_t host; /* into whose code these calls were inlined; 0: its own entry */
	uint32_t number;
	uint32_t own;	   /* the number of the function's own entry */
	uint32_t first;	   /* of its sites, 0: none */
	uint8_t recording; /* enum segment_recording */
	uint8_t has_early; /* entries that come to the hook itself now and then */
	uint8_t has_searched_jumps;
	uint8_t keeps_exits;		 /* enum exits */
	uint8_t keeps_pulse;		 /* off, its entries look for other settings */
	uint32_t led_count, early_count; /* since the last time they were asked for */
};

/* A hook was called from a place that returns to this address: it is looked at, and
 * written as the function is recorded. number: under which its calls are counted. */
void sites_note_call(struct site_owner *owner, uintptr_t return_address, int is_exit,
		     uint32_t number);

/* Looks for the call of the entry hook at the function's beginning, and writes it: so
 * that it need not be called first. */
void sites_find_entry(struct site_owner *owner);

/* An exit hook was jumped to: the function is searched. */
void sites_note_jumps(struct site_owner *owner);

/* Writes all of a function's sites as it is recorded now. */
void sites_write(struct site_owner *owner);

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
