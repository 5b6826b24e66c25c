/* SPDX-License-Identifier: MIT */
/*
 * The books of times: correction for the cost of the hooks, self and total, functions
 * and edges. Must not read the spool.
 */
#pragma once

#include "collector/merge/merge.h"

/* What a path has from the cells. */
struct account_times {
	QUANTITY_FIELDS(LANE);
	int64_t raw_total_ns, raw_self_ns;
};

/* Takes the cells apart, children before parents; each is clear afterwards. Begin, then
 * next until it returns 0. */
void account_begin(struct merge *merge);
int account_next(struct merge *merge, uint32_t *ret_path, struct account_times *ret);

/* The same for the cells of one stretch of time out of several. In a stretch a path may
 * have less time than its children and the hooks' cost: it is read while it runs. What is
 * missing is owed by the next stretch, so that sums over stretches do not grow by it.
 * owed_ns: one for each path, zero before the first stretch. */
int account_next_part(struct merge *merge, int64_t *owed_ns, uint32_t *ret_path,
		      struct account_times *ret);

/*
 * Turns the cells of the lane that was just merged into times of its paths and clears
 * them. A lane's self time is corrected and clipped on its own, so that the shares of
 * the lanes add up to the path.
 */
void account_lane(struct merge *merge, uint32_t lane);

/* The duration of a call, as its caller would see it without the hooks. */
int64_t account_call_ns(const struct merge *merge, double ticks);

/* Sums up functions and edges over the finished tree. */
void account_functions(struct merge *merge);
