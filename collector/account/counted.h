/* SPDX-License-Identifier: MIT */
/*
 * Calls that were counted without a frame (common/segment_recording.h):
 * how many there were on which path, and how long they took. Must not let the counts of a
 * function differ from what was counted, or take more time from a path than it has.
 *
 * What such a call took, and what it cost to count it, is in the frame that was innermost
 * (holders.h). Samples tell how much of that is whose (sampled/divide.h); without them it
 * stays there. The cost of counting goes to nobody.
 */
#pragma once

#include "collector/merge/lane.h"
#include "collector/merge/merge.h"

struct counted;

struct counted *counted_new(struct merge *merge);

/* Takes the lane out of the cells, and its counts, until all lanes are known. */
void counted_keep(struct counted *counted, uint32_t lane,
		  const struct lane_counts *counts);

/* Adds all lanes that were kept to the tree. */
void counted_finish(struct counted *counted);

void counted_free(struct counted *counted);
