/* SPDX-License-Identifier: MIT */
/* Whose calls had the time of samples. Must not change how much it was. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

/*
 * Which functions that were only counted a sample was in, one called by the other: by the
 * copies at its address, and by the callers on its stack (common/segment_samples.h,
 * STACKS). Must not tell of more than the stack does.
 */

#define TRAIL_MOST 64u

struct trail {
	uint32_t functions[TRAIL_MOST]; /* innermost first */
	uint32_t count;
	bool is_whole; /* the last was called by what has the frame */
};

/* is_counted: by function, not 0. */
void trail_find(struct trail *ret, const struct merge *merge, const uint32_t *is_counted,
		const struct sampled_row *row);

/* How many of the functions are on the path below the holder, from its end on, and the
 * holder, too, where it is whole. Calls of a function by itself count as one. */
uint32_t trail_match(const struct trail *trail, const struct merge *merge,
		     uint32_t holder, uint32_t path);

/* Of the lane's rows of CODE, as trail_credit() says; they are sorted by path, kind,
 * credited function and leaf then. By function: is_counted: not 0; has_hooks: a path is
 * of its calls. */
void credit_lane(struct merge *merge, uint32_t lane, const uint32_t *is_counted,
		 const bool *has_hooks);

/* Where the calls of a copy that is inlined stand below some of its host's paths only,
 * samples that others have of it are the host's, whose own time that is as the program
 * was built; calls of another copy of the same function do not count. Returns the rows of
 * a path, so credited and sorted, when any is; or NULL. held: calls in the path's time,
 * sorted by function. Owned: free. */
struct sampled_row *credit_placed(const struct merge *merge,
				  const struct sampled_row *rows, size_t row_count,
				  const struct held *held, size_t held_count);
