/* SPDX-License-Identifier: MIT */
/*
 * The ends of calls of functions that are studied (common/segment_slow.h): which of them
 * are kept. Runs on: the lane's thread, any context; slow paths of the hooks, where such
 * a call always comes by (shim/lane/functions.h). Must not call libc or lock.
 *
 * WHICH
 *
 * The slowest, by the time that they took less what they waited for a CPU: being
 * interrupted is not their doing, and a busy machine would be all that is seen. And of
 * all others some by chance.
 *
 * WHAT IT COSTS
 *
 * Nothing before the end of a call; there, a read of some hundred counters at most
 * (subtree.h), 0.1 to 5 us. So that it takes no more than STUDY_SHARE (study.c) of the
 * time, it is not done at each end: calls that follow each other faster are looked at
 * together. A slow one among them is known by its own time, and is kept when those beside
 * it took no more than a quarter of that: how many they were, and how long they took, is
 * kept too.
 *
 * STEPS
 *
 * Steps of a name are studied likewise, at their marks: what was done in one is what was
 * done below the innermost call that was open at both. Calls that are open at a mark are
 * in each step with the time that they took in it.
 */
#pragma once

#include "common/segment_slow.h"
#include "shim/lane/lane.h"

struct study_call {
	uint64_t function;
	uint64_t begin_ticks, ticks; /* of the run's clock */
	uint32_t node;
	/* its own, which calls above it may have outlived (a region's); NULL: closed */
	const struct segment_frame *open;
};

/* A call of a function with triggers has ended. */
void study_end(struct lane_context *context, const struct study_call *call);

/* Likewise, without its exit (upcalls, core/process.h). */
void study_leave(struct lane_context *context, uint64_t function, uint32_t node,
		 uint64_t begin_ticks, uint64_t ticks);

/* A mark of a step that is studied: the series' number in the lane. is_first: there
 * was no step before it. */
struct study_step {
	uint32_t series;
	int is_first;
	enum segment_study_reason reason;
	uint64_t begin_ticks, end_ticks; /* of the run's clock; the mark is the end */
	uint64_t ready_ns;		 /* that its thread waited for a CPU in it */
};

void study_mark(struct lane_context *context, const struct study_step *step);

/* A handler that interrupted it has jumped out of it. */
void study_abandon(struct lane_context *context);

/*
 * Which functions are studied that nobody has named, and what follows for the front
 * table when there are more. Runs on: the lane's thread, any context; exits that look.
 *
 * A function or region is studied from then on
 * - that is under suspicion (choose.c), which takes two rare slow calls; or
 * - that has had CHOOSE_CALLS calls, of which those that took 8 times as long as half of
 *   them, or longer, took together 5 % of the thread's time since it was looked at first,
 *   and what it waited for a CPU. Of these, and of those that waited in their slow calls,
 *   there are no more than CHOOSE_LOOSE: what waits for work is slow now and then, too.
 * What it costs, timed and studied at each call, must fit into what is left of a quarter
 * of the budget, and there are not CHOOSE_MOST yet. One that was counted is recorded
 * exactly from then on. If it takes twice that later, the calls that follow are not
 * studied. Each 25 ms 64 functions and as many calls that were kept are
 * looked at, which takes 10 us.
 */

#define CHOOSE_CALLS 20u
#define CHOOSE_MOST 4u
#define CHOOSE_LOOSE 2u

/* Looks when it is time to. */
void choose_look(struct lane_context *context, uint64_t now);

/* Functions may be found by themselves. The constructor. */
void choose_begin(void);
