/* SPDX-License-Identifier: MIT */
/*
 * Holds what recording costs below PROFSHIM_OVERHEAD: a call is timed as long as it takes
 * well more than its hooks do, else it is only counted. Runs on: traced threads, slow
 * paths of the hooks, any context. Must not make a system call but to write call sites.
 *
 * LOOKING. From the time on that check_ticks says the exits of 1.5 us are looked at: how
 * many there are, times what a pair of hooks costs, is the share of the hooks. It costs
 * what was calibrated, times what samples in our own code say of that here. Looks come
 * each 12 us as long as the budget is exceeded, less and less often when it is not, or
 * nothing is found, up to 0.8 ms: about 0.2 % of the time. (The time is counted from when
 * it was due, not from the first exit: calls come in heaps.)
 *
 * TAKING. When half of the budget is exceeded, one of these exits is picked, so that who
 * exits most often is met most often. Its function is counted from then on when its calls
 * are short against their hooks, by its histogram, it does not allocate, and its hooks
 * have cost what it takes (price.h). Where that is not enough, longer ones, too; last
 * those that call malloc themselves.
 *
 * GIVING BACK. See trials.h.
 */
#pragma once

#include "shim/lane/lane.h"

/* For a lane that begins. */
void budget_begin(struct lane_context *context);

/* An exit after check_ticks. function, call_site: the hook's arguments; node: of the
 * frame that was closed. */
void budget_look(struct lane_context *context, uint64_t function, uint64_t call_site,
		 uint32_t node, uint64_t return_address, uint64_t now);

/* A path has allocated for the first time: functions that allocate are taken last, when
 * nothing else is left and they are known by where they call malloc (allocators.h), so
 * that their allocations stay on their paths. The others that allocate keep their frames.
 * node: of the site. */
void budget_note_site(struct lane_context *context, uint32_t node);

/* A lane goes on with the tree of a process that has ended: the same for all of its
 * sites. */
void budget_note_sites(struct lane_context *context);
