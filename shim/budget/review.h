/* SPDX-License-Identifier: MIT */
/*
 * Ten times a second, in the first tenth more often: which functions that are counted
 * could be recorded exactly again, and which have to go without windows, too. While the
 * budget is exceeded those are given back whose calls are too few to be what exceeds it:
 * they were many when the program began, perhaps, or in a phase. Runs on:
 * traced threads, slow paths of the hooks, any context; one at a time, for the whole
 * process. Must not make a system call but to write call sites.
 */
#pragma once

#include "shim/lane/lane.h"

/* Does it when it is time. hook_share, allowed_share: of the lane's time, what exact
 * calls take now, and what recording may take in all. */
void review_if_due(struct lane_context *context, uint64_t now, double hook_share,
		   double allowed_share);
