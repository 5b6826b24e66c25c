/* SPDX-License-Identifier: MIT */
/*
 * The books of times: correction for the cost of the hooks, self and total, with their
 * errors. Must not read the spool.
 *
 * A lane is in the cells of the merged tree (merge.h). In this order: self times; what is
 * moved between paths (counted.h); totals, which go to the tree.
 */
#pragma once

#include "collector/merge/merge.h"

/* What recording costs in the lane's process. */
struct account_cost {
	const struct hook_cost *hooks;
	double stack_ns; /* of an allocation in the lane, in addition */
};

/*
 * Turns the ticks of the lane in the cells into self times, less what the hooks cost. A
 * lane is corrected on its own, so that the shares of the lanes add up to the path. Where
 * less time was recorded than the hooks should have cost, self time is 0 and the path
 * above is charged with the rest: it has what the one hook pays less and another one
 * more.
 */
void account_selves(struct merge *merge, const struct account_cost *cost);

/* Adds the lane to the tree, and clears the cells. */
void account_totals(struct merge *merge, uint32_t lane);

/* When all lanes are added: sums up functions and edges, with the errors of all. */
void account_functions(struct merge *merge);

/* Only clears the cells. */
void account_clear(struct merge *merge);

/* What a path has from the cells of one stretch of time out of several. */
struct account_times {
	QUANTITY_FIELDS(LANE);
};

/*
 * Takes the cells apart, children before parents; each is clear afterwards. Begin, then
 * next until it returns 0. In a stretch a path may have less time than its children and
 * the hooks' cost: it is read while it runs. What is missing is owed by the next stretch,
 * so that sums over stretches do not grow by it. owed_ns: one for each path, zero before
 * the first stretch.
 */
void account_begin(struct merge *merge);
int account_next_part(struct merge *merge, int64_t *owed_ns, uint32_t *ret_path,
		      struct account_times *ret);
