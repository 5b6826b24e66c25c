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

/* Entries, plus one: none has number 0. modes_version: changes with what is known of
 * functions and copies. */
extern hidden uint32_t modes_count, modes_version;

/* Atomic; changes when calls of a function that is only counted may be recorded in
 * another way, or under another number. 0: none of them comes to the hook itself. */
extern hidden uint32_t modes_early_version;
void modes_begin_early(void);
void modes_change_early(void);

/* The number of a function that has an entry, or 0. */
uint32_t modes_find_slow(uint64_t function);

static inline uint32_t modes_find(uint64_t function)
{
	return unlikely(modes_count) ? modes_find_slow(function) : 0;
}

/* Calls of copies that are inlined into other functions have numbers of their own, one
 * for each such host, and so have calls from each call site; they are EXACT here: the
 * number of their function's own entry, which says how they are recorded. Of such an
 * entry: itself. */
uint32_t modes_own(uint32_t number);

/* Is it the number of some of the calls, of which none is going to have another one? */
int modes_is_part(uint32_t number);

/* All calls of the function with this number, in a thread's counts. */
uint64_t modes_counted(uint32_t number, const uint64_t *counts);

/* How the function with this number is recorded now. */
enum segment_recording modes_recording(uint32_t number);

/* Does any function in [low, high) have an entry? */
int modes_are_in(uint64_t low, uint64_t high);

/* Does any function have an entry of copies that are inlined into that one? */
int modes_has_copies_in(uint64_t host);

/* The function, and its record in the process's slot. */
uint64_t modes_function(uint32_t number);
struct segment_mode *modes_record(uint32_t number);

/* Its calls come to the hook itself now and then, since a site cannot be written. */
int modes_has_early_sites(uint32_t number);

/* Is it only counted, and does the site that returns to this address lead to the hook for
 * good? Its number, or 0. */
uint32_t modes_find_early(uint64_t function, uintptr_t return_address);

/* Under which number a call is counted that came to the hook, of a function with this
 * number, from this call of the hook. One is made when there is none, or the function's
 * own is told: there is no room, or no time. */
uint32_t modes_number_at(uint32_t number, uintptr_t return_address, uintptr_t call_site);

/* The same of one that came from a stub (stubs.h), which knows it from now on. */
uint32_t modes_number_of_edge(uint32_t place, uintptr_t call_site);

/* Records a function in this way from now on. Its sites are written; those that are not
 * known yet are when a hook is called from them. Returns its number; 0: there is no room,
 * or the gate is closed, and nothing has changed. */
uint32_t modes_set(uint64_t function, enum segment_recording recording,
		   enum segment_reason reason);

/* Where an exit hook returns to, and its argument. When they are the same, the hook was
 * jumped to, and the function is searched. */
struct modes_exit {
	uintptr_t return_address, call_site;
};

/* The budget's way of modes_set() to counts, where an exit of the function is known: its
 * entry is looked for, and everything written at one time. */
uint32_t modes_take(uint64_t function, const struct modes_exit *exit);

/* Of a function that is off now and was not: when calls are open that have frames, its
 * exits are to close them. */
void modes_keep_exits(uint32_t number);

/* A function that is counted keeps its exits as long as calls with frames are open, which
 * these are to close: else what is called after them would stand below them. Takes them
 * away from some of those that have none. */
void modes_cut_exits(void);

/* A hook was called from a site that returns to this address, for a function with an
 * entry. What is known already is not written again. */
void modes_note_enter(uint32_t number, uintptr_t return_address);

/* Likewise of an exit. */
void modes_note_exit(uint32_t number, const struct modes_exit *exit);

/* Gives a lane that begins its counts. Under the process lock. */
struct lane_context;
void modes_begin_lane(struct lane_context *context);

/* A forked child: are the numbers in a slot those of its parent, whose slot is `from`, as
 * far as both have any? Then it can go on in them. */
int modes_fit(const struct segment_process *to, const struct segment_process *from);

/* The parent's entries are the child's, whose slot is `to`, and so are those of a former
 * process there, as of functions that are exact. Without room its own changes are not
 * recorded. */
void modes_adopt(struct segment_process *to, const struct segment_process *from);

/* An object is unmapped, with this number in the process's table; is back. Under the
 * process lock. */
void modes_retire(uint64_t low, uint64_t high, uint64_t module);
void modes_bring_back(uint64_t module);

/* Around what unmaps objects: no code is written meanwhile. */
void modes_begin_unloading(void);
void modes_end_unloading(void);

/* Before the program changes the protection of these addresses, which it may be about to
 * write to itself: its code there is what it was, and stays so. */
void modes_leave_code(uintptr_t low, uintptr_t high);

/* Before the program maps something there, or changes its protection: when it hits code
 * of ours, what leads there is taken back. A thread that is in it at that moment is
 * lost. */
void modes_leave_stubs(uintptr_t low, uintptr_t high);
