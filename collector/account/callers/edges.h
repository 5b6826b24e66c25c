/* SPDX-License-Identifier: MIT */
/*
 * On which paths calls without a frame are. Who made them is counted, call site by call
 * site (callers.h), so they are on paths below that caller and nowhere else: on those
 * where calls with frames were seen in the lane, or, where none was, on one below each of
 * the caller's own paths. What is estimated is how they divide among several paths of the
 * same caller: by the calls with frames, or by the caller's own calls. Calls whose caller
 * is not known are on any of the function's paths. Must not let the calls of a caller
 * differ from what was counted, or recurse: chains of calls may be long.
 */
#pragma once

#include "collector/account/callers/callers.h"
#include "collector/account/kept.h"
#include "collector/account/weights.h"
#include "collector/merge/merge.h"

struct edges;

/* All borrowed; callers and weights are complete. In the pool of what is kept. */
struct edges *edges_new(struct merge *merge, struct kept *kept,
			const struct weights *weights, struct hosts *hosts,
			const struct callers *callers);

/* Finds paths for the lane's counts, and keeps its calls there; fills in lane->calls. */
void edges_place(struct edges *edges, struct kept_lane *lane);
