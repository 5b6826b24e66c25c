/* SPDX-License-Identifier: MIT */
/*
 * How functions are recorded is changed by one thread at a time. And the changes that
 * come from outside: functions that rules about their sources leave out, in objects that
 * the collector had not answered for (common/segment_control.h) when they were first
 * called. Runs on: traced threads, slow paths of the hooks, any context. Must not make a
 * system call but to read symbol tables and to write call sites.
 *
 * Nobody wakes a thread. The slow paths that come often look into memory whether there is
 * another answer: the budget's looks, pulses, new paths, threads that begin, and without
 * a budget an exit each 12 ms. The first thread that sees it goes through the functions
 * of all lanes; each lane goes through its own once more at its next look, since it may
 * just have been adding one.
 */
#pragma once

#include "common/attributes.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/lane/lane.h"

/* From look to look when there is no budget. */
#define CHANGES_LOOK_TICKS (clock_tenth_of_second() >> 3)

/* Others, and a handler that interrupts it, go without. stack: of the caller. 0: not
 * now. */
int changes_begin(struct lane_context *context, uintptr_t stack);
void changes_end(struct lane_context *context);

/* A handler has left a change in the middle: it is done again. */
void changes_abandon(struct lane_context *context);

/* Likewise the fork that made this process. */
void changes_forked(void);

void changes_take_over(struct lane_context *context);

/* Leaves out what new answers say. */
static inline void changes_follow(struct lane_context *context)
{
	if (unlikely(answers_count() != context->answers_seen))
		changes_take_over(context);
}
