/* SPDX-License-Identifier: MIT */
/*
 * Which functions are studied that nobody has named, and what follows for the front
 * table when there are more. Runs on: the lane's thread, any context; exits that look.
 *
 * A function or region is studied from then on
 * - that is under suspicion (suspect.h), which takes two rare slow calls; or
 * - that has had CHOOSE_CALLS calls, of which those that took 8 times as long as half of
 *   them, or longer, took together 5 % of the thread's time since it was looked at first,
 *   and what it waited for a CPU. Of these, and of those that waited in their slow calls,
 *   there are no more than CHOOSE_LOOSE: what waits for work is slow now and then, too.
 * What it costs, timed and studied at each call, must fit into what is left of a quarter
 * of the budget, and there are not CHOOSE_MOST yet. One that was counted is recorded
 * exactly from then on. Each 25 ms 64 functions and as many calls that were kept are
 * looked at, which takes 10 us.
 */
#pragma once

#include "shim/lane/lane.h"

#define CHOOSE_CALLS 20u
#define CHOOSE_MOST 4u
#define CHOOSE_LOOSE 2u

/* Looks when it is time to. */
void choose_look(struct lane_context *context, uint64_t now);

/* Functions may be found by themselves. The constructor. */
void choose_begin(void);
