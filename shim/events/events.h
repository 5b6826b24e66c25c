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

/* The compiler's hooks, and the same under names that a program with hooks of its own
 * cannot interpose. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
hidden void calls_enter(void *function, void *call_site);
hidden void calls_exit(void *function, void *call_site);

/* Begin and end of the region with this key (common/segment.h). stack: the caller's stack
 * pointer. An end closes the innermost open region of its key on the stack in use;
 * regions inside it, up to the next function, are closed as unwound. When no such region
 * is open, the end is counted as an orphan. Any context. */
hidden void calls_begin_region(uint64_t key, uintptr_t stack);
hidden void calls_end_region(uint64_t key, uintptr_t stack);

/*
 * Calls of functions that are only counted, or were: the slow paths of the code in
 * shim/patch/stubs.h. Runs on: traced threads, any context. Must not lock or make a
 * system call.
 *
 * A call without a frame needs no exit. But frames may be open when a function begins to
 * be counted, and calls without one when it is recorded exactly again. So each exit
 * checks whether the innermost frame belongs to its call.
 */

/* The stubs jump here instead of to the hooks; see stub_targets. */
void counted_enter(void *function, void *call_site);
void counted_pulse(void *function, void *call_site);
void counted_edge(void *function, void *call_site, uint32_t place);
void counted_exit(void *function, void *call_site, uintptr_t frame_pointer);

/* Where an exit comes from: the hook's arguments, the caller's stack pointer, the hook's
 * return address, and %rbp there (0: not known). */
struct counted_place {
	uint64_t function, call_site;
	uintptr_t stack, return_address, frame_pointer;
};

/* Closes the innermost frame as an exit if it is this call's. 0: it is not. */
int counted_close_frame(struct lane_context *context, const struct counted_place *place,
			uint64_t now);

/* When a check is due: of the budget, the samples, what is studied, after this exit,
 * which has closed a frame of this node. */
void counted_look(struct lane_context *context, const struct counted_place *place,
		  uint32_t node);

/* Closes the frame, too; then checks when a check is due. */
void counted_leave(struct lane_context *context, const struct counted_place *place,
		   uint64_t now);

/* An exit in a pause: closes the innermost frame if it belongs to this call. */
void counted_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack);

/* Regions that the program names itself: nodes of the call tree that are not
 * functions. */

/* stack: the caller's stack pointer. Names may be NULL (empty); they are copied. */
void region_begin(const char *component, const char *name, uintptr_t stack);
void region_end(const char *component, const char *name, uintptr_t stack);

/* The node that allocations in a pause are booked on; 0: no room. */
struct lane_context;
uint32_t region_paused_node(struct lane_context *context);

/*
 * Steps and counters, kept per thread. Runs on: traced threads, any context; a mark made
 * by a handler that interrupts another mark is counted as lost. Must not call libc or
 * lock.
 */

/* A mark of this name. name may be NULL (empty); it is copied. */
void series_step(const char *name);
void series_counter(const char *name, double value);

/*
 * Control that leaves functions without their exit hook: longjmp, setcontext,
 * exceptions, vfork. Must not call libc or lock.
 *
 * A place that setjmp or getcontext may return to again is identified by its stack
 * pointer and return address. We remember the number of open frames there, which is exact
 * even for inlined functions (they share a stack pointer). When later places have
 * displaced it, or regions have ended since, we close every frame that was called from
 * below the stack pointer.
 */

/* setjmp or getcontext will return, perhaps again, to this place. */
void jump_mark(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on at this place, which may be on another stack. */
void jump_land(uintptr_t stack_pointer, uint64_t return_address);

/* Control goes on in an exception's handler or cleanup: in the function whose stack
 * pointer is stack_pointer. */
void jump_unwind(uintptr_t stack_pointer);

/* Abandons what interrupted work left half done in this part of the calling thread's
 * lane; see upcalls (core/process.h). */
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

/* A region begins or ends in a pause. pause_end_region() returns 0 when it began
 * before. */
void pause_begin_region(void);
int pause_end_region(void);

/*
 * Conditions. With a "from" function, recording starts with its from_call-th call, and
 * covers that call and each later one; with an "until" function too, it lasts to the next
 * call of that. An "until" function alone ends the recording. With a step, recording
 * lasts from each of its marks to the next mark of another step in the same thread.
 */
struct pause_conditions {
	uint64_t from_call; /* 0: no such function */
	int has_until;
	const char *step; /* NULL: none; kept */
};

/* The constructor, when the process is recorded. */
void pause_watch(const struct pause_conditions *conditions);

/* A call in a pause. 1: it ends the pause and is to be recorded. */
int pause_enter(uint64_t function, uintptr_t stack);

struct lane_context;

/* Before a mark of this step. */
void pause_step(const char *name);

/*
 * Ends of calls with triggers (shim/lane/functions.h), of functions or regions; their
 * frames are marked SEGMENT_FRAME_TRIGGERS. Runs on: the lane's thread, any context; slow
 * paths of the hooks.
 */

/* Describes the call of this frame, which ends now (by its stack's clock). Call it before
 * the frame is closed. */
struct study_call ends_call_of(const struct lane_context *context,
			       const struct segment_frame *frame, uint64_t now);

/* Does what the call's triggers ask for. Call it after the frame is closed. */
void ends_triggered(struct lane_context *context, const struct study_call *call);

/*
 * Snapshots taken by the program's own threads. Must not call libc, nor be used on the
 * fast paths.
 */

/* Takes a snapshot of the process, after waiting for one that another thread is taking. A
 * snapshot that cannot be taken is counted. */
void snapshot_take(const char *label, enum segment_snapshot_cause cause);
