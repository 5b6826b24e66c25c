/* SPDX-License-Identifier: MIT */
/* What each event does: calls, counted calls, regions, steps and counters, jumps,
 * pauses, snapshots. Runs on: traced threads, any context. Must not call libc or lock.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "common/segment_history.h"
#include "shim/lane/lane.h"
#include "shim/study/study.h"

/*
 * Entry and exit of functions, begin and end of regions. Must not call libc or lock.
 */

/* The compiler's hooks, and ours by names that a program with hooks of its own does not
 * come before. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
hidden void calls_enter(void *function, void *call_site);
hidden void calls_exit(void *function, void *call_site);

/* Begin and end of the region with this key (common/segment.h). stack: the caller's stack
 * pointer. An end belongs to the innermost open region of its key on the stack in use;
 * regions inside of it, up to the next function, are closed as unwound. Without one it is
 * an orphan. Any context. */
hidden void calls_begin_region(uint64_t key, uintptr_t stack);
hidden void calls_end_region(uint64_t key, uintptr_t stack);

/*
 * Calls of functions that are counted, or were: what the code in shim/patch/stubs.h
 * continues in. Runs on: traced threads, any context. Must not lock or make a system
 * call.
 *
 * A call without a frame has no end. But frames may be open when a function begins to be
 * counted, and calls without one when it is recorded exactly again: so its exits look
 * whether the innermost frame is their call's.
 */

/* In the place of the hooks; see stub_targets. */
void counted_enter(void *function, void *call_site);
void counted_pulse(void *function, void *call_site);
void counted_edge(void *function, void *call_site, uint32_t place);
void counted_exit(void *function, void *call_site, uintptr_t frame_pointer);

/* Where an exit comes from: the hook's arguments, the caller's stack pointer, what the
 * hook returns to, and %rbp there; 0: not known. */
struct counted_place {
	uint64_t function, call_site;
	uintptr_t stack, return_address, frame_pointer;
};

/* Closes the innermost frame as an exit, when it is this call's. 0: it is not. */
int counted_close_frame(struct lane_context *context, const struct counted_place *place,
			uint64_t now);

/* The same, and looks at the budget when it is time. */
void counted_leave(struct lane_context *context, const struct counted_place *place,
		   uint64_t now);

/* An exit in a pause: closes the innermost frame when it is this call's. */
void counted_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack);

/* Regions that the program names itself: nodes of the call tree that are no functions. */

/* stack: the caller's stack pointer. Names may be NULL (empty); they are copied. */
void region_begin(const char *component, const char *name, uintptr_t stack);
void region_end(const char *component, const char *name, uintptr_t stack);

/* The node of what is allocated in a pause of the recording; 0: no room. */
struct lane_context;
uint32_t region_paused_node(struct lane_context *context);

/*
 * Steps and counters: what each thread notes of them. Runs on: traced threads, any
 * context; those of a handler that interrupts one are counted as lost. Must not call
 * libc or lock.
 */

/* A mark of this name. name may be NULL (empty); it is copied. */
void series_step(const char *name);
void series_counter(const char *name, double value);

/*
 * Control that leaves functions without their exit hook: longjmp, setcontext,
 * exceptions, vfork. Must not call libc or lock.
 *
 * A place that setjmp or getcontext can be returned to is named by the stack pointer and
 * the address that they return to. The number of open frames is remembered for it, which
 * is exact also when functions were inlined there (they share a stack pointer). When it
 * is not known, because too many others came since, or says nothing any more, because
 * regions have ended since, frames called from below the stack pointer are gone.
 */

/* setjmp or getcontext will return, perhaps again, to this place. */
void jump_mark(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on at this place, which may be on another stack. */
void jump_land(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on in the function of this stack that called with its stack pointer at
 * stack_pointer: an exception's handler or cleanup. */
void jump_unwind(uintptr_t stack_pointer);

/* See upcalls (core/process.h): the calling thread's lane. */
struct lane_context;
void jump_put_in_order(struct lane_context *context, uint32_t part);

/* Around vfork, in the parent: the child works on the same stack and in the same lane. */
void jump_before_vfork(void);
void jump_after_vfork(void);

/*
 * Pauses of the recording: begun and ended by the program (profshim.h) or by conditions
 * (struct pause_conditions). Runs on: traced threads, any context. In a pause calls,
 * regions, steps and counters are not recorded; functions that were open may end, at the
 * time the pause began; allocations are recorded under the region "[paused]", so that
 * what is live stays right.
 */

void pause_begin(void);
void pause_end(void);

/* The begin of a region in a pause, and an end: 0: it was open before. */
void pause_begin_region(void);
int pause_end_region(void);

/*
 * Conditions. With a function to begin from, nothing is recorded but from its
 * from_call-th call on: to the end of that call, and of each later one; or, with one that
 * it goes on until, to the next call of that. Alone, that one ends the recording. With a
 * step, it is recorded from each mark of it to the next mark of another one in the same
 * thread.
 */
struct pause_conditions {
	uint64_t from_call; /* 0: no such function */
	int has_until;
	const char *step; /* NULL: none; kept */
};

/* The constructor, when the process is recorded. */
void pause_watch(const struct pause_conditions *conditions);

/* A call in a pause: 1: which is over with it, record it. */
int pause_enter(uint64_t function, uintptr_t stack);

/* The end of a call of a function with triggers; its frame is closed. */
struct lane_context;

/* Before a mark of this step. */
void pause_step(const char *name);

/*
 * Ends of calls of functions and regions with triggers (shim/lane/functions.h), whose
 * frames are marked with SEGMENT_FRAME_TRIGGERS. Runs on: the lane's thread, any context;
 * slow paths of the hooks.
 */

/* The call of this frame, the innermost, which ends now: by the clock of its stack. To be
 * asked before the frame is closed. */
struct study_call ends_call_of(const struct lane_context *context,
			       const struct segment_frame *frame, uint64_t now);

/* It has ended, and its frame is closed: what its triggers ask for is done. */
void ends_triggered(struct lane_context *context, const struct study_call *call);

/*
 * Snapshots taken by the program's own threads, and what sites do for those that have
 * been taken. Must not call libc; be used on the fast paths.
 */

/* Takes a snapshot of the process. Waits for one that another thread takes. When it
 * cannot be taken, that is counted. */
void snapshot_take(const char *label, enum segment_snapshot_cause cause);
