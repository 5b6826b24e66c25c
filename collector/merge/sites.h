/* SPDX-License-Identifier: MIT */
/* The allocation sites of a run, by lane. */
#pragma once

#include "collector/merge/place.h"

struct site_place {
	uint32_t process, lane_slot, site;
};

struct sites {
	struct site_place *all; /* owned: free; by process, lane and number */
	size_t count;
};

/* Of some processes: numbers in run->processes. */
void sites_order(struct sites *ret, const struct read_run *run, const uint32_t *processes,
		 size_t process_count);

/* How many the lane has; they are those from *ret_first on. */
size_t sites_of_lane(const struct sites *sites, uint32_t process, uint32_t lane_slot,
		     size_t *ret_first);

/* How many are of lanes that are nowhere: not among the file's, [first, end) of the run,
 * nor begun since these were listed. */
size_t sites_without_lane(const struct sites *sites, const struct read_run *run,
			  uint32_t file, size_t first, size_t end);

/* Adds sites of the lane that is being merged. */
void sites_add(struct lane_walk *walk, const struct site_place *places, size_t count);
