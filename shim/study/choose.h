/* SPDX-License-Identifier: MIT */
/*
 * Which functions are studied that nobody has named, and what follows for the front
 * table when there are more. Runs on: the lane's thread, any context; exits that look.
 *
 * A function of a lane is studied from then on when
 * - it has had CHOOSE_CALLS calls, and not more than one for each 6 us,
 * - those that took 8 times as long as half of all calls do, or longer, took together 5 %
 *   of the thread's time since it was looked at first, and what it waited for a CPU,
 * - each of its calls was recorded: one that was ever only counted has stubs at its
 * exits, and there are not CHOOSE_MOST yet. 64 functions are looked at each 25 ms, so it
 * takes 10 us then.
 */
#pragma once

#include "shim/lane/lane.h"

#define CHOOSE_CALLS 20u
#define CHOOSE_MOST 4u

/* Looks when it is time to. */
void choose_look(struct lane_context *context, uint64_t now);

/* Functions may be found by themselves. The constructor. */
void choose_begin(void);
