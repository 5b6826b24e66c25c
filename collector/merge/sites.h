/* SPDX-License-Identifier: MIT */
/* The allocation sites of a run, by lane. */
#pragma once

#include <stdint.h>

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

/* What a lane has of one variant in nodes. */
struct variant_count {
	uint32_t function;
	enum demangle_variant variant;
	uint64_t entry_count;
	uint64_t nested_count; /* of them, for the object of the variant that called it */
	uint64_t caller_count; /* entries of other variants that it made for its object */
};

struct variant_list {
	struct variant_count *all; /* owned: variants_done() */
	uint32_t count;
	struct map map; /* of function and variant to an index in all */
};

/* Of a lane whose nodes are placed. */
void variants_find(struct lane_walk *walk, struct variant_list *ret);
/* NULL: the lane has no node of it. */
const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant);
void variants_done(struct variant_list *list);
