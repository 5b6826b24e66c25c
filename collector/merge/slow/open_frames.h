/* SPDX-License-Identifier: MIT */
/* The frames that are open in the end, each with the end on the clock of its stack. */
#pragma once

#include <stdint.h>

#include "collector/merge/place.h"

/* A frame that is open when its process ends, ends with it, or when its stack was left
 * for the last time: at end_ticks of the stack's clock, which is so far behind the
 * run's. */
struct open_frame {
	const struct segment_frame *frame;
	uint64_t end_ticks, suspended_ticks;
};

typedef void open_frames_visit(void *context, const struct open_frame *open);

/* All of a lane, those of one stack after the other, outermost first. */
void open_frames_each(const struct lane_walk *walk, const struct merge_end *end,
		      open_frames_visit *visit, void *context);
