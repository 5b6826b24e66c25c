/* SPDX-License-Identifier: MIT */
/* What one lane has, added to the merged tree. */
#pragma once

#include "collector/merge/place.h"

/* What a lane has by number of the function in its process's modes. Owned:
 * lane_counts_done(). */
struct lane_counts {
	struct segment_count *counts;
	uint32_t count_count;
	double stack_ns; /* what finding stacks took for an allocation */
	struct variant_list variants;
};

/* Puts a lane's sums into the cells (merge.h), and what is no sum into the tree. sites:
 * those of the process that belong to the lane. A lane that cannot be read is counted as
 * damaged. */
void lane_merge(struct merge *merge, uint32_t lane, const struct merge_end *end,
		const struct site_place *sites, size_t site_count,
		struct lane_counts *ret);

void lane_counts_done(struct lane_counts *counts);
