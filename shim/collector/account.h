/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the books of times: correction for the cost of the hooks, self and
 *                total, functions and edges.
 * Runs on:       one thread at a time; ingest.
 * Must not:      read the spool.
 * See also:      common/schema.sql for the definitions; shim/collector/merge.h
 */
#pragma once

#include "shim/collector/merge.h"

/*
 * Turns the cells of the lane that was just merged into times of its paths and clears
 * them. A lane's self time is corrected and clipped on its own, so that the shares of
 * the lanes add up to the path. 0 or -ENOMEM.
 */
int account_lane(struct merge *merge, uint32_t lane);

/* Sums up functions and edges over the finished tree. 0 or -ENOMEM. */
int account_functions(struct merge *merge);
