/* SPDX-License-Identifier: MIT */
/*
 * Which functions are recorded with less than a frame for each call, and where they call
 * the hooks: private tables, and their record in the process's slot. Runs on: traced
 * threads; looking up: any context, no lock; the rest takes the process lock. A forked
 * child goes on with its parent's tables.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "common/segment.h"
#include "common/segment_recording.h"

/* Entries, plus one: none has number 0. modes_version changes when a function or a copy
 * gets an entry. */
extern hidden uint32_t modes_count, modes_version;

/* Atomic; changes when calls of a counted function may be recorded in another way, or
 * under another number. 0: none of them reaches the hook itself. */
extern hidden uint32_t modes_early_version;
void modes_begin_early(void);
void modes_change_early(void);

/* The number of a function that has an entry, or 0. */
uint32_t modes_find_slow(uint64_t function);

static inline uint32_t modes_find(uint64_t function)
{
	return unlikely(modes_count) ? modes_find_slow(function) : 0;
}

/* The number of the function's own entry, which says how all its calls are recorded.
 * Calls of copies inlined into other functions have numbers of their own, and so have
 * calls from each call site. For an own entry: itself. */
uint32_t modes_own(uint32_t number);

/* Does it number some of the calls, and is it final for them? */
int modes_is_part(uint32_t number);

/* All calls of the function with this number, in a thread's counts. */
uint64_t modes_counted(uint32_t number, const uint64_t *counts);

/* How the function with this number is recorded now. */
enum segment_recording modes_recording(uint32_t number);

/* Does any function in [low, high) have an entry? */
int modes_are_in(uint64_t low, uint64_t high);

/* Is there an entry for copies inlined into this function? */
int modes_has_copies_in(uint64_t host);

/* The function, and its record in the process's slot. */
uint64_t modes_function(uint32_t number);
struct segment_mode *modes_record(uint32_t number);

/* Some of its calls reach the hook itself, since their site cannot be written. */
int modes_has_early_sites(uint32_t number);

/* The function's number if it is only counted and the site that returns to this address
 * leads to the hook for good; or 0. */
uint32_t modes_find_early(uint64_t function, uintptr_t return_address);

/* The number to count a call under that reached the hook: a call of the function with
 * this number, from this call of the hook. Makes one when there is none; without room or
 * time, returns the function's own. */
uint32_t modes_number_at(uint32_t number, uintptr_t return_address, uintptr_t call_site);

/* The same for a call that came from a stub (stubs.h). The stub knows the number from now
 * on. */
uint32_t modes_number_of_edge(uint32_t place, uintptr_t call_site);

/* Records a function in this way from now on, and writes its sites; unknown ones are
 * written when a hook is called from them. Returns its number; 0: there is no room, or
 * the gate is closed, and nothing has changed. */
uint32_t modes_set(uint64_t function, enum segment_recording recording,
		   enum segment_reason reason);

/* An exit hook's return address and argument. When they are equal, the hook was jumped
 * to, and the function's code is searched. */
struct modes_exit {
	uintptr_t return_address, call_site;
};

/* modes_set() to COUNTED, for the budget, which knows an exit of the function: looks for
 * its entry, too, and writes everything at one time. */
uint32_t modes_take(uint64_t function, const struct modes_exit *exit);

/* For a function that has just been turned off: when calls with frames are open, its
 * exits must still close them. */
void modes_keep_exits(uint32_t number);

/* Cuts the exits of some counted functions that have no frames open. A function with open
 * frames needs its exits: left open, the frames would get later calls as children. */
void modes_cut_exits(void);

/* A hook was called from a site that returns to this address, for a function with an
 * entry. Writes the site unless it is known. */
void modes_note_enter(uint32_t number, uintptr_t return_address);

/* The same for an exit. */
void modes_note_exit(uint32_t number, const struct modes_exit *exit);

/* Gives a new lane its counts. Under the process lock. */
struct lane_context;
void modes_begin_lane(struct lane_context *context);

/* In a forked child: do the entries in slot `to` agree with those of the parent, in
 * `from`, as far as both go? Then the child can go on with them. */
int modes_fit(const struct segment_process *to, const struct segment_process *from);

/* Gives the child, in slot `to`, the parent's entries, and those of a former process of
 * the slot, as exact functions. Without room the child's own changes are not recorded. */
void modes_adopt(struct segment_process *to, const struct segment_process *from);

/* The object with this number in the process's table was unmapped, or is back. Under the
 * process lock. */
void modes_retire(uint64_t low, uint64_t high, uint64_t module);
void modes_bring_back(uint64_t module);

/* Bracket what unmaps objects: no code is written in between. */
void modes_begin_unloading(void);
void modes_end_unloading(void);

/* The program is about to change the protection of these addresses, perhaps to write to
 * them: restores its code there and leaves it alone from now on. */
void modes_leave_code(uintptr_t low, uintptr_t high);

/* The program is about to map something there, or to change its protection: restores the
 * sites that lead to code of ours there. A thread that is in that code is lost. */
void modes_leave_stubs(uintptr_t low, uintptr_t high);
