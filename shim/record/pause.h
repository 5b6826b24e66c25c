/* SPDX-License-Identifier: MIT */
/*
 * Pauses of the recording: begun and ended by the program (profshim.h) or by conditions
 * (conditions.h). Runs on: traced threads, any context. In a pause calls, regions, steps
 * and counters are not recorded; functions that were open may end, at the time the pause
 * began; allocations are recorded under the region "[paused]", so that what is live
 * stays right.
 */
#pragma once

#include <stdint.h>

#include "shim/lane/lane.h"
#include "shim/study/study.h"

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
