/* SPDX-License-Identifier: MIT */
/*
 * In whose time calls without a frame are: in that of the innermost frame around them. A
 * function above that always has one has it; one that was only counted from some moment
 * on has it for some of its calls, and so for as many of those below. Must not be asked
 * but while the lane is in the cells.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/merge.h"
#include "common/base/pool.h"

/* Calls of one function on one path. */
struct held {
	uint32_t path, function;
	uint32_t holder; /* 0: no frame was open, nobody has the time */
	int is_nested;	 /* entries below calls of their own path (counted.c) */
	double calls;	 /* that took time; of entries that are none, 0 */
	double counting; /* that were counted */
};

/* All zero but for the pool is empty. */
struct holders {
	struct pool *pool;
	struct held *all;
	size_t count;
};

/* Of the lane in the cells: by path, the next one above all of whose calls have frames;
 * 0: none. */
void holders_find_exact(const struct merge *merge, uint32_t *exact_above);

/* Appends who has the time of the calls, of which path, function, number and whether they
 * are nested are given. */
void holders_find(struct holders *holders, const struct merge *merge,
		  const uint32_t *exact_above, const struct held *calls);

/* Says in the cells how many calls were counted in the time of each. Before
 * account_selves(). */
void holders_note(struct merge *merge, const struct held *all, size_t count);

/* That calls took some of their holder's time is known, but not how much: anything up to
 * all of it. The sum of both is. After account_selves(). */
void holders_doubt(struct merge *merge, const struct held *held);
