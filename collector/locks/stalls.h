/* SPDX-License-Identifier: MIT */
/*
 * The waits for other threads, one by one (struct segment_stall). Must not follow an
 * index that was not compared with its count.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/lane.h"

/* What one run has at most: more is thinned as the shim does it. */
#define STALLS_MOST (1u << 17)

/* A wait for another thread. Paths 0, holder_lane UINT32_MAX: not known. */
struct merge_stall {
	struct segment_stall from;
	uint32_t lane, holder_lane; /* indices in run->lanes */
	uint32_t lock;		    /* index in locks, UINT32_MAX: none */
	uint32_t waiter_path, holder_path, taken_path;
};

struct stalls {
	struct merge_stall *all;
	size_t count;
	uint32_t thinning; /* the most that a lane had, or more */
	uint64_t lost_count;
};

/* Adds those of a lane; locks: by the lane's numbers, the run's. Holders are not known
 * yet. */
void stalls_add_lane(struct stalls *stalls, uint32_t lane, const struct lane_locks *from,
		     const uint32_t *locks, uint64_t *damaged_count);
