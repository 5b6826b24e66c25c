/* SPDX-License-Identifier: MIT */
/*
 * Functions, regions and steps that are slow now and then, as the calls tell that were
 * kept for that (shim/lane/spans.h): of each it is known what it waited for a CPU, so a
 * busy machine makes nobody suspect. Runs on: the lane's thread, exits that look.
 *
 * A call counts that took SUSPECT_TIMES as long as half of its function's calls, 0.1 ms
 * or longer, and is in no call of a function that is studied for what it computes: that
 * one has it as a part.
 */
#pragma once

#include "shim/lane/lane.h"

#define SUSPECT_TIMES 8u

/* The calls that were kept since it was asked last: the latest 64 of them. */
void suspect_note_spans(struct lane_context *context, uint64_t now);

/* The one with the longest slow calls, which is the outermost of those around them, that
 * may_be() says may be studied; two of them, and a thousandth of the thread's time, at
 * least. It is forgotten, and so are those of lesser time: they may lie below it. 0:
 * there is none. */
typedef int (*suspect_question)(const struct lane_context *context,
				const struct lane_suspicion *suspicion, uint64_t now);
int suspect_take(struct lane_context *context, uint64_t now, suspect_question may_be,
		 struct lane_suspicion *ret);

/* All calls, or steps, until now. */
uint64_t suspect_calls_of(const struct lane_context *context,
			  const struct lane_suspicion *suspicion);

/* All calls of a function in the lane, those included that were only counted. */
uint64_t suspect_calls(const struct lane_context *context,
		       const struct segment_function *function);

/* Did it wait in its slow calls, more than it computed? */
static inline int suspect_waits(const struct lane_suspicion *suspicion)
{
	return suspicion->blocked_ticks > suspicion->slow_ticks / 2;
}

/* Half of its calls that were timed are as short, or shorter. 0: there are none. */
uint64_t suspect_median(const struct segment_function *function);
