/* SPDX-License-Identifier: MIT */
/*
 * Time that moves from the path it was recorded in to that of calls without a frame. Must
 * not be asked but while the lane is in the cells.
 */
#pragma once

#include <stddef.h>

#include "collector/account/rate.h"
#include "collector/account/callers/reach.h"
#include "collector/merge/merge.h"

struct move {
	uint32_t path, holder; /* holder 0: no frame was open, nobody has the time */
	uint32_t mode;	       /* whose rate counts, index in merge->modes */
	int is_hidden;	       /* the holder's own calls do not all have frames */
	int is_copy;	       /* the calls are known to be in the code around the path */
	int is_nested;	       /* entries below calls of their own path (nested.h) */
	double calls;	       /* whose time moves */
	double counting;       /* whose counting is yet to be taken off */
};

/* All zero is empty. */
struct moves {
	struct move *all;
	size_t count;
};

/* Finds who has the time of calls without a frame, and appends it. calls: their path,
 * mode, number, and whether they are copies, or nested: these take no time but for their
 * counting. exact_above: by path, the next path above
 * all of whose calls have frames; 0: none. */
void moves_find(struct moves *moves, const struct merge *merge,
		const uint32_t *exact_above, const struct move *calls);

/* Of the lane in the cells, whose paths are in order. */
void moves_find_exact(const struct merge *merge, uint32_t *exact_above);

/* Moves the times of a lane, between account_selves() and account_totals(). At least
 * one; the order is changed. wall_ns: longer than that no thread of the lane lived. */
void moves_make(struct move *moves, size_t count, struct merge *merge,
		const struct rate *rates, const struct hook_cost *cost, int64_t wall_ns,
		struct reach *reach);

void moves_done(struct moves *moves);
