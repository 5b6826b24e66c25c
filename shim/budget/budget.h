/* SPDX-License-Identifier: MIT */
/*
 * Holds what recording costs below PROFSHIM_OVERHEAD: finds the functions whose hooks
 * cost most, and has them counted instead. Runs on: traced threads, slow paths of the
 * hooks, any context. Must not make a system call but to write call sites.
 *
 * LOOKING. An exit that finds check_ticks over begins a burst: each of the next exits, up
 * to 64 or some us, is noted with its function. Calls in bursts by their time are the
 * rate of calls, times what a pair of hooks costs the share of the hooks; whose they are
 * says which functions to take. Looks come each 12 us as long as the budget is exceeded,
 * less and less often when it is not, up to 0.8 ms: about 0.2 % of the time.
 * (Histograms summed up twice give each function's rate exactly, but cost 150 ns for each
 * function and miss those that have not been looked at before.)
 *
 * TAKING. The most frequent first, among those whose calls are short, alike, and do not
 * allocate: for these a mean says what there is to say. When that is not enough, longer
 * ones too, up to 3 us, of which hooks are a hundredth; then those that call malloc
 * themselves; then functions lose their windows.
 *
 * GIVING BACK. See review.h.
 */
#pragma once

#include "shim/lane/lane.h"

/* For a lane that begins: no window is open, the first may come at once. */
void budget_begin(struct lane_context *context);

/* An exit after check_ticks. function, call_site: the hook's arguments; node: of the
 * frame that was closed. */
void budget_look(struct lane_context *context, uint64_t function, uint64_t call_site,
		 uint32_t node, uint64_t return_address, uint64_t now);

/* After a window: looks go on. The next is when it would have been: were it put off by
 * each window, of which there may be more than looks, there would be none. */
void budget_resume(struct lane_context *context);

/* Some thousand calls have been counted. */
void budget_pulse(struct lane_context *context, uint64_t now);

/* What a window with so many calls cost, in ticks, and how long the next one has to wait
 * for that on average. */
uint64_t budget_window_cost(uint64_t call_count);
uint64_t budget_window_gap(uint64_t call_count);

/* A path has allocated for the first time: functions that allocate are taken last, when
 * nothing else is left and they are known by where they call malloc (allocators.h), so
 * that their allocations stay on their paths. The others that allocate keep their frames.
 * node: of the site. */
void budget_note_site(struct lane_context *context, uint32_t node);

/* A lane goes on with the tree of a process that has ended: the same for all of its
 * sites. */
void budget_note_sites(struct lane_context *context);
