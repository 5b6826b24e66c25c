/* SPDX-License-Identifier: MIT */
/*
 * Which functions that were only counted a sample was in, one called by the other: by the
 * copies at its address, and by the callers on its stack (common/segment_samples.h,
 * STACKS). Must not tell of more than the stack does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/merge/merge.h"

#define TRAIL_MOST 64u

struct trail {
	uint32_t functions[TRAIL_MOST]; /* innermost first */
	uint32_t count;
	bool is_whole; /* the last was called by what has the frame */
};

/* is_counted: by function, not 0. */
void trail_find(struct trail *ret, const struct merge *merge, const uint32_t *is_counted,
		const struct sampled_row *row);

/* Whose time the row is: the innermost function's, for code without hooks is part of who
 * calls it; without any that of the frame, or, where nobody knows who called it, of the
 * function that its address is in. */
uint32_t trail_credit(const struct trail *trail, const struct merge *merge,
		      const struct sampled_row *row);

/* How many of the functions are on the path below the holder, from its end on, and the
 * holder, too, where it is whole. Calls of a function by itself count as one. */
uint32_t trail_match(const struct trail *trail, const struct merge *merge,
		     uint32_t holder, uint32_t path);
